//! What changes of one direction in the course of a run.

use std::collections::BTreeSet;

use windlull_link::model::{Distribution, LinkModel, QueueLimit, RateModel};
use windlull_link::preview::Pace;
use windlull_link::{Condition, Link, LinkObserver, NoPacket};
use windlull_units::{BitRate, Direction, Fate, LinkEvent, Span, Time};

/// The state of one direction at an instant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    /// `None` is infinitely fast.
    pub(crate) rate: Option<BitRate>,
    pub(crate) queue: QueueLimit,
    /// The delay that is set, if it is not the model's own.
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

/// What happens to a link that is played without packets.
#[derive(Default)]
pub(super) struct Seen(pub(super) Vec<LinkEvent>);

impl LinkObserver for Seen {
    fn fate(&mut self, _: &Fate) {}

    fn link(&mut self, _: Time, event: &LinkEvent) {
        self.0.push(event.clone());
    }
}

/// Makes the states those of the played link, to which this has happened. `own`: the model's delays, down and up.
pub(super) fn follow(states: &mut [State; 2], seen: &Seen, link: &Link<NoPacket>, own: &[Distribution<Span>; 2]) {
    for event in &seen.0 {
        states[event.direction() as usize].meet(event);
    }
    for direction in Direction::ALL {
        states[direction as usize].look(&link.condition(direction), &own[direction as usize]);
    }
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
    fn meet(&mut self, event: &LinkEvent) {
        match event {
            LinkEvent::HoldBegan { name, .. } => drop(self.holds.insert(name.clone())),
            LinkEvent::HoldEnded { name, .. } => drop(self.holds.remove(name)),
            LinkEvent::OutageBegan { name, .. } => drop(self.outages.insert(name.clone())),
            LinkEvent::OutageEnded { name, .. } => drop(self.outages.remove(name)),
            LinkEvent::LossState { name, bad: true, .. } => drop(self.bad.insert(name.clone())),
            LinkEvent::LossState { name, bad: false, .. } => drop(self.bad.remove(name)),
            // The link's condition says it.
            LinkEvent::Rate { .. }
            | LinkEvent::Delay { .. }
            | LinkEvent::Changed { .. }
            | LinkEvent::Allocating { .. } => {}
        }
    }

    /// As the link that is played says, whose own delay this is.
    fn look(&mut self, condition: &Condition, own: &Distribution<Span>) {
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
}
