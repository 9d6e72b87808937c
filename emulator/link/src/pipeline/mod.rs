//! One direction of the link: a packet's way from queue to delivery.
//!
//! Packets stand in one ring from arrival to release, in order; a packet's *order* is its number in it. Behind the
//! first `started` of them stands the queue; where flows are kept apart, a packet comes into the ring when it is served. What flies is named by order in `flight`, in order of arrival.

mod arrival;
mod batch;
mod channel;
mod entrance;
mod entry;
mod express;
mod flows;
mod quick;
mod reordered;
mod thinning;

use std::collections::VecDeque;

use windlull_units::{BitRate, Bytes, Direction, LinkEvent, ReplayedWay, Seed, Time};

use crate::allocation::Allocation;
use crate::arq::{Arq, Retry};
use crate::delay::Propagation;
use crate::draw::PacketDraws;
use crate::impairment::{Mechanism, Mechanisms};
use crate::lane::Lane;
use crate::model::{Action, LinkModel, PathModel};
use crate::queue::{Flows, Queue};
use crate::rate::{Serialiser, rate_event};
use crate::replay::Replay;
use crate::script::Control;
use crate::service::Service;
use crate::slot::{Outbox, Slot, State};
use crate::start::Beginning;
use crate::surroundings::Surroundings;
use crate::{LinkObserver, Packet};
use entrance::Entrance;
use express::Express;

/// How the bottleneck's sender gets the channel.
#[derive(Clone, Debug)]
enum Access {
    /// It always has it.
    Free,
    Allocated(Box<Allocation>),
    /// For a batch of packets at a time; `None` only while one is filled or ended.
    Batches(Option<Service>),
}

/// One direction.
#[derive(Clone, Debug)]
pub(crate) struct Pipeline<P> {
    direction: Direction,
    framing: Bytes,
    queue: Queue,
    serialiser: Serialiser,
    propagation: Propagation,
    access: Access,
    arq: Option<Arq>,
    mechanisms: Vec<Mechanism>,
    script_loss: Option<PacketDraws>,
    entrance: Option<Box<Entrance>>,
    /// What arrived in a hold of arrivals or waits for others, in order.
    outside: VecDeque<Slot<P>>,
    ring: VecDeque<Slot<P>>,
    /// What waits in the queues of flows, where flows are kept apart; then the ring has only what was in service.
    flows: Option<Box<Flows<Slot<P>>>>,
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
    /// The quick way, if this direction has one.
    express: Option<Express<P>>,
    /// What is played instead of all else.
    replay: Option<Box<Replay<P>>>,
    /// When the next packet may go into service, if something else must happen first.
    start_at: Time,
    next: Time,
}

impl<P: Packet> Pipeline<P> {
    pub(crate) fn new(
        model: &LinkModel,
        direction: Direction,
        mut mechanisms: Mechanisms,
        seed: Seed,
        beginning: Beginning,
        control: Control,
        lane: &Lane,
    ) -> Self {
        let (path, reverse): (&PathModel, &PathModel) = match direction {
            Direction::Down => (&model.down, &model.up),
            Direction::Up => (&model.up, &model.down),
        };
        let stream = |name: &str| format!("{}/{name}", direction.name());
        let scripted = |wanted: fn(&Action) -> bool| {
            let mut here = model.script.iter().filter(|entry| entry.scope.covers(direction));
            control == Control::Hand || here.any(|entry| wanted(&entry.action))
        };
        let entrance = Entrance::new(model, direction, &mut mechanisms);
        let channel = mechanisms.channel;
        let recorded = model.recording.as_ref();
        let recorded_rate = recorded.is_some_and(|it| it.has(direction, |path| path.rate_bps));
        let recorded_loss = recorded.is_some_and(|it| it.has(direction, |path| path.loss));
        let mut pipeline = Self {
            direction,
            framing: path.framing,
            queue: Queue::new(&path.queue, path.rate.as_ref(), || seed.stream(&stream("queue"))),
            serialiser: Serialiser::new(
                path.rate.as_ref(),
                recorded_rate || scripted(|action| matches!(action, Action::SetRate(_))),
                beginning,
            )
            .with_light(path.light.as_ref(), beginning),
            propagation: Propagation::of(path, direction, seed),
            access: match (&path.service, &path.allocation) {
                (Some(model), _) => Access::Batches(Some(Service::new(model, seed, direction.name()))),
                (None, Some(model)) => Access::Allocated(Box::new(Allocation::new(model, seed, &stream("allocation")))),
                (None, None) => Access::Free,
            },
            arq: Arq::of(path, || Propagation::new(&reverse.delay, seed, &stream("ack"))),
            express: match control {
                Control::Script => Express::new(model, direction, path, &channel),
                Control::Hand => None,
            },
            replay: (model.replay.as_ref()).map(|replay| Box::new(Replay::new(replay, direction))),
            mechanisms: channel,
            script_loss: (recorded_loss || scripted(|action| matches!(action, Action::SetLoss(_))))
                .then(|| PacketDraws::new(seed, &stream("script-loss"))),
            entrance,
            outside: VecDeque::new(),
            ring: VecDeque::new(),
            flows: Flows::new(&path.queue, || seed.stream(&stream("queue"))).map(Box::new),
            first: 0,
            started: 0,
            serving: 0,
            flight: VecDeque::new(),
            kept: Vec::new(),
            highest: 0,
            start_at: Time::NEVER,
            next: Time::NEVER,
        };
        pipeline.refresh(lane);
        pipeline
    }

