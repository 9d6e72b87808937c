//! The bottleneck where packets are served in batches.

use windlull_units::{Bytes, DropCause, Span, Time};

use super::channel::TakenOut;
use super::{Access, Pipeline};
use crate::arq::Arq;
use crate::lane::Lane;
use crate::service::{Contention, Grants, Service};
use crate::slot::{Outbox, State};
use crate::surroundings::Surroundings;
use crate::{LinkObserver, Packet};

impl<P: Packet> Pipeline<P> {
    /// Begins the next batch, or works out when it may begin. `waiting`: whether a packet waits that is not in service.
    #[inline(never)]
    pub(super) fn begin_batch(&mut self, now: Time, waiting: bool, lane: &Lane, observer: &mut impl LinkObserver) {
        let Access::Batches(place) = &mut self.access else {
            return;
        };
        let Some(mut service) = place.take() else { return };
        let begins = service.begins(now, waiting).max(lane.service());
        let end = if begins > now {
            self.start_at = begins;
            None
        } else {
            let lasts = match &mut service {
                Service::Grants(grants) => self.fill_unit(grants, now, observer),
                Service::Contention(contention) => self.fill_aggregate(contention, now, observer),
            };
            lasts.map(|lasts| now + lasts)
        };
        self.access = Access::Batches(Some(service));
        if let Some(end) = end {
            self.serialiser.occupy(now, end);
        }
    }

    /// The batch in service is over: its packets meet the channel, or are lost.
    #[inline(never)]
    pub(super) fn end_batch(
        &mut self,
        now: Time,
        out: &mut Outbox<P>,
        surroundings: &mut Surroundings,
        observer: &mut impl LinkObserver,
    ) {
        let Access::Batches(Some(service)) = &mut self.access else {
            return;
        };
        for served in service.end(now) {
            let index = self.index(served.order);
            if served.got_through {
                self.meet_channel(now, served.sent, index, out, surroundings, observer);
            } else {
                let delays = surroundings.link_state.lane(self.direction).delays;
                let passage = self.passage(now, served.sent, index, delays);
                self.lose(index, &passage, DropCause::ArqGaveUp, out, observer);
            }
        }
    }

    /// Fills a unit; how long it takes, if there is one.
    fn fill_unit(&mut self, grants: &mut Grants, now: Time, observer: &mut impl LinkObserver) -> Option<Span> {
        let cycle = grants.cycle();
        if grants.repeat(now) {
            return Some(cycle);
        }
        // Without a limit all that waits is in one unit.
        let work = self.serialiser.work_in(now, cycle).unwrap_or(u128::MAX / 2);
        let mut room = grants.open(now, work);
        let empty = room == Bytes::ZERO;
        if let Some((order, left)) = grants.take_partial() {
            room = grants.put(order, left, false, room);
        }
        while room > Bytes::ZERO {
            let Some((order, size)) = self.next_of_batch(now, observer) else {
                break;
            };
            room = grants.put(order, size, true, room);
        }
        // The rate may give less than an octet in a cycle.
        (grants.close(self.has_waiting()) || empty).then_some(cycle)
    }

    /// Fills an aggregate; how long it takes, if there is one.
    fn fill_aggregate(
        &mut self,
        contention: &mut Contention,
        now: Time,
        observer: &mut impl LinkObserver,
    ) -> Option<Span> {
        let (most, longest) = contention.limits();
        let (mut packets, mut octets) = (0, Bytes::ZERO);
        contention.open();
        while packets < most {
            let again = contention.front_again();
            let Some(size) = again
                .map(|order| self.size_in_service(order))
                .or_else(|| self.next_size())
            else {
                break;
            };
            if packets > 0 && self.serialiser.time_for(now, octets + size) > longest {
                break;
            }
            if again.is_some() {
                contention.put_again();
                octets += size;
            } else {
                let Some((order, size)) = self.next_of_batch(now, observer) else {
                    break;
                };
                contention.put(order);
                octets += size;
            }
            packets += 1;
        }
        contention.close(self.serialiser.time_for(now, octets))
    }

    /// Whether a packet waits that is not in service yet.
    fn has_waiting(&self) -> bool {
        self.started < self.ring.len()
            || self.arq.as_ref().is_some_and(Arq::has_ready)
            || self.flows.as_ref().is_some_and(|flows| !flows.is_empty())
    }

    /// Takes the next packet out of the queue and into the batch that begins: its order, and its octets on the link.
    fn next_of_batch(&mut self, now: Time, observer: &mut impl LinkObserver) -> Option<(u64, Bytes)> {
        while self.has_waiting() {
            match self.take_out(now, observer) {
                TakenOut::Packet(index) => {
                    let slot = &mut self.ring[index];
                    slot.state = State::Inside;
                    slot.started = slot.started.min(now);
                    return Some((self.first + index as u64, slot.size + self.framing));
                }
                TakenOut::NoRoom => return None,
                TakenOut::Dropped => {}
            }
        }
        None
    }

    /// The octets on the link of the packet that is next to come out of the queue.
    fn next_size(&mut self) -> Option<Bytes> {
        let index = match self.arq.as_ref().and_then(Arq::first_ready) {
            Some(order) => self.index(order),
            None => self.started,
        };
        let size = match self.ring.get(index) {
            Some(slot) => slot.size,
            None => self.flows.as_mut()?.next_size()?,
        };
        Some(size + self.framing)
    }

    /// The octets on the link of a packet that is in service.
    fn size_in_service(&self, order: u64) -> Bytes {
        self.ring[self.index(order)].size + self.framing
    }
}
