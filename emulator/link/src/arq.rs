//! The link layer's buffers and retransmission (sarolahti2003, section 5.1).
//!
//! The send buffer holds packets from the start of their first transmission until the link's receiver has
//! acknowledged them; the acknowledgement leaves when the packet is received and takes the reverse path's propagation
//! delay. It is itself never lost or held. The receive buffer holds packets that wait for an earlier one. Both count
//! octets of packets, without framing.
//!
//! A packet lost for good without retransmission (`Persistence::None`, or one that a script chose) frees its room
//! when its acknowledgement would have come, so that loss does not change the link's timing.

use std::collections::VecDeque;

use windlull_units::{Bytes, Span, Time};

use crate::delay::{DelaysInForce, Propagation};
use crate::model::{ArqModel, PathModel, Persistence};
use crate::reordering::Reordering;

/// A link layer that would try again at once would try for ever within an instant.
const LEAST_RETRY: Span = Span::from_us(1);

/// The link layer of one direction.
#[derive(Clone, Debug)]
pub(crate) struct Arq {
    send_buffer: Bytes,
    sent: Bytes,
    /// Acknowledgements on their way back: when they arrive and what room they free. In order.
    acks: VecDeque<(Time, Bytes)>,
    way_back: Propagation,
    receive_buffer: Bytes,
    received: Bytes,
    persistence: Persistence,
    retry_after: Span,
    /// Lost packets whose loss the sender has yet to notice, in order of time.
    timers: VecDeque<Timer>,
    /// Packets to send again, before any new one.
    ready: VecDeque<u64>,
    /// Unless packets are released in order, however long that takes.
    pub(crate) reordering: Option<Reordering>,
}

/// A lost packet without acknowledgement.
#[derive(Clone, Copy, Debug)]
struct Timer {
    at: Time,
    order: u64,
    then: Retry,
}

/// What the link layer does about a lost packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retry {
    /// Sends it again.
    SendAgain,
    /// Has tried long enough.
    GiveUp,
}

impl Arq {
    /// That of a path, if it has one. Where packets are not always released in order it has one in any case, with buffers
    /// without limits.
    pub(crate) fn of(path: &PathModel, way_back: impl FnOnce() -> Propagation) -> Option<Self> {
        const WITHOUT_LIMITS: ArqModel = ArqModel {
            send_buffer: Bytes::new(u64::MAX),
            receive_buffer: Bytes::new(u64::MAX),
            persistence: Persistence::None,
            retry_after: Span::ZERO,
        };
        let reordering = Reordering::new(path.in_order);
        let model = match (&path.arq, &reordering) {
            (Some(model), _) => model,
            (None, Some(_)) => &WITHOUT_LIMITS,
            (None, None) => return None,
        };
        Some(Self {
            reordering,
            ..Self::new(model, way_back())
        })
    }

    /// `way_back` is how long acknowledgements travel.
    pub(crate) fn new(model: &ArqModel, way_back: Propagation) -> Self {
        Self {
            send_buffer: model.send_buffer,
            sent: Bytes::ZERO,
            acks: VecDeque::new(),
            way_back,
            receive_buffer: model.receive_buffer,
            received: Bytes::ZERO,
            persistence: model.persistence,
            retry_after: model.retry_after.max(LEAST_RETRY),
            timers: VecDeque::new(),
            ready: VecDeque::new(),
            reordering: None,
        }
    }

    /// Whether a new packet of `size` fits into the send buffer now. One that never fits may go alone.
    pub(crate) fn has_room(&mut self, now: Time, size: Bytes) -> bool {
        while let Some(&(at, freed)) = self.acks.front() {
            if at > now {
                break;
            }
            self.acks.pop_front();
            self.sent -= freed;
        }
        self.sent == Bytes::ZERO || self.sent + size <= self.send_buffer
    }

    /// When the next acknowledgement comes; `NEVER` if none is on its way.
    pub(crate) fn next_ack(&self) -> Time {
        self.acks.front().map_or(Time::NEVER, |&(at, _)| at)
    }

    /// A new packet goes into the send buffer.
    pub(crate) fn send(&mut self, size: Bytes) {
        self.sent += size;
    }

    /// The receiver acknowledges a packet; the reverse path's delays are `back`.
    pub(crate) fn acknowledge(&mut self, now: Time, size: Bytes, back: DelaysInForce) {
        let at = now + self.way_back.draw(false, back);
        let at = self.way_back.behind_others(at);
        self.way_back.depart(at);
        self.acks.push_back((at, size));
    }

    /// The sender forgets a packet.
    pub(crate) fn forget(&mut self, size: Bytes) {
        self.sent -= size;
    }

    /// Whether a packet that must wait for an earlier one has room to.
    pub(crate) fn keep(&mut self, size: Bytes) -> bool {
        let fits = self.received + size <= self.receive_buffer;
        if fits {
            self.received += size;
        }
        fits
    }

    /// The packet that others wait for has come; it is released at once and needs no room.
    pub(crate) fn pass(&mut self, size: Bytes) {
        self.received += size;
    }

    /// A packet is released.
    pub(crate) fn release(&mut self, size: Bytes) {
        self.received -= size;
    }

    /// Whether a packet that the channel loses is sent again at all.
    pub(crate) fn persists(&self) -> bool {
        self.persistence != Persistence::None
    }

