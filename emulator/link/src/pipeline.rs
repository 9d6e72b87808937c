//! One direction of the link: a packet's way from queue to delivery.
//!
//! Packets stand in one ring from arrival to release, in order; a packet's *order* is its number in it. Behind the
//! first `started` of them stands the queue. What flies is named by order in `flight`, in order of arrival.

use std::collections::VecDeque;

use windlull_units::{BitRate, Bytes, Direction, DropCause, LinkEvent, PacketId, Seed, Span, Time};

use crate::allocation::Allocation;
use crate::arq::{Arq, Retry};
use crate::delay::Propagation;
use crate::draw::{self, PacketDraws};
use crate::impairment::{Mechanism, Passage, Verdict};
use crate::model::{Action, LinkModel, PathModel, QueueLimit, QueueModel};
use crate::queue::Queue;
use crate::rate::{Serialiser, rate_event};
use crate::script::limit_in_words;
use crate::selector::Chooser;
use crate::slot::{Outbox, Slot, State};
use crate::surroundings::Surroundings;
use crate::{LinkObserver, Packet};

/// One direction.
#[derive(Clone, Debug)]
pub(crate) struct Pipeline<P> {
    direction: Direction,
    framing: Bytes,
    queue: Queue,
    /// The model's limit.
    queue_limit: QueueLimit,
    serialiser: Serialiser,
    propagation: Propagation,
    allocation: Option<Allocation>,
    arq: Option<Arq>,
    mechanisms: Vec<Mechanism>,
    script_loss: Option<PacketDraws>,
    chooser: Option<Box<Chooser>>,
    ring: VecDeque<Slot<P>>,
    /// The order of the ring's first packet.
    first: u64,
    /// How many packets of the ring were at least once in service.
    started: usize,
    /// The order of the packet in service, if the serialiser is busy.
    serving: u64,
    /// When what arrives, in order of time.
    flight: VecDeque<(Time, u64)>,
    /// Packets kept back, in order of time; the order each had.
    kept: Vec<(Time, u64, Slot<P>)>,
    /// No packet of a higher order was delivered.
    highest: u64,
    /// When the next packet may go into service, if something else must happen first.
    start_at: Time,
    next: Time,
}

impl<P: Packet> Pipeline<P> {
    pub(crate) fn new(model: &LinkModel, direction: Direction, mechanisms: Vec<Mechanism>, seed: Seed) -> Self {
        let (path, reverse): (&PathModel, &PathModel) = match direction {
            Direction::Down => (&model.down, &model.up),
            Direction::Up => (&model.up, &model.down),
        };
        let stream = |name: &str| format!("{}/{name}", direction.name());
        let scripted = |wanted: fn(&Action) -> bool| {
            let mut here = model.script.iter().filter(|entry| entry.scope.covers(direction));
            here.any(|entry| wanted(&entry.action))
        };
        let mut pipeline = Self {
            direction,
            framing: path.framing,
            queue: Queue::new(&path.queue),
            queue_limit: match path.queue {
                QueueModel::DropTail(limit) => limit,
            },
            serialiser: Serialiser::new(
                path.rate.as_ref(),
                scripted(|action| matches!(action, Action::SetRate(_))),
            ),
            propagation: Propagation::new(&path.delay, seed, &stream("delay")),
            allocation: path
                .allocation
                .as_ref()
                .map(|model| Allocation::new(model, seed, &stream("allocation"))),
            arq: path
                .arq
                .as_ref()
                .map(|model| Arq::new(model, Propagation::new(&reverse.delay, seed, &stream("ack")))),
            mechanisms,
            script_loss: scripted(|action| matches!(action, Action::SetLoss(_)))
                .then(|| PacketDraws::new(seed, &stream("script-loss"))),
            chooser: Chooser::new(model, direction),
            ring: VecDeque::new(),
            first: 0,
            started: 0,
            serving: 0,
            flight: VecDeque::new(),
            kept: Vec::new(),
            highest: 0,
            start_at: Time::NEVER,
            next: Time::NEVER,
        };
        pipeline.refresh(Time::ZERO);
        pipeline
    }

    /// When [`Self::step`] wants to be called.
    pub(crate) const fn next(&self) -> Time {
        self.next
    }

    /// How many packets are inside.
    pub(crate) fn packets(&self) -> usize {
        let waiting = self.ring.iter().filter(|slot| match slot.state {
            State::Inside | State::Flying | State::Received | State::Lost => true,
            State::Ghost | State::Discarded | State::Gone => false,
        });
        waiting.count() + self.kept.len()
    }

