//! What happens once: at an instant, at chosen packets, when the transport meets a condition, or when somebody says so.
//!
//! What a hand changes is an entry that is written while the link runs: it begins, lasts and ends as the others do.

use std::collections::VecDeque;

use windlull_units::{Direction, Span, Time, UnmetCondition};

use crate::effect::EffectKind;
use crate::impairment::{Lanes, instances};
use crate::model::{Action, Scope, ScriptEntry, Trigger};

/// Who may change a link while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    /// The model's own script alone.
    Script,
    /// Also a hand: anything may be set at any time.
    Hand,
}

/// The number of a change, as its maker counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangeId(pub u64);

/// The script, played from the start of the run.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    /// Those of the file, then those by hand. A place of the latter is used again when its change is over.
    entries: Vec<ScriptEntry>,
    /// How many are the file's.
    written: usize,
    /// Whether any of these waits for the transport, from the start of the run.
    waits: bool,
    /// Whose change stands in each place behind the file's; `None` if it is free.
    hands: Vec<Option<ChangeId>>,
    /// What is to do, by time; at one instant beginnings before ends, then in order of the file.
    agenda: VecDeque<Item>,
}

/// Something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) at: Time,
    pub(crate) entry: usize,
    pub(crate) lanes: Lanes,
    pub(crate) edge: Edge,
}

/// The two parts of an entry that lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Edge {
    Begin,
    End,
}

impl Script {
    pub(crate) fn new(entries: &[ScriptEntry]) -> Self {
        let mut script = Self {
            entries: entries.to_vec(),
            written: entries.len(),
            waits: entries
                .iter()
                .any(|entry| matches!(entry.trigger, Trigger::Transport { .. })),
            hands: Vec::new(),
            agenda: VecDeque::new(),
        };
        for (entry, written) in entries.iter().enumerate() {
            if let Trigger::At { at, .. } = written.trigger {
                for lanes in instances(written.scope) {
                    script.plan(at, entry, lanes);
                }
            }
        }
        script
    }

    /// Entry `entry` acts at `at`, and for as long as it lasts.
    pub(crate) fn plan(&mut self, at: Time, entry: usize, lanes: Lanes) {
        self.insert(Item {
            at,
            entry,
            lanes,
            edge: Edge::Begin,
        });
        // Spells end by themselves; but the place of a change by hand is free then.
        if self.is_by_hand(entry) || matches!((&self.entries[entry].action).into(), EffectKind::Set(_)) {
            if let Some(lasts) = self.lasts(entry) {
                self.insert(Item {
                    at: at + lasts,
                    entry,
                    lanes,
                    edge: Edge::End,
                });
            }
        }
    }

    /// When something is to be done next.
    pub(crate) fn next(&self) -> Time {
        self.agenda.front().map_or(Time::NEVER, |item| item.at)
    }

    /// What is to be done now, one after another.
    pub(crate) fn take(&mut self, now: Time) -> Option<Item> {
        self.agenda.front().filter(|item| item.at <= now)?;
        let item = self.agenda.pop_front()?;
        let entry = &mut self.entries[item.entry];
        if let Trigger::Transport { lasts, .. } = entry.trigger {
            // It comes once: from now on it is an entry of this instant.
            entry.trigger = Trigger::At { at: item.at, lasts };
        }
        Some(item)
    }

    /// An entry that waits for a transport acts at `at`, and not when it was to before; at [`Time::NEVER`] it waits on.
    /// False if it does not wait, or no longer.
    pub(crate) fn trigger(&mut self, at: Time, entry: usize) -> bool {
        let Some(written) = self.entries[..self.written].get(entry) else {
            return false;
        };
        let (Trigger::Transport { .. }, scope) = (&written.trigger, written.scope) else {
            return false;
        };
        self.agenda.retain(|item| item.entry != entry);
        if at < Time::NEVER {
            for lanes in instances(scope) {
                self.plan(at, entry, lanes);
            }
        }
        true
    }

    /// The file's entries that wait for the transport still; `None` if none ever did.
    pub(crate) fn unmet(&self) -> Option<Vec<UnmetCondition>> {
        let numbered = (1..).zip(&self.entries[..self.written]);
        let waiting = numbered.filter_map(|(entry, written)| match written.trigger {
            Trigger::Transport { when, .. } => Some(UnmetCondition {
                entry,
                condition: when.to_string(),
            }),
            Trigger::At { .. } | Trigger::Packets { .. } => None,
        });
        self.waits.then(|| waiting.collect())
    }

    pub(crate) fn action(&self, entry: usize) -> &Action {
        &self.entries[entry].action
    }

    /// How long an entry lasts; `None`: until the end of the run, or no time at all, as the action has it.
    pub(crate) fn lasts(&self, entry: usize) -> Option<Span> {
        self.entries[entry].trigger.lasts()
    }

    /// Where an entry acts that a packet of `direction` triggers.
    pub(crate) fn lanes_from(&self, entry: usize, direction: Direction) -> Lanes {
        match self.entries[entry].scope {
            Scope::One(_) | Scope::Each => Lanes::Only(direction),
            Scope::Shared => Lanes::Both,
        }
    }

