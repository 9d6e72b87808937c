//! The far end: what arrives, and its release in order.

use windlull_units::Time;

use super::Pipeline;
use crate::link_state::LinkState;
use crate::slot::{Outbox, State};
use crate::{LinkObserver, Packet};

impl<P: Packet> Pipeline<P> {
    /// Something arrives at the far end, be it a packet or only its place in the order.
    #[inline]
    pub(super) fn arrive(
        &mut self,
        now: Time,
        out: &mut Outbox<P>,
        link_state: &LinkState,
        observer: &mut impl LinkObserver,
    ) {
        let back = link_state.lane(self.direction.reverse()).delays;
        let flying = self.flight.front().copied().unwrap_or((Time::NEVER, 0));
        if let Some(&(due, order, _)) = self.kept.first() {
            if (due, order) <= flying {
                let (_, order, slot) = self.kept.remove(0);
                if let Some(arq) = &mut self.arq {
                    arq.acknowledge(now, slot.size, back);
                }
                let reordered = self.highest > order;
                self.highest = self.highest.max(order);
                out.deliver(slot, self.direction, now, reordered, observer);
                return;
            }
        }
        let Some((_, order)) = self.flight.pop_front() else {
            return;
        };
        let index = self.index(order);
        let slot = &mut self.ring[index];
        let Some(arq) = &mut self.arq else {
            slot.state = match slot.state {
                State::Flying => State::Received,
                _ => State::Gone,
            };
            self.release(now, out, observer);
            return;
        };
        if arq.reordering.is_some() {
            self.arrive_reordered(now, order, back, out, observer);
            return;
        }
        match slot.state {
            State::Flying if index == 0 => {
                arq.pass(slot.size);
                arq.acknowledge(now, slot.size, back);
                slot.state = State::Received;
            }
            State::Flying if arq.keep(slot.size) => {
                arq.acknowledge(now, slot.size, back);
                slot.state = State::Received;
            }
            State::Flying => {
                slot.state = State::Lost;
                arq.lost(now, order, slot.sent, slot.last_sent, slot.retransmissions);
                slot.retransmissions += 1;
            }
            State::Ghost => {
                arq.acknowledge(now, slot.size, back);
                slot.state = State::Gone;
            }
            _ => slot.state = State::Gone,
        }
        self.release(now, out, observer);
    }

    /// Releases, in order, what no longer waits for an earlier packet.
    #[inline]
    pub(super) fn release(&mut self, now: Time, out: &mut Outbox<P>, observer: &mut impl LinkObserver) {
        while let Some(slot) = self.ring.front() {
            let received = match slot.state {
                State::Received => true,
                State::Gone => false,
                _ => return,
            };
            let Some(slot) = self.ring.pop_front() else { return };
            let order = self.first;
            self.first += 1;
            self.started -= 1;
            if received {
                if let Some(arq) = &mut self.arq {
                    arq.release(slot.size);
                }
                let reordered = self.kept.iter().any(|&(_, kept, _)| kept < order);
                self.highest = self.highest.max(order);
                out.deliver(slot, self.direction, now, reordered, observer);
            }
        }
    }
}
