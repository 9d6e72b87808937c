//! What is in force in one direction: spells that are on, and values that are set.

use std::mem::discriminant;

use windlull_units::{BitRate, Direction, LinkEvent, Span, Time};

use crate::delay::DelaysInForce;
use crate::distribution::Sampler;
use crate::effect::{SpellKind, Value};
use crate::impairment::Source;
use crate::impairment::window::Windows;
use crate::model::{PathModel, QueueLimit};

/// What is in force in one direction, whoever wrote it.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    /// By kind.
    spells: [Windows; SpellKind::ALL.len()],
    /// Who sets what: the script's entries in order, then hands in order. Of one value the last is in force.
    setters: Vec<Setter>,
    /// The rate, if another is in force than the serialiser works at; in it `None` for the model's.
    pub(crate) new_rate: Option<Option<BitRate>>,
    pub(crate) delays: DelaysInForce,
    pub(crate) loss: f64,
    pub(crate) queue: QueueLimit,
    pub(crate) kept_back: Span,
    /// The model's delay, if it is always the same, and its queue's limit.
    model: (Option<Span>, QueueLimit),
}

/// Who has set something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setter {
    pub(crate) source: Source,
    pub(crate) value: Value,
    /// A hand goes before the script.
    pub(crate) by_hand: bool,
}

impl Lane {
    pub(crate) fn new(path: &PathModel) -> Self {
        let queue = path.queue.limit();
        Self {
            spells: Default::default(),
            setters: Vec::new(),
            new_rate: None,
            delays: DelaysInForce::default(),
            loss: 0.0,
            queue,
            kept_back: Span::ZERO,
            model: (Sampler::new(&path.delay).constant(), queue),
        }
    }

    /// Nothing comes into the queue before; in the past if nothing keeps it.
    #[inline]
    pub(crate) const fn entry(&self) -> Time {
        self.spells[SpellKind::HoldOfArrivals as usize].until()
    }

    /// Nothing goes into service before.
    #[inline]
    pub(crate) const fn service(&self) -> Time {
        self.spells[SpellKind::Suspension as usize].until()
    }

    /// Nothing is delivered before.
    #[inline]
    pub(crate) const fn delivery(&self) -> Time {
        self.spells[SpellKind::Hold as usize].until()
    }

    /// Whether a hold of any kind is on.
    pub(crate) fn is_held(&self, now: Time) -> bool {
        self.entry().max(self.service()).max(self.delivery()) > now
    }

    /// Whether it loses everything.
    #[inline]
    pub(crate) fn is_out(&self, now: Time) -> bool {
        self.spells[SpellKind::Outage as usize].is_open(now)
    }

    /// The delay of packets yet to be sent, if it is the same for all of them.
    pub(crate) fn delay(&self) -> Option<Span> {
        (self.delays.set.or(self.model.0)).map(|delay| delay + self.delays.of_path)
    }

    pub(crate) const fn spells(&mut self, kind: SpellKind) -> &mut Windows {
        &mut self.spells[kind as usize]
    }

    /// When the next spell ends.
    pub(crate) fn next_end(&self) -> Time {
        self.spells.iter().map(Windows::next_end).min().unwrap_or(Time::NEVER)
    }

    /// Somebody sets a value; whether it is in force now. One of the script that `stays` covers the script's others for good.
    pub(crate) fn set(&mut self, setter: Setter, stays: bool) -> bool {
        let place = if setter.by_hand {
            self.setters.len()
        } else {
            self.setters
                .retain(|other| other.by_hand || !other.sets(&setter.value) || !stays && other.source != setter.source);
            self.setters.partition_point(|other| !other.by_hand)
        };
        self.setters.insert(place, setter);
        self.setter(&setter.value)
            .is_some_and(|first| first.source == setter.source)
    }

    /// The recording plays a value: under all that the script and hands set. Whether it is in force now.
    pub(crate) fn record(&mut self, setter: Setter) -> bool {
        self.setters
            .retain(|other| other.source != setter.source || !other.sets(&setter.value));
        self.setters.insert(0, setter);
        self.setter(&setter.value)
            .is_some_and(|first| first.source == setter.source)
    }

    /// Somebody gives it back; whether another value is in force now.
    pub(crate) fn unset(&mut self, source: Source, value: &Value) -> bool {
        let was_first = self.setter(value).is_some_and(|first| first.source == source);
        self.setters
            .retain(|other| other.source != source || !other.sets(value));
        was_first
    }

