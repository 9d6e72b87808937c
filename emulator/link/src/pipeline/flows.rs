//! Where flows are kept apart: into a flow's queue, and from there into service.

use windlull_units::{Bytes, DropCause, Ecn, Time};

use super::Pipeline;
use super::channel::TakenOut;
use crate::lane::Lane;
use crate::queue::{Verdict, Waits};
use crate::slot::Slot;
use crate::{LinkObserver, Packet};

impl<P: Packet> Waits for Slot<P> {
    fn size(&self) -> Bytes {
        self.size
    }

    fn flow(&self) -> u64 {
        self.packet.flow()
    }

    fn ecn(&self) -> Ecn {
        self.packet.ecn()
    }

    fn queued(&self) -> Time {
        self.queued
    }
}

impl<P: Packet> Pipeline<P> {
    /// A packet comes to the queue of its flow. If all queues hold too much now, the longest of them loses: that need not be
    /// this packet's.
    #[inline(never)]
    pub(super) fn enter_flow(&mut self, now: Time, slot: Slot<P>, lane: &Lane, observer: &mut impl LinkObserver) {
        let way_is_free = self.queue.packets() == 0 && self.serialiser.is_idle();
        let Some(flows) = &mut self.flows else { return };
        self.queue.push(slot.size);
        flows.push(slot);
        if way_is_free {
            self.try_start(now, lane, observer);
        }
        while self.queue.exceeds(&lane.queue) {
            let stolen = self.flows.as_mut().map(|flows| flows.steal()).unwrap_or_default();
            if stolen.is_empty() {
                break;
            }
            for slot in stolen {
                self.queue.pop(slot.size);
                slot.drop(self.direction, now, DropCause::QueueOverflow, observer);
            }
        }
        if way_is_free {
            if self.serialiser.is_idle() {
                self.try_start(now, lane, observer);
            }
            self.refresh(lane);
        }
    }

    /// Puts the packet whose turn it is at the end of the ring, where it is next. If it cannot go into service: why not.
    #[inline(never)]
    pub(super) fn call(&mut self, now: Time, observer: &mut impl LinkObserver) -> Option<TakenOut> {
        let Some(flows) = &mut self.flows else {
            return Some(TakenOut::NoRoom);
        };
        if let (Some(arq), Some(size)) = (&mut self.arq, flows.next_size()) {
            if !arq.has_room(now, size) {
                self.start_at = arq.next_ack();
                return Some(TakenOut::NoRoom);
            }
        }
        let Some((mut slot, verdict)) = flows.take(now) else {
            return Some(TakenOut::NoRoom);
        };
        match verdict {
            Verdict::Pass => {}
            Verdict::Mark => slot.mark(),
            Verdict::Drop => {
                self.queue.pop(slot.size);
                slot.drop(self.direction, now, DropCause::QueueEarly, observer);
                return Some(TakenOut::Dropped);
            }
        }
        self.ring.push_back(slot);
        None
    }
}
