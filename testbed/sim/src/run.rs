//! The driver of one run.

use std::sync::atomic::{AtomicBool, Ordering};

use windlull_capture::Observer;
use windlull_link::{Delivery, Link, Triggers};
use windlull_tcp::GIVE_UP_AFTER;
use windlull_units::{Direction, Ending, Host, Network, Time};

use crate::carried::Carried;
use crate::conversation::{Acted, Conversation, Over};
use crate::crossing::Source;
use crate::either::Either;
use crate::flow::Flow;
use crate::names::{Counters, Name, Names};
use crate::setup::Setup;
use crate::taps::{Audience, Last};
use crate::tcp::Tcp;
use crate::wakeups::Wakeups;

/// What a stack from elsewhere did that ended the run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Fault {
    pub what: String,
    /// When it did.
    pub at: Time,
}

/// Runs all flows from the first SYN until each is over and no packet of theirs is under way. Each is told to the observer of
/// its place; packets are numbered for each flow by itself. Behind an access link a packet has one fate, the last on its way.
///
/// # Panics
/// If there are not as many observers as flows, or if a stack from elsewhere is at fault.
pub fn run<O: Observer>(setup: &Setup<'_>, observers: &mut [O]) -> Ending {
    match run_within(setup, u64::MAX, &AtomicBool::new(false), observers) {
        Ok(ending) => ending,
        Err(fault) => panic!("{fault}"),
    }
}

/// As [`run`], with a limit of events: instants at which something happens, and packets that are sent. The run is over too
/// once an observer has failed, or `is_unwanted` says so.
///
/// # Errors
/// If a stack from elsewhere hangs, dies or breaks its contract; TCPs of ours never do.
///
/// # Panics
/// If there are not as many observers as flows.
pub fn run_within<O: Observer>(
    setup: &Setup<'_>,
    most_events: u64,
    is_unwanted: &AtomicBool,
    observers: &mut [O],
) -> Result<Ending, Fault> {
    assert_eq!(setup.flows.len(), observers.len(), "every flow has its observer");
    if setup.is_tcp_alone() {
        Run::<O, Tcp>::new(setup, most_events, is_unwanted, observers).whole()
    } else {
        Run::<O, Either>::new(setup, most_events, is_unwanted, observers).whole()
    }
}

/// So many events go by before it is looked whether a run may go on.
const LOOK_EVERY: u64 = 1024;

struct Run<'a, O, C: Conversation> {
    now: Time,
    deadline: Time,
    /// Instants at which something happened, and packets that were sent.
    events: u64,
    most_events: u64,
    is_unwanted: &'a AtomicBool,
    /// After so many it is looked whether the run may go on.
    next_look: u64,
    network: Network,
    link: Link<Carried<C::Unit>>,
    audience: Audience<'a, O>,
    flows: Vec<Flow<C>>,
    /// How many flows are not over.
    under_way: usize,
    /// Whether a stack from elsewhere is at fault.
    is_broken: bool,
    sources: Vec<Source>,
    /// What waits in the link's script for the states of senders, if anything does.
    triggers: Option<Box<Triggers>>,
    /// Of the flows, then of the sources.
    wakeups: Wakeups,
    due: Vec<usize>,
}

impl<'a, O: Observer, C: Conversation> Run<'a, O, C> {
    fn new(setup: &Setup<'_>, most_events: u64, is_unwanted: &'a AtomicBool, observers: &'a mut [O]) -> Self {
        let alike = setup.flows.len() == 1 && setup.access.is_none() && setup.crossing.is_empty();
        let flows: Vec<Flow<C>> = setup
            .flows
            .iter()
            .enumerate()
            .map(|(number, flow)| {
                Flow::new(
                    number,
                    flow,
                    setup.access,
                    setup.network,
                    setup.seed,
                    observers[number].wants_all_said(),
                )
            })
            .collect();
        Self {
            now: Time::ZERO,
            deadline: Time::ZERO + setup.time_limit,
            events: 0,
            most_events,
            is_unwanted,
            next_look: 0,
            network: setup.network,
            link: Link::new(setup.link, setup.seed),
            audience: Audience {
                names: Names::new(alike),
                counters: Counters::new(flows.len()),
                last: if setup.access.is_some() {
                    Last::Only(Direction::Up)
                } else {
                    Last::Always
                },
                crossing: 0,
                observers,
            },
            under_way: flows.len(),
            is_broken: false,
            sources: setup.crossing.iter().copied().map(Source::new).collect(),
            triggers: Triggers::new(setup.link, flows.len()),
            wakeups: Wakeups::new(flows.len() + setup.crossing.len()),
            due: Vec::new(),
            flows,
        }
    }