    /// A packet arrives at the link. Everything due before is done.
    pub(crate) fn send(&mut self, now: Time, packet: P, id: PacketId, hold: Time, observer: &mut impl LinkObserver) {
        let size = packet.size();
        let waiting = self.queue.packets();
        let mut slot = Slot::new(packet, id, size, now, waiting);
        if let Some(chooser) = &mut self.chooser {
            slot.chosen = chooser.choose(slot.packet.tcp());
        }
        let admitted = self.queue.admits(size);
        let way_is_free = waiting == 0 && self.serialiser.is_idle();
        if !admitted && !way_is_free {
            slot.drop(self.direction, now, DropCause::QueueOverflow, observer);
            return;
        }
        self.ring.push_back(slot);
        self.queue.push(size);
        if way_is_free {
            self.try_start(now, observer);
            let waits = self.queue.packets() > 0;
            if waits && !admitted {
                self.queue.pop(size);
                if let Some(slot) = self.ring.pop_back() {
                    slot.drop(self.direction, now, DropCause::QueueOverflow, observer);
                }
                self.try_start(now, observer);
            }
            self.refresh(hold);
        }
    }

    /// The script sets the rate (`Some`) or gives it back to the model (`None`), also in mid-packet.
    pub(crate) fn force_rate(&mut self, now: Time, rate: Option<BitRate>, observer: &mut impl LinkObserver) {
        self.serialiser.force(now, rate);
        if !self.serialiser.is_idle() {
            // A packet that was to wait for an opportunity no longer waits.
            let index = self.index(self.serving);
            let slot = &mut self.ring[index];
            slot.started = slot.started.min(now);
        }
        let direction = self.direction;
        if self.serialiser.is_unlimited() {
            let what = "rate = unlimited".to_owned();
            observer.link(now, &LinkEvent::Changed { direction, what });
        } else {
            observer.link(now, &rate_event(direction, self.serialiser.rate(now)));
        }
    }

    /// The script sets the delay of packets yet to be sent, or gives it back to the model.
    pub(crate) fn force_delay(&mut self, now: Time, delay: Option<Span>, observer: &mut impl LinkObserver) {
        self.propagation.force(delay);
        let direction = self.direction;
        let event = match delay.or(self.propagation.constant()) {
            Some(delay) => LinkEvent::Delay { direction, delay },
            None => LinkEvent::Changed {
                direction,
                what: "delay = as before".to_owned(),
            },
        };
        observer.link(now, &event);
    }

    /// The same for the link-layer acknowledgements of this direction, which travel the other way.
    pub(crate) const fn force_way_back(&mut self, delay: Option<Span>) {
        if let Some(arq) = &mut self.arq {
            arq.force_way_back(delay);
        }
    }

    /// The script sets the queue's limit (`Some`) or gives it back to the model (`None`).
    pub(crate) fn force_queue(&mut self, now: Time, limit: Option<QueueLimit>, observer: &mut impl LinkObserver) {
        let limit = limit.unwrap_or(self.queue_limit);
        self.queue.set_limit(limit);
        let (direction, what) = (self.direction, limit_in_words(limit));
        observer.link(now, &LinkEvent::Changed { direction, what });
    }

    /// Does the first thing that is due.
    #[inline]
    pub(crate) fn step(
        &mut self,
        now: Time,
        out: &mut Outbox<P>,
        surroundings: &mut Surroundings,
        observer: &mut impl LinkObserver,
    ) {
        let hold = surroundings.weather.lane(self.direction).holds.until();
        if self.next_arrival(hold) <= now {
            self.arrive(now, out, observer);
        } else if self.serialiser.next_turn() <= now {
            if let Some(rate) = self.serialiser.turn(now) {
                observer.link(now, &rate_event(self.direction, rate));
            }
        } else if self.serialiser.end() <= now {
            self.leave(now, out, surroundings, observer);
        } else if let Some((order, retry)) = self.arq.as_mut().and_then(|arq| arq.notice(now)) {
            if retry == Retry::GiveUp {
                self.give_up(now, order, observer);
            }
        }
        self.try_start(now, observer);
        let hold = surroundings.weather.lane(self.direction).holds.until();
        self.refresh(hold);
    }

    /// Works out when the next thing is due; nothing is delivered before `hold`.
    #[inline]
    pub(crate) fn refresh(&mut self, hold: Time) {
        let mut next = self
            .serialiser
            .end()
            .min(self.serialiser.next_turn())
            .min(self.start_at);
        if let Some(arq) = &self.arq {
            next = next.min(arq.next_timer());
        }
        self.next = next.min(self.next_arrival(hold));
    }

    /// Where in the ring the packet of this order stands.
    #[expect(clippy::cast_possible_truncation, reason = "below the ring's length")]
    const fn index(&self, order: u64) -> usize {
        (order - self.first) as usize
    }

    #[inline]
    fn next_arrival(&self, hold: Time) -> Time {
        let flying = self.flight.front().map_or(Time::NEVER, |&(due, _)| due);
        let kept = self.kept.first().map_or(Time::NEVER, |&(due, _, _)| due);
        flying.min(kept).max(hold)
    }

