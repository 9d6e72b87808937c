//! The state of the link over time, apart from any packet: what is in force in both directions, and loss states.
//!
//! Impairments, the script and hands change it in one way: an [`Effect`] begins, and ends.

use windlull_units::{Direction, LinkEvent, Span, Time};

use crate::LinkObserver;
use crate::effect::{Effect, EffectKind, SpellKind};
use crate::impairment::gilbert_elliott::Chain;
use crate::impairment::handovers::{Handovers, Turn};
use crate::impairment::onset::Renewal;
use crate::impairment::two_state::TwoStates;
use crate::impairment::{Lanes, Passage, Source};
use crate::lane::{Lane, Setter};
use crate::model::LinkModel;
use crate::recording::{self, Player};
use crate::start::Beginning;

/// All processes in time. They turn at their own instants, whatever the traffic.
#[derive(Clone, Debug)]
pub(crate) struct LinkState {
    /// Names of impairments, then that of the recording if there is one, then of script entries.
    names: Vec<String>,
    /// Names from here on are hands'.
    hands: usize,
    lanes: [Lane; 2],
    /// Spells that begin by themselves.
    renewals: Vec<(Effect, Renewal)>,
    states: Vec<TwoStates>,
    chains: Vec<Chain>,
    handovers: Vec<Handovers>,
    /// Spells that packets have begun and that are yet to come, with when they begin and end.
    coming: Vec<(Effect, Time, Time)>,
    /// The recording, and who it is.
    player: Option<(Player, Source)>,
    next: Time,
}

impl LinkState {
    pub(crate) fn new(model: &LinkModel, beginning: Beginning) -> Self {
        let impairments = model.impairments.iter().map(|impairment| impairment.name.clone());
        let script = (1..=model.script.len()).map(|number| format!("script {number}"));
        let recorded = model.recording.as_ref();
        let names: Vec<String> = impairments
            .chain(recorded.map(|_| recording::NAME.to_owned()))
            .chain(script)
            .collect();
        let player = recorded.map(|it| (Player::new(it, beginning), Source(model.impairments.len())));
        Self {
            hands: names.len(),
            names,
            lanes: [Lane::new(&model.down), Lane::new(&model.up)],
            renewals: Vec::new(),
            states: Vec::new(),
            chains: Vec::new(),
            handovers: Vec::new(),
            coming: Vec::new(),
            next: player.as_ref().map_or(Time::NEVER, |(player, _)| player.next()),
            player,
        }
    }