    /// Puts in force what the first setter of this value sets, else what the model has. What observers are told of it; a rate
    /// is told by the serialiser.
    pub(crate) fn apply(&mut self, given: &Value, direction: Direction) -> Option<LinkEvent> {
        let setter = self.setter(given);
        let (value, is_set) = (setter.map_or(*given, |setter| setter.value), setter.is_some());
        let what = match value {
            Value::Rate(rate) => {
                self.new_rate = Some(is_set.then_some(rate));
                return None;
            }
            Value::Delay(delay) => {
                let before = self.delay();
                self.delays.set = is_set.then_some(delay);
                let delay = self.delay();
                return Some(LinkEvent::Delay {
                    direction,
                    delay,
                    before,
                });
            }
            Value::Loss(probability) => {
                self.loss = if is_set { probability } else { 0.0 };
                format!("loss = {}", self.loss)
            }
            Value::KeptBack(by) => {
                self.kept_back = if is_set { by } else { Span::ZERO };
                format!("packets kept back by {}", self.kept_back)
            }
            Value::Queue(limit) => {
                self.queue = if is_set { limit } else { self.model.1 };
                match self.queue {
                    QueueLimit::Unlimited => "queue = unlimited".to_owned(),
                    QueueLimit::Packets(most) => format!("queue = {most} packets"),
                    QueueLimit::Bytes(most) => format!("queue = {most}"),
                }
            }
        };
        Some(LinkEvent::Changed { direction, what })
    }

    /// The path becomes one that adds `of_path` to the delay of packets yet to be sent. What observers are told, if that changes
    /// anything.
    pub(crate) fn hand_over(&mut self, of_path: Span, direction: Direction) -> Option<LinkEvent> {
        let before = self.delay();
        let replaced = std::mem::replace(&mut self.delays.of_path, of_path);
        (replaced != of_path).then(|| match self.delay() {
            delay @ Some(_) => LinkEvent::Delay {
                direction,
                delay,
                before,
            },
            None => LinkEvent::Changed {
                direction,
                what: format!("delay + {of_path}"),
            },
        })
    }

    /// Whose value is in force; `None`: the model's.
    fn setter(&self, value: &Value) -> Option<&Setter> {
        self.setters.iter().rev().find(|setter| setter.sets(value))
    }
}

impl Setter {
    fn sets(&self, value: &Value) -> bool {
        discriminant(&self.value) == discriminant(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first source that is a hand.
    const HAND: usize = 7;

    fn lane() -> Lane {
        Lane::new(&PathModel::plain(None, Span::ZERO))
    }

    /// `by` sets a loss of its own; whether that is in force now.
    fn set(lane: &mut Lane, by: usize, stays: bool) -> bool {
        let setter = Setter {
            source: Source(by),
            value: Value::Loss(loss_of(by)),
            by_hand: by >= HAND,
        };
        lane.set(setter, stays)
    }

    /// `by` gives its loss back; which one is in force now, if it is another.
    fn unset(lane: &mut Lane, by: usize) -> Option<f64> {
        let value = Value::Loss(loss_of(by));
        lane.unset(Source(by), &value).then(|| {
            lane.apply(&value, Direction::Down);
            lane.loss
        })
    }

    const fn loss_of(by: usize) -> f64 {
        [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9][by]
    }

    #[test]
    fn only_the_last_setter_gives_back() {
        let (mut down, mut up) = (lane(), lane());
        assert!(set(&mut down, 0, false));
        assert!(set(&mut down, 1, false));
        assert_eq!(unset(&mut down, 0), None);
        assert_eq!(unset(&mut up, 1), None);
        assert_eq!(unset(&mut down, 1), Some(0.0));
        assert_eq!(unset(&mut down, 1), None);
    }

    #[test]
    fn what_ends_gives_back_to_what_is_still_in_force() {
        let mut lane = lane();
        for (by, stays) in [(0, true), (1, false), (2, false)] {
            assert!(set(&mut lane, by, stays));
        }
        assert_eq!(unset(&mut lane, 2), Some(loss_of(1)));
        // One that stays covers all before it for good, whatever ends later.
        assert!(set(&mut lane, 3, true));
        assert_eq!(unset(&mut lane, 1), None);
        let setters: Vec<Source> = lane.setters.iter().map(|setter| setter.source).collect();
        assert_eq!(setters, [Source(3)]);
    }

    #[test]
    fn what_is_recorded_is_under_what_the_script_sets() {
        let mut lane = lane();
        let recorded = |loss| Setter {
            source: Source(5),
            value: Value::Loss(loss),
            by_hand: false,
        };
        assert!(lane.record(recorded(0.01)));
        assert!(set(&mut lane, 0, false));
        assert!(!lane.record(recorded(0.02)), "the script's is in force");
        assert_eq!(unset(&mut lane, 0), Some(0.02));
        assert!(lane.record(recorded(0.03)));
        // What the script sets for good covers it for good.
        assert!(set(&mut lane, 1, true));
        assert!(!lane.record(recorded(0.04)));
    }

    #[test]
    fn a_hand_goes_before_the_script_and_the_last_hand_before_the_others() {
        let mut lane = lane();
        assert!(set(&mut lane, HAND, false));
        assert!(!set(&mut lane, 0, false), "the script waits");
        assert!(set(&mut lane, HAND + 1, false));
        assert_eq!(unset(&mut lane, HAND + 1), Some(loss_of(HAND)));
        assert_eq!(unset(&mut lane, HAND), Some(loss_of(0)));
        assert_eq!(unset(&mut lane, 0), Some(0.0));
    }
}