    /// From the first SYN to the end, and what is to be told then.
    fn whole(mut self) -> Result<Ending, Fault> {
        let ended = self.drive();
        if let Some(replayed) = self.link.replayed() {
            for observer in &mut *self.audience.observers {
                observer.replayed(&replayed);
            }
        }
        if let Some(unmet) = self.link.unmet() {
            for observer in &mut *self.audience.observers {
                observer.unmet(&unmet);
            }
        }
        ended
    }

    /// A function of its own, whoever calls: inlined into callers, the loop was by 5 % slower or faster with each of their
    /// changes.
    #[inline(never)]
    fn drive(&mut self) -> Result<Ending, Fault> {
        self.advance();
        for flow in 0..self.flows.len() {
            self.settle(flow);
        }
        for (place, source) in self.sources.iter().enumerate() {
            self.wakeups.set(self.flows.len() + place, source.next());
        }
        loop {
            if let Some(ending) = self.ending() {
                return self.faultless(ending);
            }
            self.events += 1;
            if self.events > self.next_look {
                if let Some(ending) = self.look() {
                    return Ok(ending);
                }
            }
            let link = self.link.poll_at().unwrap_or(Time::NEVER);
            let next = link.min(self.wakeups.first()).max(self.now);
            if next > self.deadline {
                return Ok(Ending::TimeLimit);
            }
            self.now = next;
            self.deliver();
            if self.wakeups.first() <= self.now {
                self.wake();
            }
        }
    }

    /// The ending, unless a stack from elsewhere is at fault.
    fn faultless(&self, ending: Ending) -> Result<Ending, Fault> {
        let fault = self.flows.iter().find_map(|flow| flow.conversation.fault());
        fault.map_or(Ok(ending), |what| {
            Err(Fault {
                what: what.to_owned(),
                at: self.now,
            })
        })
    }

    /// Does what flows and sources have to do now.
    fn wake(&mut self) {
        let mut due = std::mem::take(&mut self.due);
        self.wakeups.due(self.now, &mut due);
        for &sleeper in &due {
            match sleeper.checked_sub(self.flows.len()) {
                None => self.fire(sleeper),
                Some(source) => self.cross(source),
            }
        }
        self.due = due;
    }

    /// The run is over once all flows are and no packet of theirs is under way, whatever the link's state may still bring.
    fn ending(&self) -> Option<Ending> {
        if C::MAY_BE_AT_FAULT && self.is_broken {
            return Some(Ending::Unwatched);
        }
        if self.under_way > 0 {
            return None;
        }
        let at = self.now;
        let elapsed = |flow: &Flow<C>| flow.over == Over::Elapsed;
        if self.flows.iter().all(elapsed) {
            return Some(Ending::Elapsed { at });
        }
        let behind: usize = self.flows.iter().map(Flow::packets_inside).sum();
        if self.link.packets_inside() - self.audience.crossing + behind > 0 {
            return None;
        }
        let any = |over: Over| self.flows.iter().any(|flow| flow.over == over);
        Some(if any(Over::Idle) {
            Ending::Stalled { at }
        } else if any(Over::GaveUp) {
            // The timeout at which it gives up is the one after so many.
            let timeouts = GIVE_UP_AFTER + 1;
            Ending::GaveUp { at, timeouts }
        } else if any(Over::Reset) {
            Ending::Reset { at }
        } else {
            Ending::Closed { at }
        })
    }

