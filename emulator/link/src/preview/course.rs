//! What a link without packets says and is, gathered by direction.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
#[cfg(feature = "serde")]
use serde::Serialize;
use windlull_units::{Direction, Fate, LinkEvent, Span, Time};

use super::steps::step;
use crate::live::{Condition, Pace};
use crate::model::{LinkModel, PathModel, QueueLimit, RateModel};
use crate::{Link, LinkObserver, NoPacket};

/// What one direction does over time. Steps hold from their instant to the next; the first is at zero.
#[derive(Clone, Debug, PartialEq)]
pub struct PathPreview {
    /// How fast it serialises.
    pub rate: Vec<(Time, Pace)>,
    /// The propagation delay, one way; `None` while each packet draws its own.
    pub delay: Vec<(Time, Option<Span>)>,
    /// What packets draw, if the model has it so.
    pub drawn: Option<Drawn>,
    pub queue: Vec<(Time, QueueLimit)>,
    /// The script's loss, on top of the impairments'.
    pub loss: Vec<(Time, f64)>,
    /// By how much the script keeps back each packet.
    pub kept_back: Vec<(Time, Span)>,
    /// Holds, outages and bad states, in the order in which they begin.
    pub spells: Vec<Spell>,
}

/// Quantiles of the delays that the first [`DRAWS`](super::DRAWS) packets of a direction draw, each from the path's own
/// stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// One in twenty is at most this.
    pub p5: Span,
    /// One in two is at most this.
    pub p50: Span,
    /// Nineteen in twenty are at most this.
    pub p95: Span,
}

/// A time in which a direction is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spell {
    pub kind: SpellKind,
    /// Whose: the impairment's name, or `script N`.
    pub name: String,
    pub from: Time,
    /// Its end, as drawn, be it after [`Preview::until`](super::Preview::until); `None` if it lasts to the end of the
    /// run, or if a bad state was not over by then.
    pub until: Option<Time>,
}

/// In what way a direction is not as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "lowercase"))]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub enum SpellKind {
    /// It delivers nothing, and keeps everything.
    Hold,
    Outage,
    /// A process with two states in time is in the bad one.
    Bad,
}

/// Both directions so far.
pub(super) struct Course([Path; 2]);

struct Path {
    preview: PathPreview,
    /// Which of the spells are not over yet.
    open: Vec<usize>,
}

impl Course {
    /// At the start of the run, before anything has happened.
    pub(super) fn new(model: &LinkModel, link: &Link<NoPacket>) -> Self {
        let paths = [(Direction::Down, &model.down), (Direction::Up, &model.up)];
        Self(paths.map(|(direction, path)| Path::new(path, &link.condition(direction))))
    }

    /// Takes in what is in force after all that happened at `now`.
    pub(super) fn look(&mut self, now: Time, link: &Link<NoPacket>) {
        for direction in Direction::ALL {
            self.0[direction as usize].look(now, &link.condition(direction));
        }
    }

    /// All that was gathered.
    pub(super) fn finish(self) -> [PathPreview; 2] {
        self.0.map(|path| path.preview)
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
            LinkEvent::Rate { rate, .. } => step(&mut path.preview.rate, now, rate.map_or(Pace::Nothing, Pace::At)),
            // Told in words; `look` sees what they mean.
            LinkEvent::Delay { .. } | LinkEvent::Changed { .. } | LinkEvent::Allocating { .. } => {}
        }
    }
}

impl Path {
    fn new(model: &PathModel, condition: &Condition) -> Self {
        let rate = match &model.rate {
            None => Some(Pace::Unlimited),
            Some(RateModel::Constant(rate)) => Some(Pace::At(*rate)),
            // The link itself tells them from its first instant on.
            Some(RateModel::Stepped { .. } | RateModel::Trace { .. }) => None,
        };
        Self {
            preview: PathPreview {
                rate: rate.map(|pace| (Time::ZERO, pace)).into_iter().collect(),
                delay: vec![(Time::ZERO, condition.propagation)],
                drawn: None,
                queue: vec![(Time::ZERO, condition.queue_limit)],
                loss: vec![(Time::ZERO, condition.set_loss)],
                kept_back: vec![(Time::ZERO, condition.kept_back)],
                spells: Vec::new(),
            },
            open: Vec::new(),
        }
    }

    fn look(&mut self, now: Time, condition: &Condition) {
        let preview = &mut self.preview;
        if condition.rate == Pace::Unlimited {
            step(&mut preview.rate, now, Pace::Unlimited);
        }
        step(&mut preview.delay, now, condition.propagation);
        step(&mut preview.queue, now, condition.queue_limit);
        step(&mut preview.loss, now, condition.set_loss);
        step(&mut preview.kept_back, now, condition.kept_back);
    }

    /// A spell begins, or one of the same name that is on already lasts longer.
    fn begin(&mut self, kind: SpellKind, name: &str, from: Time, until: Option<Time>) {
        if let Some(place) = self.open_one(kind, name) {
            self.preview.spells[self.open[place]].until = until;
            return;
        }
        self.open.push(self.preview.spells.len());
        self.preview.spells.push(Spell {
            kind,
            name: name.to_owned(),
            from,
            until,
        });
    }

    fn end(&mut self, kind: SpellKind, name: &str, at: Time) {
        if let Some(place) = self.open_one(kind, name) {
            let spell = self.open.swap_remove(place);
            self.preview.spells[spell].until = Some(at);
        }
    }

    fn open_one(&self, kind: SpellKind, name: &str) -> Option<usize> {
        let is_it = |&spell: &usize| {
            let spell = &self.preview.spells[spell];
            spell.kind == kind && spell.name == name
        };
        self.open.iter().position(is_it)
    }
}
