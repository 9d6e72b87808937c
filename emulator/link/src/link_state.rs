//! The state of the link over time, apart from any packet: holds, suspensions, outages, loss states, in both directions.

use windlull_units::{Direction, LinkEvent, Span, Time};

use crate::LinkObserver;
use crate::impairment::gilbert_elliott::Chain;
use crate::impairment::onset::Renewal;
use crate::impairment::two_state::TwoStates;
use crate::impairment::window::Windows;
use crate::impairment::{Lanes, Source, Spell, SpellKind};

/// All processes in time. They turn at their own instants, whatever the traffic.
#[derive(Clone, Debug)]
pub(crate) struct LinkState {
    /// Names of impairments, then of script entries.
    names: Vec<String>,
    lanes: [Lane; 2],
    renewals: Vec<RenewingSpell>,
    states: Vec<TwoStates>,
    chains: Vec<Chain>,
    /// Spells that packets have begun and that are yet to come.
    coming: Vec<Spell>,
    next: Time,
}

/// The state of one direction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lane {
    pub(crate) holds: Windows,
    pub(crate) suspensions: Windows,
    pub(crate) holds_of_arrivals: Windows,
    pub(crate) outages: Windows,
    pub(crate) loss: f64,
    /// By how much the script keeps back each packet.
    pub(crate) kept_back: Span,
}

/// Until when a direction keeps what it has; in the past if nothing keeps it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gates {
    /// Nothing comes into the queue before.
    pub(crate) entry: Time,
    /// Nothing goes into service before.
    pub(crate) service: Time,
    /// Nothing is delivered before.
    pub(crate) delivery: Time,
}

impl Lane {
    pub(crate) const fn gates(&self) -> Gates {
        Gates {
            entry: self.holds_of_arrivals.until(),
            service: self.suspensions.until(),
            delivery: self.holds.until(),
        }
    }

    /// Whose hold, of any kind, ends by `now`, if any does.
    fn take_ended_hold(&mut self, now: Time) -> Option<Source> {
        let mut kinds = [&mut self.holds, &mut self.suspensions, &mut self.holds_of_arrivals].into_iter();
        kinds.find_map(|windows| windows.take_ended(now))
    }

    /// Whether a hold of any kind is on.
    pub(crate) fn is_held(&self, now: Time) -> bool {
        self.holds.is_open(now) || self.suspensions.is_open(now) || self.holds_of_arrivals.is_open(now)
    }
}

#[derive(Clone, Debug)]
struct RenewingSpell {
    kind: SpellKind,
    source: Source,
    lanes: Lanes,
    renewal: Renewal,
}

impl LinkState {
    pub(crate) fn new(names: Vec<String>) -> Self {
        Self {
            names,
            lanes: [Lane::default(), Lane::default()],
            renewals: Vec::new(),
            states: Vec::new(),
            chains: Vec::new(),
            coming: Vec::new(),
            next: Time::NEVER,
        }
    }

    pub(crate) fn add_renewal(&mut self, kind: SpellKind, source: Source, lanes: Lanes, renewal: Renewal) {
        self.next = self.next.min(renewal.next());
        self.renewals.push(RenewingSpell {
            kind,
            source,
            lanes,
            renewal,
        });
    }

    pub(crate) fn add_states(&mut self, states: TwoStates) -> usize {
        self.next = self.next.min(states.next());
        self.states.push(states);
        self.states.len() - 1
    }

    pub(crate) fn add_chain(&mut self, chain: Chain) -> usize {
        self.chains.push(chain);
        self.chains.len() - 1
    }

    pub(crate) const fn lane(&self, direction: Direction) -> &Lane {
        &self.lanes[direction as usize]
    }

    pub(crate) const fn lane_mut(&mut self, direction: Direction) -> &mut Lane {
        &mut self.lanes[direction as usize]
    }

    /// When [`Self::turn`] wants to be called.
    pub(crate) const fn next(&self) -> Time {
        self.next
    }

    /// Whether these states are bad now.
    pub(crate) fn is_bad(&self, states: usize) -> bool {
        self.states[states].is_bad()
    }

    /// Whether this chain was bad after the last packet.
    pub(crate) fn chain_is_bad(&self, chain: usize) -> bool {
        self.chains[chain].bad
    }

    /// A packet steps this chain; whether it then is in the bad state.
    pub(crate) fn step_chain(
        &mut self,
        chain: usize,
        now: Time,
        again: bool,
        observer: &mut impl LinkObserver,
    ) -> bool {
        let chain = &mut self.chains[chain];
        if chain.step(again) {
            let name = &self.names[chain.source.0];
            tell_state(name, chain.lanes, chain.bad, now, observer);
        }
        chain.bad
    }

