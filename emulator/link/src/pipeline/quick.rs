//! A packet on the quick way.

use windlull_units::{DropCause, PacketId, Time};

use super::Pipeline;
use crate::link_state::Gates;
use crate::rate::Work;
use crate::slot::{Outbox, Slot, State};
use crate::{LinkObserver, Packet};

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