    /// Puts the next packet into service, if there is one and nothing is in its way.
    #[inline]
    fn try_start(&mut self, now: Time, observer: &mut impl LinkObserver) {
        self.start_at = Time::NEVER;
        if !self.serialiser.is_idle() {
            return;
        }
        let again = self.arq.as_ref().is_some_and(Arq::has_ready);
        if !again && self.started == self.ring.len() {
            if let Some(allocation) = &mut self.allocation {
                allocation.rest(now);
            }
            return;
        }
        if let Some(allocation) = &mut self.allocation {
            if let Some(until) = allocation.want(now) {
                let direction = self.direction;
                observer.link(now, &LinkEvent::Allocating { direction, until });
            }
            if allocation.usable_from() > now {
                self.start_at = allocation.usable_from();
                return;
            }
        }
        let index = match self.arq.as_mut().and_then(Arq::take_ready) {
            Some(order) => self.index(order),
            None => self.started,
        };
        let slot = &mut self.ring[index];
        if index == self.started {
            if let Some(arq) = &mut self.arq {
                if !arq.has_room(now, slot.size) {
                    self.start_at = arq.next_ack();
                    return;
                }
                arq.send(slot.size);
            }
            self.queue.pop(slot.size);
            self.started += 1;
        }
        if let Some(allocation) = &mut self.allocation {
            allocation.occupy();
        }
        slot.state = State::Inside;
        let first_bit = self.serialiser.start(now, slot.size + self.framing);
        if slot.started == Time::NEVER {
            slot.started = first_bit;
        }
        self.serving = self.first + index as u64;
    }

    /// The last bit of the packet in service is sent: it meets the channel.
    #[inline]
    fn leave(
        &mut self,
        now: Time,
        out: &mut Outbox<P>,
        surroundings: &mut Surroundings,
        observer: &mut impl LinkObserver,
    ) {
        self.serialiser.finish();
        let index = self.index(self.serving);
        let slot = &mut self.ring[index];
        let again = slot.sent < Time::NEVER;
        let nominal = now + self.propagation.draw(again);
        slot.last_sent = now;
        if !again {
            slot.sent = now;
            slot.nominal = nominal;
        }
        let passage = Passage {
            direction: self.direction,
            now,
            due: self.propagation.behind_others(nominal),
            bits: (slot.size + self.framing).bits(),
            again,
        };
        let verdict = self.judge(index, &passage, surroundings, observer);
        match verdict.lost {
            None => self.depart(index, passage.due),
            Some(by) => self.lose(index, &passage, by, out, observer),
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
    ) -> Verdict {
        let mut verdict = Verdict::default();
        let slot = &mut self.ring[index];
        if !passage.again {
            for entry in slot.chosen.take().iter().flatten() {
                surroundings.chosen(*entry, passage, &mut verdict, observer);
            }
        }
        let by_script = verdict.lost.take();
        let weather = &mut surroundings.weather;
        for mechanism in &mut self.mechanisms {
            mechanism.meet(passage, weather, &mut verdict, observer);
        }
        let lane = weather.lane(self.direction);
        if let Some(draws) = &mut self.script_loss {
            if draw::happens(draws.of(passage.again), lane.loss) {
                verdict.lost = verdict.lost.or(Some(DropCause::RandomLoss));
            }
        }
        if lane.outages.is_open(passage.now) {
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
    fn lose(
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

    fn give_up(&mut self, now: Time, order: u64, observer: &mut impl LinkObserver) {
        let index = self.index(order);
        let slot = &mut self.ring[index];
        slot.drop(self.direction, now, DropCause::ArqGaveUp, observer);
        slot.state = State::Discarded;
        if let Some(arq) = &mut self.arq {
            arq.forget(slot.size);
        }
        let travel = self.propagation.draw(true);
        let due = self.propagation.behind_others(now + travel);
        self.fly(due, order);
    }

    #[inline]
    fn fly(&mut self, due: Time, order: u64) {
        self.propagation.depart(due);
        self.flight.push_back((due, order));
    }

    /// Something arrives at the far end, be it a packet or only its place in the order.
    #[inline]
    fn arrive(&mut self, now: Time, out: &mut Outbox<P>, observer: &mut impl LinkObserver) {
        let flying = self.flight.front().copied().unwrap_or((Time::NEVER, 0));
        if let Some(&(due, order, _)) = self.kept.first() {
            if (due, order) <= flying {
                let (_, order, slot) = self.kept.remove(0);
                if let Some(arq) = &mut self.arq {
                    arq.acknowledge(now, slot.size);
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
        match slot.state {
            State::Flying if index == 0 => {
                arq.pass(slot.size);
                arq.acknowledge(now, slot.size);
                slot.state = State::Received;
            }
            State::Flying if arq.keep(slot.size) => {
                arq.acknowledge(now, slot.size);
                slot.state = State::Received;
            }
            State::Flying => {
                slot.state = State::Lost;
                arq.lost(now, order, slot.sent, slot.last_sent, slot.retransmissions);
                slot.retransmissions += 1;
            }
            State::Ghost => {
                arq.acknowledge(now, slot.size);
                slot.state = State::Gone;
            }
            _ => slot.state = State::Gone,
        }
        self.release(now, out, observer);
    }

    /// Releases, in order, what no longer waits for an earlier packet.
    #[inline]
    fn release(&mut self, now: Time, out: &mut Outbox<P>, observer: &mut impl LinkObserver) {
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
