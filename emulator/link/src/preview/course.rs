//! What a link without packets says and is, gathered by direction.

use windlull_units::{Direction, Fate, LinkEvent, Time};

use super::steps::step;
use super::{Pace, PathPreview, Spell, SpellKind};
use crate::link::InForce;
use crate::model::{LinkModel, PathModel, RateModel};
use crate::{Link, LinkObserver, NoPacket};

/// Both directions so far.
pub(super) struct Course([Path; 2]);

struct Path {
    told: PathPreview,
    /// Which of the spells are not over yet.
    open: Vec<usize>,
}

impl Course {
    /// At the start of the run, before anything has happened.
    pub(super) fn new(model: &LinkModel, link: &Link<NoPacket>) -> Self {
        let paths = [(Direction::Down, &model.down), (Direction::Up, &model.up)];
        Self(paths.map(|(direction, path)| Path::new(path, &link.in_force(direction))))
    }

    /// Takes in what is in force after all that happened at `now`.
    pub(super) fn look(&mut self, now: Time, link: &Link<NoPacket>) {
        for direction in [Direction::Down, Direction::Up] {
            self.0[direction as usize].look(now, &link.in_force(direction));
        }
    }

    /// All that was gathered.
    pub(super) fn finish(self) -> [PathPreview; 2] {
        self.0.map(|path| path.told)
    }
}

impl LinkObserver for Course {
    fn fate(&mut self, _: &Fate) {}

    fn link(&mut self, now: Time, event: &LinkEvent) {
        let path = &mut self.0[event.direction() as usize];
        match event {
            LinkEvent::HoldBegan { name, until, .. } => path.begin(SpellKind::Hold, name, now, until.unless_never()),
            LinkEvent::OutageBegan { name, until, .. } => {
                path.begin(SpellKind::Outage, name, now, until.unless_never());
            }
            LinkEvent::LossState { name, bad: true, .. } => path.begin(SpellKind::Bad, name, now, None),
            LinkEvent::HoldEnded { name, .. } => path.end(SpellKind::Hold, name, now),
            LinkEvent::OutageEnded { name, .. } => path.end(SpellKind::Outage, name, now),
            LinkEvent::LossState { name, bad: false, .. } => path.end(SpellKind::Bad, name, now),
            LinkEvent::Rate { rate, .. } => step(&mut path.told.rate, now, rate.map_or(Pace::Nothing, Pace::At)),
            // Told in words; `look` sees what they mean.
            LinkEvent::Delay { .. } | LinkEvent::Changed { .. } | LinkEvent::Allocating { .. } => {}
        }
    }
}

impl Path {
    fn new(model: &PathModel, in_force: &InForce) -> Self {
        let rate = match &model.rate {
            None => Some(Pace::Unlimited),
            Some(RateModel::Constant(rate)) => Some(Pace::At(*rate)),
            // The link itself tells them from its first instant on.
            Some(RateModel::Stepped { .. } | RateModel::Trace { .. }) => None,
        };
        Self {
            told: PathPreview {
                rate: rate.map(|pace| (Time::ZERO, pace)).into_iter().collect(),
                delay: vec![(Time::ZERO, in_force.delay)],
                drawn: None,
                queue: vec![(Time::ZERO, in_force.queue)],
                loss: vec![(Time::ZERO, in_force.loss)],
                kept_back: vec![(Time::ZERO, in_force.kept_back)],
                spells: Vec::new(),
            },
            open: Vec::new(),
        }
    }

    fn look(&mut self, now: Time, in_force: &InForce) {
        let told = &mut self.told;
        if in_force.unlimited {
            step(&mut told.rate, now, Pace::Unlimited);
        }
        step(&mut told.delay, now, in_force.delay);
        step(&mut told.queue, now, in_force.queue);
        step(&mut told.loss, now, in_force.loss);
        step(&mut told.kept_back, now, in_force.kept_back);
    }

    /// A spell begins, or one of the same name that is on already lasts longer.
    fn begin(&mut self, kind: SpellKind, name: &str, from: Time, until: Option<Time>) {
        if let Some(place) = self.open_one(kind, name) {
            self.told.spells[self.open[place]].until = until;
            return;
        }
        self.open.push(self.told.spells.len());
        self.told.spells.push(Spell {
            kind,
            name: name.to_owned(),
            from,
            until,
        });
    }

    fn end(&mut self, kind: SpellKind, name: &str, at: Time) {
        if let Some(place) = self.open_one(kind, name) {
            let spell = self.open.swap_remove(place);
            self.told.spells[spell].until = Some(at);
        }
    }

    fn open_one(&self, kind: SpellKind, name: &str) -> Option<usize> {
        let is_it = |&spell: &usize| {
            let spell = &self.told.spells[spell];
            spell.kind == kind && spell.name == name
        };
        self.open.iter().position(is_it)
    }
}