    /// Packet `order` was lost at `now`. It was sent at `first_sent` and `last_sent`, in all `retransmissions` times again.
    pub(crate) fn lost(&mut self, now: Time, order: u64, first_sent: Time, last_sent: Time, retransmissions: u32) {
        let at = now.max(last_sent + self.retry_after);
        let then = match self.persistence {
            Persistence::Retries(most) if retransmissions >= most => Retry::GiveUp,
            Persistence::For(longest) if at.since(first_sent) > longest => Retry::GiveUp,
            Persistence::None => Retry::GiveUp,
            Persistence::Retries(_) | Persistence::For(_) | Persistence::Unlimited => Retry::SendAgain,
        };
        let place = self.timers.partition_point(|timer| timer.at <= at);
        self.timers.insert(place, Timer { at, order, then });
    }

    /// When the sender next notices a loss, or the receiver has waited long enough for a packet.
    pub(crate) fn next_timer(&self) -> Time {
        let timer = self.timers.front().map_or(Time::NEVER, |timer| timer.at);
        match &self.reordering {
            Some(reordering) => timer.min(reordering.deadline()),
            None => timer,
        }
    }

    /// Whether the receiver has waited long enough for a packet.
    pub(crate) fn has_waited(&self, now: Time) -> bool {
        self.reordering
            .as_ref()
            .is_some_and(|reordering| reordering.deadline() <= now)
    }

    /// The loss that the sender notices now, if any. One to be sent again stands ready afterwards.
    pub(crate) fn notice(&mut self, now: Time) -> Option<(u64, Retry)> {
        let timer = *self.timers.front().filter(|timer| timer.at <= now)?;
        self.timers.pop_front();
        if timer.then == Retry::SendAgain {
            self.ready.push_back(timer.order);
        }
        Some((timer.order, timer.then))
    }

    /// Whether a packet stands ready to be sent again.
    pub(crate) fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// The packet that stands ready to be sent again.
    pub(crate) fn first_ready(&self) -> Option<u64> {
        self.ready.front().copied()
    }

    /// Takes the packet that stands ready to be sent again.
    pub(crate) fn take_ready(&mut self) -> Option<u64> {
        self.ready.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Distribution;
    use windlull_units::Seed;

    const SIZE: Bytes = Bytes::new(296);

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn arq(persistence: Persistence) -> Arq {
        let model = ArqModel {
            send_buffer: Bytes::new(1776),
            receive_buffer: Bytes::new(1776),
            persistence,
            retry_after: Span::from_ms(500),
        };
        let way_back = Distribution::Constant(Span::from_ms(200));
        Arq::new(&model, Propagation::new(&way_back, Seed::new(1), "down/ack"))
    }

    #[test]
    fn the_send_buffer_holds_exactly_six_packets_until_an_acknowledgement_comes() {
        let mut arq = arq(Persistence::Unlimited);
        for packet in 0..6 {
            assert!(arq.has_room(at(0), SIZE), "no room for packet {packet}");
            arq.send(SIZE);
        }
        assert!(!arq.has_room(at(0), Bytes::new(1)));
        arq.acknowledge(at(300), SIZE, DelaysInForce::default());
        assert_eq!(arq.next_ack(), at(500));
        assert!(!arq.has_room(Time::from_ns(at(500).as_ns() - 1), SIZE));
        assert!(arq.has_room(at(500), SIZE));
        assert!(!arq.has_room(at(500), Bytes::new(297)));
    }

    #[test]
    fn a_packet_above_the_send_buffer_goes_alone() {
        let mut arq = arq(Persistence::Unlimited);
        assert!(arq.has_room(at(0), Bytes::new(5000)));
        arq.send(Bytes::new(5000));
        assert!(!arq.has_room(at(0), Bytes::new(1)));
    }

    #[test]
    fn the_receive_buffer_is_filled_to_the_last_octet() {
        let mut arq = arq(Persistence::Unlimited);
        assert!(arq.keep(Bytes::new(1775)));
        assert!(!arq.keep(Bytes::new(2)));
        assert!(arq.keep(Bytes::new(1)));
        arq.release(Bytes::new(1));
        assert!(arq.keep(Bytes::new(1)));
    }

    #[test]
    fn retries_are_counted() {
        let mut arq = arq(Persistence::Retries(2));
        for (retransmissions, then) in [(1, Retry::SendAgain), (2, Retry::GiveUp)] {
            arq.lost(at(100), 7, at(100), at(100), retransmissions);
            assert_eq!(arq.next_timer(), at(600));
            assert_eq!(arq.notice(Time::from_ns(at(600).as_ns() - 1)), None);
            assert_eq!(arq.notice(at(600)), Some((7, then)));
        }
        assert_eq!(arq.take_ready(), Some(7));
        assert!(!arq.has_ready());
    }

    #[test]
    fn persistence_in_time_ends_after_its_span() {
        let mut arq = arq(Persistence::For(Span::from_ms(1000)));
        arq.lost(at(600), 7, at(100), at(600), 1);
        assert_eq!(arq.notice(at(1100)), Some((7, Retry::SendAgain)));
        arq.lost(
            Time::from_ns(at(600).as_ns() + 1),
            7,
            at(100),
            Time::from_ns(at(600).as_ns() + 1),
            1,
        );
        assert_eq!(arq.notice(at(2000)), Some((7, Retry::GiveUp)));
    }
}
