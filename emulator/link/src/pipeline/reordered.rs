//! The far end where packets do not wait for ever for an earlier one.

use windlull_units::{DropCause, Time};

use super::Pipeline;
use crate::delay::DelaysInForce;
use crate::slot::{Outbox, State};
use crate::{LinkObserver, Packet};

impl<P: Packet> Pipeline<P> {
    /// A packet, or its place in the order, arrives.
    pub(super) fn arrive_reordered(
        &mut self,
        now: Time,
        order: u64,
        back: DelaysInForce,
        out: &mut Outbox<P>,
        observer: &mut impl LinkObserver,
    ) {
        let index = self.index(order);
        let slot = &mut self.ring[index];
        let Some(arq) = &mut self.arq else { return };
        let Some(reordering) = &mut arq.reordering else { return };
        let (late, waits, is_next) = (
            reordering.is_late(order),
            reordering.waits(),
            order == reordering.next(),
        );
        match slot.state {
            State::Flying if late => {
                // TS 36.322, section 5.1.2.2.2: outside of the window, it is discarded.
                arq.acknowledge(now, slot.size, back);
                slot.drop(self.direction, now, DropCause::ArqGaveUp, observer);
                slot.state = State::Gone;
            }
            State::Flying if !waits => {
                arq.acknowledge(now, slot.size, back);
                arq.pass(slot.size);
                self.deliver_out_of_turn(now, index, out, observer);
            }
            State::Flying => {
                if is_next || index == 0 {
                    arq.pass(slot.size);
                } else if !arq.keep(slot.size) {
                    slot.state = State::Lost;
                    arq.lost(now, order, slot.sent, slot.last_sent, slot.retransmissions);
                    slot.retransmissions += 1;
                    return;
                }
                arq.acknowledge(now, slot.size, back);
                slot.state = State::Received;
                if let Some(reordering) = &mut arq.reordering {
                    reordering.came(order);
                }
            }
            State::Ghost => {
                arq.acknowledge(now, slot.size, back);
                slot.state = if late || !waits { State::Gone } else { State::Hole };
            }
            _ => slot.state = State::Gone,
        }
        self.release_reordered(now, out, observer);
    }

    /// The far end has waited long enough, unless nothing can be delivered before `until`.
    pub(super) fn pass_over(&mut self, now: Time, until: Time, out: &mut Outbox<P>, observer: &mut impl LinkObserver) {
        let Some(reordering) = self.arq.as_mut().and_then(|arq| arq.reordering.as_mut()) else {
            return;
        };
        if until > now {
            reordering.postpone(until);
            return;
        }
        let Some((from, before)) = reordering.expire() else {
            return;
        };
        for order in from.max(self.first)..before {
            let index = self.index(order);
            match self.ring[index].state {
                State::Received => self.deliver_out_of_turn(now, index, out, observer),
                State::Hole => self.ring[index].state = State::Gone,
                // It comes late, or never.
                _ => {}
            }
        }
        self.release_reordered(now, out, observer);
    }

    /// Releases what follows on the last one that was released or passed over.
    fn release_reordered(&mut self, now: Time, out: &mut Outbox<P>, observer: &mut impl LinkObserver) {
        self.release(now, out, observer);
        let Some(reordering) = self.arq.as_ref().and_then(|arq| arq.reordering.as_ref()) else {
            return;
        };
        let mut next = reordering.next().max(self.first);
        while let Some(slot) = self.ring.get(self.index(next)) {
            match slot.state {
                State::Received => self.deliver_out_of_turn(now, self.index(next), out, observer),
                State::Gone => {}
                _ => break,
            }
            next += 1;
        }
        if let Some(reordering) = self.arq.as_mut().and_then(|arq| arq.reordering.as_mut()) {
            reordering.advance(now, next);
        }
    }

    /// Delivers a packet that is not the first of the ring.
    fn deliver_out_of_turn(&mut self, now: Time, index: usize, out: &mut Outbox<P>, observer: &mut impl LinkObserver) {
        let order = self.first + index as u64;
        let slot = self.ring[index].clone();
        self.ring[index].state = State::Gone;
        if let Some(arq) = &mut self.arq {
            arq.release(slot.size);
        }
        let overtaken = self.kept.iter().any(|&(_, kept, _)| kept < order);
        let reordered = self.highest > order || overtaken;
        self.highest = self.highest.max(order);
        out.deliver(slot, self.direction, now, reordered, observer);
    }
}