    pub(crate) fn add_renewal(&mut self, effect: Effect, renewal: Renewal) {
        self.next = self.next.min(renewal.next());
        self.renewals.push((effect, renewal));
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

    pub(crate) fn add_handovers(&mut self, handovers: Handovers) -> usize {
        self.next = self.next.min(handovers.next());
        self.handovers.push(handovers);
        self.handovers.len() - 1
    }

    #[inline]
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

    /// Whether these handovers lose packets now.
    pub(crate) fn is_lossy(&self, handovers: usize) -> bool {
        self.handovers[handovers].is_lossy()
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

    /// A packet begins a spell. A hold keeps it and everything after it, from when it would have been delivered; a suspension
    /// or a hold of arrivals lets it pass, and an outage has it as its first victim, all as its last bit is sent.
    pub(crate) fn begin_at_packet(
        &mut self,
        spell: Effect,
        lasts: Option<Span>,
        passage: &Passage,
        observer: &mut impl LinkObserver,
    ) {
        let is_hold = spell.kind == EffectKind::Spell(SpellKind::Hold);
        let from = if is_hold { passage.due } else { passage.now };
        let until = lasts.map_or(Time::NEVER, |lasts| from + lasts);
        if is_hold {
            self.next = self.next.min(from);
            self.coming.push((spell, from, until));
        } else {
            self.begin(spell, from, until, observer);
        }
    }

    /// Something begins.
    pub(crate) fn begin(&mut self, effect: Effect, from: Time, until: Time, observer: &mut impl LinkObserver) {
        let Effect { kind, source, lanes } = effect;
        if let EffectKind::Spell(_) = kind {
            if until <= from {
                return;
            }
            self.next = self.next.min(until);
        }
        for direction in lanes.directions() {
            let lane = &mut self.lanes[direction as usize];
            let event = match kind {
                EffectKind::Spell(kind) => lane.spells(kind).begin(source, until).then(|| {
                    let name = self.names[source.0].clone();
                    match kind {
                        SpellKind::Outage => LinkEvent::OutageBegan { direction, name, until },
                        _ => LinkEvent::HoldBegan { direction, name, until },
                    }
                }),
                EffectKind::Set(value) => {
                    let by_hand = source.0 >= self.hands;
                    let setter = Setter { source, value, by_hand };
                    let is_first = lane.set(setter, until == Time::NEVER);
                    is_first.then(|| lane.apply(&value, direction)).flatten()
                }
            };
            if let Some(event) = event {
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

    /// Something ends, before its time or when its time comes; a spell may have just ended by itself.
    pub(crate) fn end(&mut self, effect: &Effect, now: Time, observer: &mut impl LinkObserver) {
        for direction in effect.lanes.directions() {
            let lane = &mut self.lanes[direction as usize];
            let event = match &effect.kind {
                EffectKind::Spell(kind) => lane
                    .spells(*kind)
                    .end(effect.source, now)
                    .then(|| spell_ended(*kind, direction, &self.names[effect.source.0])),
                EffectKind::Set(value) => {
                    let was_first = lane.unset(effect.source, value);
                    was_first.then(|| lane.apply(value, direction)).flatten()
                }
            };
            if let Some(event) = event {
                observer.link(now, &event);
            }
        }
        self.next = self.first_to_come();
    }

    /// Does what is due: spells end, the recording goes on, then new spells begin, then loss states change.
    pub(crate) fn turn(&mut self, now: Time, observer: &mut impl LinkObserver) {
        self.end_spells(now, observer);
        self.play(now, observer);
        for index in 0..self.renewals.len() {
            let (effect, renewal) = &mut self.renewals[index];
            let (effect, from) = (*effect, renewal.next());
            if from <= now {
                let until = renewal.turn();
                self.begin(effect, from, until, observer);
            }
        }
        while let Some(index) = self.coming.iter().position(|&(_, from, _)| from <= now) {
            let (spell, from, until) = self.coming.remove(index);
            self.begin(spell, from, until, observer);
        }
        for states in &mut self.states {
            if states.next() <= now {
                states.turn();
                let name = &self.names[states.source.0];
                tell_state(name, states.lanes, states.is_bad(), now, observer);
            }
        }
        for index in 0..self.handovers.len() {
            self.hand_over(index, now, observer);
        }
        self.next = self.first_to_come();
    }

    /// Does what is due of these handovers.
    fn hand_over(&mut self, index: usize, now: Time, observer: &mut impl LinkObserver) {
        while let Some(turn) = self.handovers[index].turn(now) {
            let Handovers { source, lanes, .. } = self.handovers[index];
            let (Turn::Begins { delay } | Turn::Handover { delay, .. }) = turn else {
                tell_state(&self.names[source.0], lanes, false, now, observer);
                continue;
            };
            for direction in lanes.directions() {
                if let Some(event) = self.lanes[direction as usize].hand_over(delay, direction) {
                    observer.link(now, &event);
                }
            }
            if let Turn::Handover { held_until, lossy, .. } = turn {
                let kind = EffectKind::Spell(SpellKind::Hold);
                self.begin(Effect { kind, source, lanes }, now, held_until, observer);
                if lossy {
                    tell_state(&self.names[source.0], lanes, true, now, observer);
                }
            }
        }
    }

    fn play(&mut self, now: Time, observer: &mut impl LinkObserver) {
        while let Some((player, source)) = self.player.as_mut().filter(|(player, _)| player.next() <= now) {
            let source = *source;
            for played in player.play(now) {
                let direction = played.direction;
                match played.kind {
                    EffectKind::Spell(_) => {
                        let (kind, lanes) = (played.kind, Lanes::Only(direction));
                        self.begin(Effect { kind, source, lanes }, now, played.until, observer);
                    }
                    EffectKind::Set(value) => {
                        let by_hand = false;
                        let lane = &mut self.lanes[direction as usize];
                        let is_first = lane.record(Setter { source, value, by_hand });
                        if let Some(event) = is_first.then(|| lane.apply(&value, direction)).flatten() {
                            observer.link(now, &event);
                        }
                    }
                }
            }
        }
    }

    fn end_spells(&mut self, now: Time, observer: &mut impl LinkObserver) {
        for direction in Lanes::Both.directions() {
            let lane = &mut self.lanes[direction as usize];
            for kind in SpellKind::ALL {
                while let Some(source) = lane.spells(kind).take_ended(now) {
                    observer.link(now, &spell_ended(kind, direction, &self.names[source.0]));
                }
            }
        }
    }

    fn first_to_come(&self) -> Time {
        let ends = self.lanes.iter().map(Lane::next_end);
        ends.chain(self.renewals.iter().map(|(_, renewal)| renewal.next()))
            .chain(self.coming.iter().map(|&(_, from, _)| from))
            .chain(self.states.iter().map(TwoStates::next))
            .chain(self.handovers.iter().map(Handovers::next))
            .chain(self.player.iter().map(|(player, _)| player.next()))
            .min()
            .unwrap_or(Time::NEVER)
    }
}

fn spell_ended(kind: SpellKind, direction: Direction, name: &str) -> LinkEvent {
    let name = name.to_owned();
    match kind {
        SpellKind::Outage => LinkEvent::OutageEnded { direction, name },
        _ => LinkEvent::HoldEnded { direction, name },
    }
}

fn tell_state(name: &str, lanes: Lanes, bad: bool, now: Time, observer: &mut impl LinkObserver) {
    for direction in lanes.directions() {
        let name = name.to_owned();
        observer.link(now, &LinkEvent::LossState { direction, name, bad });
    }
}