    /// Whether the run may not go on.
    #[cold]
    fn look(&mut self) -> Option<Ending> {
        self.next_look = (self.events + LOOK_EVERY).min(self.most_events);
        if self.events > self.most_events {
            return Some(Ending::EventLimit);
        }
        let is_over =
            self.is_unwanted.load(Ordering::Relaxed) || self.audience.observers.iter().any(Observer::has_failed);
        is_over.then_some(Ending::Unwatched)
    }

    fn advance(&mut self) {
        self.link.advance(self.now, &mut self.audience);
    }

    fn deliver(&mut self) {
        self.advance();
        while let Some(delivery) = self.link.delivery() {
            let Delivery {
                id,
                direction,
                ref packet,
                corrupted,
                ..
            } = *delivery;
            // A corrupted packet fails the receiving host's checksum; its transport never sees it.
            let unit = match packet {
                Carried::Of(unit, ..) if !corrupted => Some(unit.clone()),
                _ => None,
            };
            self.link.pop_delivery();
            let Some(name) = self.audience.names.take(id) else {
                continue;
            };
            let Some(unit) = unit else { continue };
            if direction == Direction::Down && self.flows[name.flow].access.is_some() {
                self.forward(name, unit);
            } else {
                self.arrive(name, direction.reaches(), &unit);
            }
            self.settle(name.flow);
        }
    }

    /// A unit reaches a host.
    fn arrive(&mut self, name: Name, host: Host, unit: &C::Unit) {
        let (now, number) = (self.now, name.flow);
        let flow = &mut self.flows[number];
        if flow.over == Over::Elapsed {
            return;
        }
        let observer = &mut self.audience.observers[number];
        let both = flow.conversation.on_unit(now, host, name.id, unit, observer);
        self.transmit(number, host);
        if both {
            self.transmit(number, host.peer());
        }
    }

    /// Does what is due of a flow.
    fn fire(&mut self, number: usize) {
        if self.flows[number].access.is_some() {
            self.deliver_access(number);
        }
        self.act(number);
        self.fire_endpoint(number, Host::Server);
        self.fire_endpoint(number, Host::Client);
        self.settle(number);
    }

    /// The application does what it has to do now.
    fn act(&mut self, number: usize) {
        let now = self.now;
        let flow = &mut self.flows[number];
        let observer = &mut self.audience.observers[number];
        match flow.conversation.act(now, observer) {
            None => {}
            Some(Acted::Touched) => {
                self.transmit(number, Host::Server);
                self.transmit(number, Host::Client);
            }
            Some(Acted::Stopped) => {
                if flow.over == Over::No {
                    self.under_way -= 1;
                }
                flow.over = Over::Elapsed;
                observer.time_is_up(now);
            }
        }
    }

    fn fire_endpoint(&mut self, number: usize, host: Host) {
        let now = self.now;
        let flow = &mut self.flows[number];
        if flow.conversation.poll_at(host).is_some_and(|at| at <= now) {
            let observer = &mut self.audience.observers[number];
            flow.conversation.on_timer(now, host, observer);
            self.transmit(number, host);
        }
    }

    /// Sends what an end of a flow has to send. Whoever touches an endpoint calls this next.
    fn transmit(&mut self, number: usize, host: Host) {
        if self.triggers.is_some() {
            self.look_at_sender(number);
        }
        self.send_all(number, host);
        if self.triggers.is_some() {
            self.look_at_sender(number);
        }
    }

    /// Tells the link which entries of its script begin by the state of a flow's data sender: before it sends what follows from
    /// that state, so that the first retransmission of a recovery meets what begins with it, and after.
    #[cold]
    fn look_at_sender(&mut self, number: usize) {
        let Self {
            now,
            flows,
            link,
            audience,
            triggers,
            ..
        } = self;
        let sender = flows[number].conversation.sender_view();
        let told = triggers
            .as_mut()
            .map(|triggers| triggers.look(*now, number, sender.as_ref()));
        for (entry, at) in told.into_iter().flatten() {
            link.trigger(*now, entry, at, audience);
        }
    }

