//! The whole link: two directions, one sky.

use windlull_units::{Direction, PacketId, Replayed, Seed, Time, UnmetCondition};

use crate::impairment::{self, Lanes, Mechanisms, Source};
use crate::link_state::LinkState;
use crate::model::LinkModel;
use crate::pipeline::Pipeline;
use crate::script::{Control, Edge, Item, Script};
use crate::slot::Outbox;
use crate::start::Beginning;
use crate::surroundings::Surroundings;
use crate::watch::Watch;
use crate::{Delivery, LinkObserver, Packet};

/// A link between two hosts, as a pure function of its model, its seed, and what is sent when.
///
/// A driver hands packets over with [`Link::send`], asks with [`Link::poll_at`] when something happens next, calls
/// [`Link::advance`] then, and collects what arrives with [`Link::pop_delivery`].
///
/// At one instant: the link's state and the script come first, then what arrives, then what is sent; down before up.
#[derive(Clone, Debug)]
pub struct Link<P> {
    pub(crate) now: Time,
    /// When something happens next.
    next: Time,
    pub(crate) surroundings: Surroundings,
    /// Down, then up.
    pub(crate) pipelines: [Pipeline<P>; 2],
    /// What looks out for entries of the script that begin by what packets carry, if there are any.
    watch: Option<Box<Watch>>,
    out: Outbox<P>,
}

impl<P: Packet> Link<P> {
    /// A link at the start of its run. The same model and seed always make the same link.
    ///
    /// Streams of random numbers are named `down/NAME`, `up/NAME` and `both/NAME` after the impairments; the paths'
    /// own are `delay`, `allocation`, `ack`, `script-loss`, `queue`, `service` and `contenders`, and that of a random start is
    /// `start`.
    pub fn new(model: &LinkModel, seed: Seed) -> Self {
        Self::under(model, seed, Control::Script)
    }

    /// The same, made ready for [`Link::change`]. Until something is changed it delivers what [`Link::new`] delivers.
    pub fn by_hand(model: &LinkModel, seed: Seed) -> Self {
        Self::under(model, seed, Control::Hand)
    }

    fn under(model: &LinkModel, seed: Seed, control: Control) -> Self {
        let beginning = Beginning::of(model.start, seed);
        let mut link_state = LinkState::new(model, beginning);
        let mut mechanisms = <[Mechanisms; 2]>::default();
        for (index, impairment) in model.impairments.iter().enumerate() {
            impairment::install(impairment, Source(index), seed, &mut link_state, &mut mechanisms);
        }
        let [down, up] = mechanisms;
        let new_pipeline = |direction, mechanisms| {
            let lane = link_state.lane(direction);
            Pipeline::new(model, direction, mechanisms, seed, beginning, control, lane)
        };
        let pipelines = [new_pipeline(Direction::Down, down), new_pipeline(Direction::Up, up)];
        let mut link = Self {
            now: Time::ZERO,
            next: Time::NEVER,
            surroundings: Surroundings {
                link_state,
                script: Script::new(&model.script),
                before_script: model.impairments.len() + usize::from(model.recording.is_some()),
            },
            pipelines,
            watch: Watch::new(model),
            out: Outbox::new(),
        };
        link.schedule();
        link
    }

    /// The number that the next packet sent will have.
    pub const fn next_id(&self) -> PacketId {
        self.out.next_id()
    }

    /// How many packets are inside, not counting copies yet to be made.
    pub fn packets_inside(&self) -> usize {
        self.pipelines.iter().map(Pipeline::packets).sum()
    }

    /// How far what was sent so far was what a recording has; `None` if it replays none.
    pub fn replayed(&self) -> Option<Replayed> {
        let [down, up] = &self.pipelines;
        Some(Replayed {
            down: down.replayed()?,
            up: up.replayed()?,
        })
    }

    /// The entries of the script that have not begun, as the transport has not met their conditions so far; `None` if the
    /// script has no such entry.
    pub fn unmet(&self) -> Option<Vec<UnmetCondition>> {
        self.surroundings.script.unmet()
    }

    /// A packet arrives at the link at `now`, after all that is due by then.
    ///
    /// # Panics
    /// If `now` is earlier than a `now` before.
    pub fn send(&mut self, now: Time, direction: Direction, packet: P, observer: &mut impl LinkObserver) -> PacketId {
        // First its number, so that `next_id` has told the truth even if a copy is made at this very instant.
        let id = self.out.take_id();
        self.advance(now, observer);
        if self.watch.is_some() {
            self.look_at_packet(now, direction, &packet, observer);
        }
        let lane = self.surroundings.link_state.lane(direction);
        self.pipelines[direction as usize].send(now, packet, id, lane, observer);
        self.schedule();
        id
    }