    /// When [`Self::step`] wants to be called.
    pub(crate) const fn next(&self) -> Time {
        self.next
    }

    /// The queue before the bottleneck.
    pub(crate) const fn queue(&self) -> &Queue {
        &self.queue
    }

    /// The rate in force; `None` if nothing limits it, or a trace gives no opportunities.
    pub(crate) fn rate(&self, now: Time) -> Option<BitRate> {
        self.serialiser.rate(now)
    }

    /// Whether nothing limits the rate now.
    pub(crate) const fn is_unlimited(&self) -> bool {
        self.serialiser.is_unlimited()
    }

    /// A rate is set (`Some`) or given back to the model (`None`), also in mid-packet.
    pub(crate) fn set_rate(&mut self, now: Time, rate: Option<BitRate>, observer: &mut impl LinkObserver) {
        self.serialiser.set_rate(now, rate);
        if !self.serialiser.is_idle() && !matches!(self.access, Access::Batches(_)) {
            // A packet that was to wait for an opportunity no longer waits.
            let index = self.index(self.serving);
            let slot = &mut self.ring[index];
            slot.started = slot.started.min(now);
        }
        let direction = self.direction;
        let event = if self.serialiser.is_unlimited() {
            let what = "rate = unlimited".to_owned();
            LinkEvent::Changed { direction, what }
        } else {
            rate_event(direction, self.serialiser.rate(now))
        };
        observer.link(now, &event);
    }

    /// How many packets are inside.
    pub(crate) fn packets(&self) -> usize {
        let waiting = self.ring.iter().filter(|slot| match slot.state {
            State::Inside | State::Flying | State::Received | State::Lost => true,
            State::Ghost | State::Hole | State::Discarded | State::Gone => false,
        });
        let passing = self.express.as_ref().map_or(0, Express::packets);
        let apart = self.flows.as_ref().map_or(0, |flows| flows.packets());
        let replayed = self.replay.as_ref().map_or(0, |replay| replay.packets());
        waiting.count() + self.kept.len() + self.outside.len() + passing + apart + replayed
    }

    /// What came beside what was recorded, if it replays a recording.
    pub(crate) fn replayed(&self) -> Option<ReplayedWay> {
        self.replay.as_ref().map(|replay| replay.replayed())
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
        let lane = surroundings.link_state.lane(self.direction);
        if self.express.is_some() {
            self.arrive_express(now, lane, out, observer);
        } else {
            self.step_general(now, out, surroundings, observer);
        }
    }

    #[inline(never)]
    fn step_general(
        &mut self,
        now: Time,
        out: &mut Outbox<P>,
        surroundings: &mut Surroundings,
        observer: &mut impl LinkObserver,
    ) {
        if let Some(replay) = &mut self.replay {
            replay.end(out, observer);
            self.next = replay.next();
            return;
        }
        let lane = surroundings.link_state.lane(self.direction);
        if self.let_in_at(lane) <= now {
            self.let_in(now, lane, observer);
        } else if self.next_arrival(lane) <= now {
            self.arrive(now, out, &surroundings.link_state, observer);
        } else if self.serialiser.next_turn() <= now {
            if let Some(rate) = self.serialiser.turn(now) {
                observer.link(now, &rate_event(self.direction, rate));
            }
        } else if self.serialiser.end() <= now {
            self.leave(now, out, surroundings, observer);
        } else if let Some((order, retry)) = self.arq.as_mut().and_then(|arq| arq.notice(now)) {
            if retry == Retry::GiveUp {
                self.give_up(now, order, lane, observer);
            }
        } else if self.arq.as_ref().is_some_and(|arq| arq.has_waited(now)) {
            self.pass_over(now, lane.delivery(), out, observer);
        }
        let lane = surroundings.link_state.lane(self.direction);
        self.try_start(now, lane, observer);
        self.refresh(lane);
    }

    /// Works out when the next thing is due.
    #[inline]
    pub(crate) fn refresh(&mut self, lane: &Lane) {
        if let Some(express) = &self.express {
            self.next = express.next().max(lane.delivery());
            return;
        }
        if let Some(replay) = &self.replay {
            self.next = replay.next();
            return;
        }
        let mut next = self
            .serialiser
            .end()
            .min(self.serialiser.next_turn())
            .min(self.start_at);
        if let Some(arq) = &self.arq {
            next = next.min(arq.next_timer());
        }
        self.next = next.min(self.let_in_at(lane)).min(self.next_arrival(lane));
    }

    /// Where in the ring the packet of this order stands.
    #[expect(clippy::cast_possible_truncation, reason = "below the ring's length")]
    const fn index(&self, order: u64) -> usize {
        (order - self.first) as usize
    }

    #[inline]
    fn next_arrival(&self, lane: &Lane) -> Time {
        let flying = self.flight.front().map_or(Time::NEVER, |&(due, _)| due);
        let kept = self.kept.first().map_or(Time::NEVER, |&(due, _, _)| due);
        flying.min(kept).max(lane.delivery())
    }
}