    #[inline]
    fn send_all(&mut self, number: usize, host: Host) {
        let (now, direction, network) = (self.now, host.sends(), self.network);
        let Self {
            flows, link, audience, ..
        } = self;
        let flow = &mut flows[number];
        if flow.over == Over::Elapsed {
            return;
        }
        loop {
            let observer = &mut audience.observers[number];
            let Some((unit, cause)) = flow.conversation.poll_transmit(now, host, observer) else {
                flow.schedule(host);
                return;
            };
            self.events += 1;
            let mut access = flow.access.as_mut().filter(|_| direction == Direction::Up);
            let (names, next_id) = match &mut access {
                Some(access) => (&mut access.names, access.link.next_id()),
                None => (&mut audience.names, link.next_id()),
            };
            let id = names.number(next_id, number, &mut audience.counters);
            flow.conversation
                .tell_sent(now, host, id, (&unit, cause), &mut audience.observers[number]);
            match access {
                Some(access) => access.send(now, direction, unit, number, audience),
                None => {
                    link.send(now, direction, Carried::of(unit, number, network), audience);
                }
            }
        }
    }

    /// Hands a packet, which has its name, to the shared link.
    fn send(&mut self, direction: Direction, carried: Carried<C::Unit>) {
        self.events += 1;
        self.link.send(self.now, direction, carried, &mut self.audience);
    }

    /// Hands a unit that comes from the shared link to a flow's access link.
    fn forward(&mut self, name: Name, unit: C::Unit) {
        if let Some(access) = &mut self.flows[name.flow].access {
            self.events += 1;
            access.names.put(access.link.next_id(), name);
            access.send(self.now, Direction::Down, unit, name.flow, &mut self.audience);
        }
    }

    /// Takes what an access link delivers to the client, or on to the shared link.
    fn deliver_access(&mut self, number: usize) {
        let network = self.network;
        if let Some(access) = &mut self.flows[number].access {
            access.advance(self.now, number, &mut self.audience);
        }
        while let Some((name, direction, unit)) = self.pop_access(number) {
            match direction {
                Direction::Down => self.arrive(name, Host::Client, &unit),
                Direction::Up => {
                    self.audience.names.put(self.link.next_id(), name);
                    self.send(Direction::Up, Carried::of(unit, number, network));
                }
            }
        }
    }

    /// The next intact unit that a flow's access link has delivered.
    fn pop_access(&mut self, number: usize) -> Option<(Name, Direction, C::Unit)> {
        let access = self.flows[number].access.as_mut()?;
        while let Some(delivery) = access.link.pop_delivery() {
            let name = access.names.take(delivery.id);
            if let (Some(name), Carried::Of(unit, ..), false) = (name, delivery.packet, delivery.corrupted) {
                return Some((name, delivery.direction, unit));
            }
        }
        None
    }

    /// A packet of those that cross goes out, while any flow is under way.
    fn cross(&mut self, place: usize) {
        let source = &mut self.sources[place];
        let stream = source.stream;
        source.sent();
        let next = if self.under_way > 0 { source.next() } else { Time::NEVER };
        self.wakeups.set(self.flows.len() + place, next);
        self.audience.names.put_nobodys(self.link.next_id());
        self.audience.crossing += 1;
        let number = u32::try_from(place).unwrap_or(u32::MAX);
        self.send(stream.direction, Carried::Crossing(stream.packet, number));
    }

    /// After a flow was touched: when it is due next, and whether it is over.
    #[inline]
    fn settle(&mut self, number: usize) {
        let flow = &mut self.flows[number];
        let before = flow.over;
        let (now, due) = flow.judge();
        flow.over = now;
        self.under_way = self.under_way + usize::from(before != Over::No) - usize::from(now != Over::No);
        self.wakeups.set(number, due);
        if C::MAY_BE_AT_FAULT && now == Over::Broken {
            self.is_broken = true;
        }
    }
}
