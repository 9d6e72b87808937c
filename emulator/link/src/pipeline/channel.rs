//! The bottleneck: into service, over the channel, lost or on the way.

use windlull_units::{DropCause, LinkEvent, Span, Time};

use super::{Access, Pipeline};
use crate::arq::Arq;
use crate::delay::DelaysInForce;
use crate::draw;
use crate::impairment::{self, Passage};
use crate::lane::Lane;
use crate::link_state::LinkState;
use crate::queue::Verdict;
use crate::slot::{Outbox, State};
use crate::surroundings::Surroundings;
use crate::{LinkObserver, Packet};

/// What became of the packet that was next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// It is in service, or something is in its way, or there is none.
    Settled,
    /// The queue dropped it: now the one behind it is next.
    Dropped,
}

/// What came out of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TakenOut {
    /// A packet, by its place in the ring.
    Packet(usize),
    /// There is none, or the send buffer has no room for it.
    NoRoom,
    /// The queue dropped it.
    Dropped,
}

impl<P: Packet> Pipeline<P> {
    /// Puts the next packet into service, if there is one and nothing is in its way.
    #[inline]
    pub(super) fn try_start(&mut self, now: Time, lane: &Lane, observer: &mut impl LinkObserver) {
        while self.take_next(now, lane, observer) == Taken::Dropped {}
    }

    #[inline]
    fn take_next(&mut self, now: Time, lane: &Lane, observer: &mut impl LinkObserver) -> Taken {
        self.start_at = Time::NEVER;
        if !self.serialiser.is_idle() {
            return Taken::Settled;
        }
        let again = self.arq.as_ref().is_some_and(Arq::has_ready);
        if !again && self.started == self.ring.len() && self.flows.as_ref().is_none_or(|flows| flows.is_empty()) {
            self.queue.rests(now);
            match &mut self.access {
                Access::Free => {}
                Access::Allocated(allocation) => allocation.rest(now),
                Access::Batches(_) => self.begin_batch(now, false, lane, observer),
            }
            return Taken::Settled;
        }
        if lane.service() > now {
            self.start_at = lane.service();
            return Taken::Settled;
        }
        match &mut self.access {
            Access::Free => {}
            Access::Allocated(allocation) => {
                if let Some(until) = allocation.want(now) {
                    let direction = self.direction;
                    observer.link(now, &LinkEvent::Allocating { direction, until });
                }
                if allocation.usable_from() > now {
                    self.start_at = allocation.usable_from();
                    return Taken::Settled;
                }
            }
            Access::Batches(_) => {
                self.begin_batch(now, true, lane, observer);
                return Taken::Settled;
            }
        }
        let index = match self.take_out(now, observer) {
            TakenOut::Packet(index) => index,
            TakenOut::NoRoom => return Taken::Settled,
            TakenOut::Dropped => return Taken::Dropped,
        };
        if let Access::Allocated(allocation) = &mut self.access {
            allocation.occupy();
        }
        let slot = &mut self.ring[index];
        slot.state = State::Inside;
        let first_bit = self.serialiser.start(now, slot.size + self.framing);
        if slot.started == Time::NEVER {
            slot.started = first_bit;
        }
        self.serving = self.first + index as u64;
        Taken::Settled
    }

    /// Takes the next packet out of the queue, or one that the link layer sends again. One of them is there.
    #[inline(always)]
    pub(super) fn take_out(&mut self, now: Time, observer: &mut impl LinkObserver) -> TakenOut {
        let index = match self.arq.as_mut().and_then(Arq::take_ready) {
            Some(order) => self.index(order),
            None => {
                if self.started == self.ring.len() {
                    if let Some(taken) = self.call(now, observer) {
                        return taken;
                    }
                }
                self.started
            }
        };
        let slot = &mut self.ring[index];
        if index == self.started {
            if let Some(arq) = &mut self.arq {
                if !arq.has_room(now, slot.size) {
                    self.start_at = arq.next_ack();
                    return TakenOut::NoRoom;
                }
            }
            let size = slot.size;
            self.queue.pop(size);
            match self.queue.leaves(now, now.since(slot.queued), slot.packet.ecn()) {
                Verdict::Pass => {}
                Verdict::Mark => slot.mark(),
                Verdict::Drop => {
                    slot.drop(self.direction, now, DropCause::QueueEarly, observer);
                    self.ring.remove(index);
                    return TakenOut::Dropped;
                }
            }
            if let Some(arq) = &mut self.arq {
                arq.send(size);
            }
            self.started += 1;
        }
        TakenOut::Packet(index)
    }

    /// The last bit of the packet in service is sent: it meets the channel.
    #[inline]
    pub(super) fn leave(
        &mut self,
        now: Time,
        out: &mut Outbox<P>,
        surroundings: &mut Surroundings,
        observer: &mut impl LinkObserver,
    ) {
        self.serialiser.finish();
        if matches!(self.access, Access::Batches(_)) {
            self.end_batch(now, out, surroundings, observer);
            return;
        }
        let index = self.index(self.serving);
        self.meet_channel(now, now, index, out, surroundings, observer);
    }

