//! A packet inside the link, and the end of its story.

use std::collections::VecDeque;

use windlull_units::{Bytes, Direction, DropCause, Fate, Outcome, PacketId, Span, Time};

use crate::selector::Chosen;
use crate::{Delivery, LinkObserver, Packet};

/// Where a packet is.
///
/// ```text
///   Inside --> Flying --> Received --> Gone
///     ^ \        |  (waits for an earlier one)
///     |  \       v
///     |   +--> Lost --> Discarded --> Gone       (given up: a notice travels in its place)
///     +--- sent again
///          Inside --> Ghost --> Gone             (lost for good; its room is freed as if it had arrived)
///                         \--> Hole --> Gone     (the far end waits for it, up to a timer)
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// In the queue or being serialised.
    Inside,
    /// On its way to the far end.
    Flying,
    /// At the far end, waiting for an earlier one.
    Received,
    /// Lost by the channel; the link layer will send it again or give it up.
    Lost,
    /// Lost for good; its place in the order travels on and frees its room.
    Ghost,
    /// Lost for good, and the far end still waits for it.
    Hole,
    /// Given up or taken out of the order; the far end learns not to wait for it.
    Discarded,
    /// Its story is over.
    Gone,
}

/// A packet inside the link.
#[derive(Clone, Debug)]
pub(crate) struct Slot<P> {
    pub(crate) packet: P,
    pub(crate) id: PacketId,
    pub(crate) size: Bytes,
    pub(crate) entered: Time,
    /// When it came into the queue: later than `entered` after a hold of arrivals.
    pub(crate) queued: Time,
    /// `NEVER` until then, as the next two.
    pub(crate) started: Time,
    /// When its last bit was first sent.
    pub(crate) sent: Time,
    /// When its last bit was last sent.
    pub(crate) last_sent: Time,
    /// When it would have arrived, had nothing kept it.
    pub(crate) nominal: Time,
    pub(crate) kept_back: Span,
    pub(crate) queue_packets: u32,
    /// How many times the link layer has sent it again.
    pub(crate) retransmissions: u32,
    pub(crate) state: State,
    pub(crate) marked: bool,
    pub(crate) doubled: bool,
    pub(crate) corrupted: bool,
    pub(crate) chosen: Chosen,
}

impl<P: Packet> Slot<P> {
    pub(crate) const fn new(packet: P, id: PacketId, size: Bytes, now: Time, queue_packets: u32) -> Self {
        Self {
            packet,
            id,
            size,
            entered: now,
            queued: now,
            started: Time::NEVER,
            sent: Time::NEVER,
            last_sent: Time::NEVER,
            nominal: Time::NEVER,
            kept_back: Span::ZERO,
            queue_packets,
            retransmissions: 0,
            state: State::Inside,
            marked: false,
            doubled: false,
            corrupted: false,
            chosen: None,
        }
    }

    fn fate(&self, direction: Direction, at: Time, outcome: Outcome) -> Fate {
        Fate {
            id: self.id,
            direction,
            size: self.size,
            entered: self.entered,
            started: self.started.unless_never(),
            sent: self.sent.unless_never(),
            held: at.since(self.nominal),
            queue_packets: self.queue_packets,
            marked: self.marked,
            corrupted: self.corrupted,
            reordered: false,
            duplicate_of: None,
            outcome,
        }
    }

    /// The queue marks the packet.
    pub(crate) fn mark(&mut self) {
        self.packet.mark();
        self.marked = true;
    }

    /// Tells that the packet is lost.
    pub(crate) fn drop(&self, direction: Direction, at: Time, by: DropCause, observer: &mut impl LinkObserver) {
        observer.fate(&self.fate(direction, at, Outcome::Dropped { at, by }));
    }
}

/// What leaves the link.
#[derive(Clone, Debug)]
pub(crate) struct Outbox<P> {
    pub(crate) deliveries: VecDeque<Delivery<P>>,
    next_id: u64,
}

impl<P: Packet> Outbox<P> {
    pub(crate) const fn new() -> Self {
        Self {
            deliveries: VecDeque::new(),
            next_id: 0,
        }
    }

    pub(crate) const fn next_id(&self) -> PacketId {
        PacketId(self.next_id)
    }

    pub(crate) const fn take_id(&mut self) -> PacketId {
        let id = self.next_id();
        self.next_id += 1;
        id
    }

    /// Delivers a packet, and its copy right behind it.
    #[inline]
    pub(crate) fn deliver(
        &mut self,
        slot: Slot<P>,
        direction: Direction,
        at: Time,
        reordered: bool,
        observer: &mut impl LinkObserver,
    ) {
        let fate = Fate {
            reordered,
            ..slot.fate(direction, at, Outcome::Delivered { at })
        };
        observer.fate(&fate);
        let copy = slot.doubled.then(|| slot.packet.clone());
        self.hand_over(&fate, at, slot.packet);
        if let Some(packet) = copy {
            self.deliver_copy(fate, at, packet, observer);
        }
    }

    #[cold]
    pub(crate) fn deliver_copy(&mut self, original: Fate, at: Time, packet: P, observer: &mut impl LinkObserver) {
        let fate = Fate {
            id: self.take_id(),
            duplicate_of: Some(original.id),
            ..original
        };
        observer.fate(&fate);
        self.hand_over(&fate, at, packet);
    }

    #[inline]
    pub(crate) fn hand_over(&mut self, fate: &Fate, at: Time, packet: P) {
        self.deliveries.push_back(Delivery {
            at,
            direction: fate.direction,
            id: fate.id,
            packet,
            corrupted: fate.corrupted,
        });
    }
}
