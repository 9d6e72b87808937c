//! The quick way: where nothing can happen to a packet but waiting, its whole way is known as it arrives.
//!
//! This holds for a constant rate, a constant delay and a drop-tail queue, with no link layer, no allocation, and
//! neither script nor impairment in this direction but holds that come by themselves. It is the general way in one
//! step instead of three, and nobody can tell them apart by what they deliver.

use std::collections::VecDeque;

use windlull_units::{Bytes, Direction, DropCause, Fate, Outcome, PacketId, Span, Time};

use super::Pipeline;
use crate::impairment::Mechanism;
use crate::link_state::Gates;
use crate::model::{Distribution, ImpairmentKind, LinkModel, PathModel, RateModel};
use crate::rate::{Constant, Work};
use crate::slot::Outbox;
use crate::{Delivery, LinkObserver, Packet};

/// The serialiser of the quick way, and the packets on it.
#[derive(Clone, Debug)]
pub(super) struct Express<P> {
    /// `None` is infinitely fast.
    rate: Option<Constant>,
    delay: Span,
    /// When all that has arrived is serialised.
    free_from: Time,
    /// In order.
    passing: VecDeque<Passing<P>>,
    /// How many of them, from the first on, have left the queue.
    started: usize,
}

/// A packet on the quick way.
#[derive(Clone, Debug)]
struct Passing<P> {
    packet: P,
    id: PacketId,
    size: Bytes,
    entered: Time,
    started: Time,
    sent: Time,
    /// When it arrives, if nothing is held then.
    due: Time,
    queue_packets: u32,
}

impl<P> Express<P> {
    /// The quick way for this direction, if it has one.
    pub(super) fn new(
        model: &LinkModel,
        direction: Direction,
        path: &PathModel,
        mechanisms: &[Mechanism],
    ) -> Option<Self> {
        let rate = match path.rate {
            None => None,
            Some(RateModel::Constant(rate)) => Some(Constant::new(rate)),
            Some(RateModel::Stepped { .. } | RateModel::Trace { .. }) => return None,
        };
        let Distribution::Constant(delay) = path.delay else {
            return None;
        };
        let scripted = model.script.iter().any(|entry| entry.scope.covers(direction));
        let lossy = model.impairments.iter().any(|impairment| {
            impairment.scope.covers(direction) && !matches!(impairment.kind, ImpairmentKind::Hold { .. })
        });
        let plain =
            !path.queue.is_managed() && path.arq.is_none() && path.allocation.is_none() && mechanisms.is_empty();
        (plain && !scripted && !lossy).then_some(Self {
            rate,
            delay,
            free_from: Time::ZERO,
            passing: VecDeque::new(),
            started: 0,
        })
    }

    /// When the next packet arrives.
    #[inline]
    pub(super) fn next(&self) -> Time {
        self.passing.front().map_or(Time::NEVER, |packet| packet.due)
    }

    /// How many packets are on it.
    pub(super) fn packets(&self) -> usize {
        self.passing.len()
    }
}

impl<P: Packet> Pipeline<P> {
    /// A packet arrives at the link and takes the quick way.
    #[inline]
    pub(super) fn send_express(
        &mut self,
        now: Time,
        packet: P,
        id: PacketId,
        gates: Gates,
        observer: &mut impl LinkObserver,
    ) {
        let Some(express) = &mut self.express else { return };
        while let Some(next) = express.passing.get(express.started).filter(|next| next.started <= now) {
            self.queue.pop(next.size);
            express.started += 1;
        }
        let (size, queue_packets) = (packet.size(), self.queue.packets());
        if express.free_from <= now {
            express.free_from = now;
            express.started += 1;
        } else if self.queue.admits(size) {
            self.queue.push(size);
        } else {
            observer.fate(&Fate {
                id,
                direction: self.direction,
                size,
                entered: now,
                started: None,
                sent: None,
                held: Span::ZERO,
                queue_packets,
                marked: false,
                corrupted: false,
                reordered: false,
                duplicate_of: None,
                outcome: Outcome::Dropped {
                    at: now,
                    by: DropCause::QueueOverflow,
                },
            });
            return;
        }
        let started = express.free_from;
        if let Some(rate) = &mut express.rate {
            express.free_from += rate.time_for(Work::of(size + self.framing));
        }
        express.passing.push_back(Passing {
            packet,
            id,
            size,
            entered: now,
            started,
            sent: express.free_from,
            due: express.free_from + express.delay,
            queue_packets,
        });
        self.next = express.next().max(gates.delivery);
    }

    /// The next packet of the quick way arrives.
    #[inline]
    pub(super) fn arrive_express(
        &mut self,
        now: Time,
        gates: Gates,
        out: &mut Outbox<P>,
        observer: &mut impl LinkObserver,
    ) {
        let Some(express) = &mut self.express else { return };
        let Some(packet) = express.passing.pop_front() else {
            return;
        };
        match express.started.checked_sub(1) {
            Some(started) => express.started = started,
            None => self.queue.pop(packet.size),
        }
        self.next = express.next().max(gates.delivery);
        observer.fate(&Fate {
            id: packet.id,
            direction: self.direction,
            size: packet.size,
            entered: packet.entered,
            started: Some(packet.started),
            sent: Some(packet.sent),
            held: now.since(packet.due),
            queue_packets: packet.queue_packets,
            marked: false,
            corrupted: false,
            reordered: false,
            duplicate_of: None,
            outcome: Outcome::Delivered { at: now },
        });
        out.deliveries.push_back(Delivery {
            at: now,
            direction: self.direction,
            id: packet.id,
            packet: packet.packet,
            corrupted: false,
        });
    }
}