    /// A spell will begin at its time, now or later.
    pub(crate) fn announce(&mut self, spell: Spell) {
        self.next = self.next.min(spell.from);
        self.coming.push(spell);
    }

    /// A spell begins.
    pub(crate) fn begin(&mut self, spell: Spell, observer: &mut impl LinkObserver) {
        let Spell {
            kind,
            source,
            lanes,
            from,
            until,
        } = spell;
        if until <= from {
            return;
        }
        self.next = self.next.min(until);
        for direction in lanes.directions() {
            let lane = &mut self.lanes[direction as usize];
            if windows(lane, kind).begin(source, until) {
                let name = self.names[source.0].clone();
                let event = match kind {
                    SpellKind::Hold | SpellKind::Suspension | SpellKind::HoldOfArrivals => {
                        LinkEvent::HoldBegan { direction, name, until }
                    }
                    SpellKind::Outage => LinkEvent::OutageBegan { direction, name, until },
                };
                observer.link(from, &event);
            }
        }
    }

    /// What this source's spells are told under from now on.
    pub(crate) fn call(&mut self, source: Source, name: String) {
        let Source(place) = source;
        if place == self.names.len() {
            self.names.push(name);
        } else {
            self.names[place] = name;
        }
    }

    /// A spell ends before its time, or when its time comes, or has just ended by itself.
    pub(crate) fn end(
        &mut self,
        kind: SpellKind,
        source: Source,
        lanes: Lanes,
        now: Time,
        observer: &mut impl LinkObserver,
    ) {
        for direction in lanes.directions() {
            let lane = &mut self.lanes[direction as usize];
            let (windows, name) = (windows(lane, kind), self.names[source.0].clone());
            if windows.end(source, now) {
                let event = match kind {
                    SpellKind::Hold | SpellKind::Suspension | SpellKind::HoldOfArrivals => {
                        LinkEvent::HoldEnded { direction, name }
                    }
                    SpellKind::Outage => LinkEvent::OutageEnded { direction, name },
                };
                observer.link(now, &event);
            }
        }
        self.next = self.first_to_come();
    }

    /// Does what is due: spells end, then new ones begin, then loss states change.
    pub(crate) fn turn(&mut self, now: Time, observer: &mut impl LinkObserver) {
        self.end_spells(now, observer);
        for index in 0..self.renewals.len() {
            let RenewingSpell {
                kind, source, lanes, ..
            } = self.renewals[index];
            let renewal = &mut self.renewals[index].renewal;
            let from = renewal.next();
            if from <= now {
                let until = renewal.turn();
                self.begin(
                    Spell {
                        kind,
                        source,
                        lanes,
                        from,
                        until,
                    },
                    observer,
                );
            }
        }
        while let Some(index) = self.coming.iter().position(|spell| spell.from <= now) {
            let spell = self.coming.remove(index);
            self.begin(spell, observer);
        }
        for states in &mut self.states {
            if states.next() <= now {
                states.turn();
                let name = &self.names[states.source.0];
                tell_state(name, states.lanes, states.is_bad(), now, observer);
            }
        }
        self.next = self.first_to_come();
    }

    fn end_spells(&mut self, now: Time, observer: &mut impl LinkObserver) {
        for direction in Lanes::Both.directions() {
            let lane = &mut self.lanes[direction as usize];
            while let Some(source) = lane.take_ended_hold(now) {
                let name = self.names[source.0].clone();
                observer.link(now, &LinkEvent::HoldEnded { direction, name });
            }
            while let Some(source) = lane.outages.take_ended(now) {
                let name = self.names[source.0].clone();
                observer.link(now, &LinkEvent::OutageEnded { direction, name });
            }
        }
    }

    fn first_to_come(&self) -> Time {
        let ends = self
            .lanes
            .iter()
            .flat_map(|lane| [&lane.holds, &lane.suspensions, &lane.holds_of_arrivals, &lane.outages])
            .map(Windows::next_end);
        ends.chain(self.renewals.iter().map(|spell| spell.renewal.next()))
            .chain(self.coming.iter().map(|spell| spell.from))
            .chain(self.states.iter().map(TwoStates::next))
            .min()
            .unwrap_or(Time::NEVER)
    }
}

const fn windows(lane: &mut Lane, kind: SpellKind) -> &mut Windows {
    match kind {
        SpellKind::Hold => &mut lane.holds,
        SpellKind::Suspension => &mut lane.suspensions,
        SpellKind::HoldOfArrivals => &mut lane.holds_of_arrivals,
        SpellKind::Outage => &mut lane.outages,
    }
}

fn tell_state(name: &str, lanes: Lanes, bad: bool, now: Time, observer: &mut impl LinkObserver) {
    for direction in lanes.directions() {
        let name = name.to_owned();
        observer.link(now, &LinkEvent::LossState { direction, name, bad });
    }
}
