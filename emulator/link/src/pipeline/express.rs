//! The quick way: where nothing can happen to a packet but waiting, its whole way is known as it arrives.
//!
//! This holds for a constant rate, a constant delay and a drop-tail queue, with no link layer, no allocation, and
//! neither script nor impairment in this direction but holds that come by themselves. It is the general way in one
//! step instead of three, and nobody can tell them apart by what they deliver.

use windlull_units::{Direction, DropCause, PacketId, Span, Time};

use super::Pipeline;
use crate::impairment::Mechanism;
use crate::link_state::Gates;
use crate::model::{Distribution, ImpairmentKind, LinkModel, PathModel, RateModel};
use crate::rate::{Constant, Work};
use crate::slot::{Outbox, Slot, State};
use crate::{LinkObserver, Packet};

/// The serialiser of the quick way.
#[derive(Clone, Debug)]
pub(super) struct Express {
    /// `None` is infinitely fast.
    rate: Option<Constant>,
    delay: Span,
    /// When all that has arrived is serialised.
    free_from: Time,
}

impl Express {
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
        })
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
        while let Some(slot) = self.ring.get(self.started).filter(|slot| slot.started <= now) {
            self.queue.pop(slot.size);
            self.started += 1;
        }
        let size = packet.size();
        let mut slot = Slot::new(packet, id, size, now, self.queue.packets());
        if express.free_from <= now {
            express.free_from = now;
            self.started += 1;
        } else if self.queue.admits(size) {
            self.queue.push(size);
        } else {
            slot.drop(self.direction, now, DropCause::QueueOverflow, observer);
            return;
        }
        slot.started = express.free_from;
        if let Some(rate) = &mut express.rate {
            express.free_from += rate.time_for(Work::of(size + self.framing));
        }
        slot.sent = express.free_from;
        slot.nominal = express.free_from + express.delay;
        slot.state = State::Flying;
        self.ring.push_back(slot);
        self.refresh(gates);
    }

    /// When the next packet of the quick way arrives.
    #[inline]
    pub(super) fn next_express(&self) -> Time {
        self.ring.front().map_or(Time::NEVER, |slot| slot.nominal)
    }

    /// The next packet of the quick way arrives.
    #[inline]
    pub(super) fn arrive_express(&mut self, now: Time, out: &mut Outbox<P>, observer: &mut impl LinkObserver) {
        let Some(slot) = self.ring.pop_front() else { return };
        match self.started.checked_sub(1) {
            Some(started) => self.started = started,
            None => self.queue.pop(slot.size),
        }
        out.deliver(slot, self.direction, now, false, observer);
    }
}