    /// A packet whose last bit was first sent at `sent` meets the channel.
    #[inline(always)]
    pub(super) fn meet_channel(
        &mut self,
        now: Time,
        sent: Time,
        index: usize,
        out: &mut Outbox<P>,
        surroundings: &mut Surroundings,
        observer: &mut impl LinkObserver,
    ) {
        let delays = surroundings.link_state.lane(self.direction).delays;
        let passage = self.passage(now, sent, index, delays);
        let verdict = self.judge(index, &passage, surroundings, observer);
        match verdict.lost {
            None => self.depart(index, passage.due),
            Some(by) => self.lose(index, &passage, by, out, observer),
        }
    }

    /// The packet's way over the channel, and when it would arrive.
    #[inline(always)]
    pub(super) fn passage(&mut self, now: Time, sent: Time, index: usize, delays: DelaysInForce) -> Passage {
        let slot = &mut self.ring[index];
        let again = slot.sent < Time::NEVER;
        let travel = self.propagation.draw(again, delays);
        slot.last_sent = now;
        if !again {
            slot.sent = sent;
            slot.nominal = sent + travel;
        }
        Passage {
            direction: self.direction,
            now,
            due: self.propagation.behind_others(now + travel),
            bits: (slot.size + self.framing).bits(),
            again,
        }
    }

    /// What script and impairments decide about the packet.
    #[inline]
    fn judge(
        &mut self,
        index: usize,
        passage: &Passage,
        surroundings: &mut Surroundings,
        observer: &mut impl LinkObserver,
    ) -> impairment::Verdict {
        let mut verdict = impairment::Verdict::default();
        let slot = &mut self.ring[index];
        if !passage.again {
            for entry in slot.chosen.take().iter().flatten() {
                surroundings.chosen(*entry, passage, &mut verdict, observer);
            }
        }
        let by_script = verdict.lost.take();
        let link_state = &mut surroundings.link_state;
        for mechanism in &mut self.mechanisms {
            mechanism.meet(passage, link_state, &mut verdict, observer);
        }
        let lane = link_state.lane(self.direction);
        if let Some(draws) = &mut self.script_loss {
            if draw::happens(draws.of(passage.again), lane.loss) {
                verdict.lost = verdict.lost.or(Some(DropCause::RandomLoss));
            }
        }
        if lane.is_out(passage.now) {
            verdict.lost = Some(DropCause::Outage);
        }
        verdict.lost = by_script.or(verdict.lost);
        if !passage.again {
            slot.doubled = verdict.doubled;
            slot.corrupted = verdict.corrupted;
            slot.kept_back = verdict.kept_back + lane.kept_back;
        }
        verdict
    }

    /// With which probability the channel loses a packet now, by script, hand and impairments, as far as that does not
    /// depend on the packet.
    pub(crate) fn loss(&self, now: Time, link_state: &LinkState) -> f64 {
        let lane = link_state.lane(self.direction);
        if lane.is_out(now) {
            return 1.0;
        }
        let passes = self.mechanisms.iter().map(|mechanism| 1.0 - mechanism.loss(link_state));
        1.0 - passes.product::<f64>() * (1.0 - lane.loss)
    }

    /// The packet has passed the channel.
    #[inline]
    fn depart(&mut self, index: usize, due: Time) {
        let order = self.first + index as u64;
        let slot = &mut self.ring[index];
        slot.state = State::Flying;
        if slot.kept_back > Span::ZERO {
            let kept = slot.clone();
            let at = due + slot.kept_back;
            let place = self.kept.partition_point(|&(other, _, _)| other <= at);
            self.kept.insert(place, (at, order, kept));
            slot.state = State::Discarded;
        }
        self.fly(due, order);
    }

    /// The channel has lost the packet.
    pub(super) fn lose(
        &mut self,
        index: usize,
        passage: &Passage,
        by: DropCause,
        out: &mut Outbox<P>,
        observer: &mut impl LinkObserver,
    ) {
        let order = self.first + index as u64;
        let slot = &mut self.ring[index];
        match &mut self.arq {
            Some(arq) if arq.persists() && by != DropCause::Chosen => {
                slot.state = State::Lost;
                arq.lost(passage.now, order, slot.sent, slot.last_sent, slot.retransmissions);
                slot.retransmissions += 1;
            }
            Some(_) => {
                slot.drop(self.direction, passage.now, by, observer);
                slot.state = State::Ghost;
                self.fly(passage.due, order);
            }
            None => {
                slot.drop(self.direction, passage.now, by, observer);
                slot.state = State::Gone;
                self.release(passage.now, out, observer);
            }
        }
    }

    pub(super) fn give_up(&mut self, now: Time, order: u64, lane: &Lane, observer: &mut impl LinkObserver) {
        let index = self.index(order);
        let slot = &mut self.ring[index];
        slot.drop(self.direction, now, DropCause::ArqGaveUp, observer);
        slot.state = State::Discarded;
        if let Some(arq) = &mut self.arq {
            arq.forget(slot.size);
        }
        let travel = self.propagation.draw(true, lane.delays);
        let due = self.propagation.behind_others(now + travel);
        self.fly(due, order);
    }

    #[inline]
    pub(super) fn fly(&mut self, due: Time, order: u64) {
        self.propagation.depart(due);
        self.flight.push_back((due, order));
    }
}