    /// Puts a change by hand into a free place, from where it acts at `at`; says which place.
    pub(crate) fn add(&mut self, at: Time, change: ChangeId, entry: ScriptEntry) -> usize {
        let free = self.hands.iter().position(Option::is_none);
        let place = free.unwrap_or(self.hands.len());
        if free.is_none() {
            self.hands.push(None);
            self.entries.push(entry.clone());
        }
        self.hands[place] = Some(change);
        let number = self.written + place;
        self.entries[number] = entry;
        for lanes in instances(self.entries[number].scope) {
            self.plan(at, number, lanes);
        }
        number
    }

    /// A change by hand is to end at `at`, whenever it was to. False if there is none of this number.
    pub(crate) fn end_at(&mut self, at: Time, change: ChangeId) -> bool {
        let Some(place) = self.hands.iter().position(|&other| other == Some(change)) else {
            return false;
        };
        let entry = self.written + place;
        self.agenda.retain(|item| item.entry != entry);
        for lanes in instances(self.entries[entry].scope) {
            self.insert(Item {
                at,
                entry,
                lanes,
                edge: Edge::End,
            });
        }
        true
    }

    /// An entry is over: if it was by hand, its place is free, unless it is yet to end elsewhere.
    pub(crate) fn free(&mut self, entry: usize) {
        if let Some(place) = entry.checked_sub(self.written) {
            if !self.agenda.iter().any(|item| item.entry == entry) {
                self.hands[place] = None;
            }
        }
    }

    const fn is_by_hand(&self, entry: usize) -> bool {
        entry >= self.written
    }

    fn insert(&mut self, item: Item) {
        let place = self
            .agenda
            .partition_point(|other| (other.at, other.edge) <= (item.at, item.edge));
        self.agenda.insert(place, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TransportCondition;

    fn at(secs: u64) -> Time {
        Time::ZERO + Span::from_secs(secs)
    }

    fn entry(from: u64, lasts: u64, loss: f64) -> ScriptEntry {
        ScriptEntry {
            scope: Scope::One(Direction::Down),
            trigger: Trigger::At {
                at: at(from),
                lasts: Some(Span::from_secs(lasts)),
            },
            action: Action::SetLoss(loss),
        }
    }

    #[test]
    fn beginnings_come_before_ends_and_in_order_of_the_file() {
        let mut script = Script::new(&[entry(1, 2, 0.1), entry(3, 1, 0.2), entry(3, 2, 0.3)]);
        assert_eq!(script.next(), at(1));
        assert_eq!(script.take(Time::from_ns(at(1).as_ns() - 1)), None);
        let played: Vec<_> = std::iter::from_fn(|| script.take(at(9)))
            .map(|item| (item.at, item.entry, item.edge))
            .collect();
        let expected = [
            (at(1), 0, Edge::Begin),
            (at(3), 1, Edge::Begin),
            (at(3), 2, Edge::Begin),
            (at(3), 0, Edge::End),
            (at(4), 1, Edge::End),
            (at(5), 2, Edge::End),
        ];
        assert_eq!(played, expected);
    }

    #[test]
    fn an_entry_that_waits_comes_once_and_at_the_last_time_that_was_said() {
        let mut waiting = entry(0, 2, 0.1);
        waiting.trigger = Trigger::Transport {
            when: TransportCondition::Recovery,
            lasts: Some(Span::from_secs(2)),
        };
        let mut script = Script::new(&[waiting, entry(9, 1, 0.2)]);
        assert_eq!(script.next(), at(9));
        assert!(script.trigger(at(3), 0));
        assert!(script.trigger(Time::NEVER, 0), "it waits on");
        assert_eq!(script.next(), at(9));
        assert!(script.trigger(at(4), 0));
        assert!(script.trigger(at(5), 0));
        let begun = script.take(at(5)).map(|item| (item.at, item.entry, item.edge));
        assert_eq!(begun, Some((at(5), 0, Edge::Begin)));
        assert!(!script.trigger(at(6), 0), "it has begun");
        let ended = script.take(at(7)).map(|item| (item.at, item.entry, item.edge));
        assert_eq!(ended, Some((at(7), 0, Edge::End)));
        assert!(!script.trigger(at(8), 1), "an entry in time waits for nobody");
        assert!(!script.trigger(at(8), 2), "there is none");
    }

    #[test]
    fn the_place_of_a_change_is_used_again() {
        let mut script = Script::new(&[entry(1, 2, 0.1)]);
        for id in 0..1_000 {
            assert_eq!(script.add(at(9), ChangeId(id), entry(9, 1, 0.5)), 1);
            assert!(script.end_at(at(9), ChangeId(id)));
            while let Some(item) = script.take(at(9)) {
                if item.edge == Edge::End {
                    script.free(item.entry);
                }
            }
            assert!(!script.end_at(at(9), ChangeId(id)), "it is over");
        }
        assert_eq!((script.entries.len(), script.hands.len()), (2, 1));
    }
}
