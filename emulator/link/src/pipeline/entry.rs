//! The entry: what arrives, what waits outside while arrivals are held or for others, and the queue's answer.

use windlull_units::{DropCause, PacketId, Time};

use super::Pipeline;
use super::entrance::Admission;
use crate::lane::Lane;
use crate::queue::{Arrival, Verdict};
use crate::slot::Slot;
use crate::{LinkObserver, Packet};

impl<P: Packet> Pipeline<P> {
    /// A packet arrives at the link. Everything due before is done.
    pub(crate) fn send(&mut self, now: Time, packet: P, id: PacketId, lane: &Lane, observer: &mut impl LinkObserver) {
        if self.express.is_some() {
            self.send_express(now, packet, id, lane, observer);
            return;
        }
        if let Some(replay) = &mut self.replay {
            replay.send(now, self.direction, packet, id, observer);
            self.next = replay.next();
            return;
        }
        let size = packet.size();
        let mut slot = Slot::new(packet, id, size, now, self.queue.packets());
        if let Some(entrance) = &mut self.entrance {
            match entrance.meet(now, &mut slot) {
                Admission::Passes => {}
                Admission::Gathered => {
                    self.gather(now, slot, lane, observer);
                    return;
                }
                Admission::Stopped(by) => {
                    slot.drop(self.direction, now, by, observer);
                    return;
                }
            }
        }
        if lane.entry() > now {
            self.outside.push_back(slot);
            self.refresh(lane);
        } else {
            self.enter(now, slot, lane, observer);
        }
    }

    /// A packet waits outside for others, or they come in with it.
    #[inline(never)]
    fn gather(&mut self, now: Time, slot: Slot<P>, lane: &Lane, observer: &mut impl LinkObserver) {
        self.outside.push_back(slot);
        if self.let_in_at(lane) <= now {
            self.let_in(now, lane, observer);
        }
        self.refresh(lane);
    }

    /// When what waits outside is let in, or the first of it.
    #[inline]
    pub(super) fn let_in_at(&self, lane: &Lane) -> Time {
        if self.outside.is_empty() {
            return Time::NEVER;
        }
        let opens = self
            .entrance
            .as_ref()
            .map(|entrance| entrance.opens(self.outside.len()));
        opens.map_or(lane.entry(), |opens| opens.max(lane.entry()))
    }

    /// Lets in what waits outside, all at this instant, but for what waits for others.
    pub(super) fn let_in(&mut self, now: Time, lane: &Lane, observer: &mut impl LinkObserver) {
        let stay = self.entrance.as_ref().map_or(0, |entrance| entrance.waiting(now));
        while self.outside.len() > stay {
            let Some(mut slot) = self.outside.pop_front() else {
                return;
            };
            slot.queued = now;
            slot.queue_packets = self.queue.packets();
            self.enter(now, slot, lane, observer);
        }
    }

    /// A packet comes to the queue, which takes or drops it.
    #[inline]
    fn enter(&mut self, now: Time, mut slot: Slot<P>, lane: &Lane, observer: &mut impl LinkObserver) {
        if self.flows.is_some() {
            self.enter_flow(now, slot, lane, observer);
            return;
        }
        if self.entrance.is_some() && self.takes_place(now, &slot, observer) {
            return;
        }
        let (size, waiting) = (slot.size, self.queue.packets());
        let admitted = self.queue.admits(&lane.queue, size);
        let way_is_free = waiting == 0 && self.serialiser.is_idle();
        let fits = admitted || way_is_free;
        let verdict = self.judge_arrival(now, &slot, fits);
        if !fits || verdict == Verdict::Drop {
            let by = if fits {
                DropCause::QueueEarly
            } else {
                DropCause::QueueOverflow
            };
            slot.drop(self.direction, now, by, observer);
            if way_is_free {
                self.queue.rests(now);
            }
            return;
        }
        if verdict == Verdict::Mark {
            slot.mark();
        }
        self.ring.push_back(slot);
        self.queue.push(size);
        if way_is_free {
            self.try_start(now, lane, observer);
            let waits = self.queue.packets() > 0;
            if waits && !admitted {
                self.queue.pop(size);
                if let Some(slot) = self.ring.pop_back() {
                    slot.drop(self.direction, now, DropCause::QueueOverflow, observer);
                }
                self.try_start(now, lane, observer);
            }
            self.refresh(lane);
        }
    }

    /// What the queue's management says about a packet that arrives.
    #[inline]
    fn judge_arrival(&mut self, now: Time, slot: &Slot<P>, fits: bool) -> Verdict {
        if !self.queue.is_managed() {
            return Verdict::Pass;
        }
        self.queue.arrives(&Arrival {
            now,
            size: slot.size,
            ecn: slot.packet.ecn(),
            fits,
            rate: self.serialiser.rate(now),
        })
    }
}