    /// Begins the entries of the script that wait for what this packet tells: before the packet enters, which is the first
    /// that they concern.
    #[cold]
    fn look_at_packet(&mut self, now: Time, direction: Direction, packet: &P, observer: &mut impl LinkObserver) {
        let begin = self.watch.as_mut().map(|watch| watch.see(direction, packet));
        self.watch.take_if(|watch| watch.is_over());
        for entry in begin.into_iter().flatten() {
            self.trigger(now, entry, now, observer);
        }
    }

    /// What entry `entry` of the script, from 0, waits for has come, or will have at `at` if nothing else is said before:
    /// the entry begins then, and not when it was to before; with [`Time::NEVER`] it waits on. For those conditions that
    /// packets do not [tell](crate::model::TransportCondition::is_told_by_packets). False, and nothing is done, if the entry
    /// waits for no transport or has begun.
    ///
    /// # Panics
    /// If `now` is earlier than a `now` before.
    pub fn trigger(&mut self, now: Time, entry: usize, at: Time, observer: &mut impl LinkObserver) -> bool {
        self.advance(now, observer);
        let waits = self.surroundings.script.trigger(at.max(now), entry);
        self.schedule();
        self.advance(now, observer);
        waits
    }

    /// When to call [`Self::advance`] next; `None` if nothing will ever happen unless something is sent.
    pub fn poll_at(&self) -> Option<Time> {
        if !self.out.deliveries.is_empty() {
            return Some(self.now);
        }
        self.next.unless_never()
    }

    /// Does everything that is due up to and including `now`.
    ///
    /// # Panics
    /// If `now` is earlier than a `now` before.
    #[inline]
    pub fn advance(&mut self, now: Time, observer: &mut impl LinkObserver) {
        assert!(now >= self.now, "time went back from {} to {now}", self.now);
        if self.next <= now {
            self.catch_up(now, observer);
        }
        self.now = now;
    }

    /// Apart from the question whether anything is due, which mostly has the answer no.
    #[inline(never)]
    fn catch_up(&mut self, now: Time, observer: &mut impl LinkObserver) {
        while self.next <= now && self.next < Time::NEVER {
            let next = self.next;
            debug_assert!(next >= self.now, "something at {next} was forgotten until {}", self.now);
            self.now = next;
            self.happen(next, observer);
            self.schedule();
        }
    }

    /// What has arrived, in order; `at` is the instant at which it did.
    #[inline]
    pub fn pop_delivery(&mut self) -> Option<Delivery<P>> {
        self.out.deliveries.pop_front()
    }

    /// What [`Link::pop_delivery`] gives next.
    #[inline]
    pub fn delivery(&self) -> Option<&Delivery<P>> {
        self.out.deliveries.front()
    }

    /// Works out when something happens next, after anything has changed.
    #[inline]
    pub(crate) fn schedule(&mut self) {
        let [down, up] = &self.pipelines;
        self.next = self.surroundings.next().min(down.next()).min(up.next());
    }

    #[inline]
    fn happen(&mut self, now: Time, observer: &mut impl LinkObserver) {
        if self.surroundings.next() == now {
            self.turn(now, observer);
            return;
        }
        let [down, up] = &mut self.pipelines;
        let first = if down.next() <= up.next() { down } else { up };
        first.step(now, &mut self.out, &mut self.surroundings, observer);
    }

    /// The link's state changes, or the script acts.
    fn turn(&mut self, now: Time, observer: &mut impl LinkObserver) {
        if self.surroundings.link_state.next() <= now {
            self.surroundings.link_state.turn(now, observer);
            self.hand_rates_over(now, Lanes::Both, observer);
        }
        while let Some(item) = self.surroundings.script.take(now) {
            self.act(now, item, observer);
        }
        for direction in Direction::ALL {
            self.pipelines[direction as usize].refresh(self.surroundings.link_state.lane(direction));
        }
    }

    fn act(&mut self, now: Time, item: Item, observer: &mut impl LinkObserver) {
        let Item { entry, lanes, edge, .. } = item;
        let effect = self.surroundings.effect(entry, lanes);
        let lasts = self.surroundings.script.lasts(entry);
        let link_state = &mut self.surroundings.link_state;
        match edge {
            Edge::Begin => {
                let until = lasts.map_or(Time::NEVER, |lasts| now + lasts);
                link_state.begin(effect, now, until, observer);
            }
            Edge::End => {
                link_state.end(&effect, now, observer);
                self.surroundings.script.free(entry);
            }
        }
        self.hand_rates_over(now, lanes, observer);
    }

    /// The serialisers take the rates that are in force now.
    fn hand_rates_over(&mut self, now: Time, lanes: Lanes, observer: &mut impl LinkObserver) {
        for direction in lanes.directions() {
            if let Some(rate) = self.surroundings.link_state.lane_mut(direction).new_rate.take() {
                self.pipelines[direction as usize].set_rate(now, rate, observer);
            }
        }
    }
}
