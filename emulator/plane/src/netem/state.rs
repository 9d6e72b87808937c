//! What changes of one direction in the course of a run.

use std::collections::BTreeSet;

use windlull_link::Condition;
use windlull_link::model::{Distribution, LinkModel, QueueLimit, RateModel};
use windlull_link::preview::Pace;
use windlull_units::{BitRate, Direction, LinkEvent, Span};

/// The state of one direction at an instant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    /// `None` is infinitely fast.
    pub(crate) rate: Option<BitRate>,
    pub(crate) queue: QueueLimit,
    /// The script's delay, while it has one.
    pub(crate) delay: Option<Span>,
    /// By how much the script keeps back each packet.
    pub(crate) kept_back: Span,
    pub(crate) loss: f64,
    /// Whether nothing leaves the queue.
    pub(crate) stopped: bool,
    holds: BTreeSet<String>,
    outages: BTreeSet<String>,
    /// Which loss processes in time are bad.
    bad: BTreeSet<String>,
}

/// What the script sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Setting {
    Queue(QueueLimit),
    Delay(Option<Span>),
    KeptBack(Span),
    Loss(f64),
}

impl State {
    /// Before anything has happened.
    pub(crate) fn new(model: &LinkModel, direction: Direction) -> Self {
        let path = model.path(direction);
        Self {
            rate: match &path.rate {
                None | Some(RateModel::Trace { .. }) => None,
                Some(RateModel::Constant(rate)) => Some(*rate),
                Some(RateModel::Stepped { steps, .. }) => steps.first().map(|&(_, rate)| rate),
            },
            queue: path.queue.limit(),
            delay: None,
            kept_back: Span::ZERO,
            loss: 0.0,
            stopped: false,
            holds: BTreeSet::new(),
            outages: BTreeSet::new(),
            bad: BTreeSet::new(),
        }
    }

    pub(crate) fn holding(&self) -> bool {
        !self.holds.is_empty()
    }

    pub(crate) fn out(&self) -> bool {
        !self.outages.is_empty()
    }

    pub(crate) fn is_bad(&self, name: &str) -> bool {
        self.bad.contains(name)
    }

    /// The link did something in this direction.
    pub(crate) fn meet(&mut self, event: &LinkEvent) {
        match event {
            LinkEvent::HoldBegan { name, .. } => drop(self.holds.insert(name.clone())),
            LinkEvent::HoldEnded { name, .. } => drop(self.holds.remove(name)),
            LinkEvent::OutageBegan { name, .. } => drop(self.outages.insert(name.clone())),
            LinkEvent::OutageEnded { name, .. } => drop(self.outages.remove(name)),
            LinkEvent::LossState { name, bad: true, .. } => drop(self.bad.insert(name.clone())),
            LinkEvent::LossState { name, bad: false, .. } => drop(self.bad.remove(name)),
            LinkEvent::Rate { rate, .. } => self.rate = *rate,
            // Told in words, or not at all; the script's own settings say it.
            LinkEvent::Delay { .. } | LinkEvent::Changed { .. } | LinkEvent::Allocating { .. } => {}
        }
    }

    /// As the link that is played says, whose own delay this is.
    pub(crate) fn look(&mut self, condition: &Condition, own: &Distribution<Span>) {
        self.rate = match condition.rate {
            Pace::At(rate) => Some(rate),
            // A trace that gives no opportunity is no link of this plane's.
            Pace::Unlimited | Pace::Nothing => None,
        };
        self.queue = condition.queue_limit;
        self.delay = condition
            .propagation
            .filter(|delay| *own != Distribution::Constant(*delay));
        self.kept_back = condition.kept_back;
        self.loss = condition.set_loss;
    }

    pub(crate) fn set(&mut self, setting: Setting) {
        match setting {
            Setting::Queue(limit) => self.queue = limit,
            Setting::Delay(delay) => self.delay = delay,
            Setting::KeptBack(by) => self.kept_back = by,
            Setting::Loss(loss) => self.loss = loss,
        }
    }
}
