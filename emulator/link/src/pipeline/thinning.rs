//! Where acknowledgements are thinned out: one that comes to the queue takes the place of those that it makes superfluous.

use windlull_units::{DropCause, Time};

use super::Pipeline;
use crate::slot::Slot;
use crate::{LinkObserver, Packet, PureAck};

impl<P: Packet> Slot<P> {
    /// What it acknowledges, if it may give way: what a queue marked has more to say.
    fn thinnable(&self) -> Option<PureAck> {
        self.packet.pure_ack().filter(|_| !self.marked)
    }
}

impl<P: Packet> Pipeline<P> {
    /// A packet comes to the queue. Whether it took the place of acknowledgements that say no more than it does, which are
    /// dropped then; it needs no room beyond theirs.
    #[inline(never)]
    pub(super) fn takes_place(&mut self, now: Time, new: &Slot<P>, observer: &mut impl LinkObserver) -> bool {
        let Some(thinning) = self.entrance.as_ref().and_then(|entrance| entrance.thinning()) else {
            return false;
        };
        let Some(ack) = new.thinnable() else { return false };
        let (flow, size) = (new.packet.flow(), new.size);
        let waiting = self.ring.iter().enumerate().skip(self.started).rev();
        let of_flow = waiting.filter(|(_, slot)| slot.packet.flow() == flow);
        let acks = of_flow.map(|(place, slot)| (place, slot.thinnable().filter(|_| slot.size >= size)));
        let Some(gone) = thinning.gives_way(ack, acks) else {
            return false;
        };
        for place in gone.others {
            if let Some(slot) = self.ring.remove(place) {
                self.leave_out(now, &slot, observer);
            }
        }
        let old = std::mem::replace(&mut self.ring[gone.place], new.clone());
        self.leave_out(now, &old, observer);
        self.queue.push(size);
        true
    }

    fn leave_out(&mut self, now: Time, slot: &Slot<P>, observer: &mut impl LinkObserver) {
        self.queue.pop(slot.size);
        slot.drop(self.direction, now, DropCause::AckThinned, observer);
    }
}
