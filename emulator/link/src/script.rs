//! What happens once: at an instant, or at chosen packets.

use std::collections::VecDeque;

use windlull_units::{Direction, Span, Time};

use crate::impairment::{Lanes, instances};
use crate::model::{Action, QueueLimit, Scope, ScriptEntry, Trigger};

/// The script, played from the start of the run.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    entries: Vec<ScriptEntry>,
    /// What is to do, by time; at one instant beginnings before ends, then in order of the file.
    agenda: VecDeque<Item>,
    /// Which entry last set what, by direction.
    in_force: [[Option<usize>; Setting::COUNT]; 2],
}

/// Something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) at: Time,
    pub(crate) entry: usize,
    pub(crate) lanes: Lanes,
    pub(crate) part: Part,
}

/// The two parts of an entry that lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Begin,
    End,
}

/// What an entry can set, and give back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    Rate,
    Delay,
    Loss,
    Queue,
    KeptBack,
}

impl Setting {
    const COUNT: usize = 5;
}

impl Script {
    pub(crate) fn new(entries: &[ScriptEntry]) -> Self {
        let mut script = Self {
            entries: entries.to_vec(),
            agenda: VecDeque::new(),
            in_force: [[None; Setting::COUNT]; 2],
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
            part: Part::Begin,
        });
        // Spells end by themselves.
        if !matches!(self.entries[entry].action, Action::Hold | Action::Drop) {
            if let Some(lasts) = self.lasts(entry) {
                self.insert(Item {
                    at: at + lasts,
                    entry,
                    lanes,
                    part: Part::End,
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
        self.agenda.pop_front()
    }

    pub(crate) fn action(&self, entry: usize) -> &Action {
        &self.entries[entry].action
    }

    /// How long an entry lasts; `None`: until the end of the run, or no time at all, as the action has it.
    pub(crate) fn lasts(&self, entry: usize) -> Option<Span> {
        match self.entries[entry].trigger {
            Trigger::At { lasts, .. } | Trigger::Packets { lasts, .. } => lasts,
        }
    }

    /// Where an entry acts that a packet of `direction` triggers.
    pub(crate) fn lanes_from(&self, entry: usize, direction: Direction) -> Lanes {
        match self.entries[entry].scope {
            Scope::One(_) | Scope::Each => Lanes::Only(direction),
            Scope::Shared => Lanes::Both,
        }
    }

    /// An entry sets something.
    pub(crate) const fn set(&mut self, direction: Direction, setting: Setting, entry: usize) {
        self.in_force[direction as usize][setting as usize] = Some(entry);
    }

    /// An entry gives it back. False if another has set it since.
    pub(crate) fn unset(&mut self, direction: Direction, setting: Setting, entry: usize) -> bool {
        let in_force = &mut self.in_force[direction as usize][setting as usize];
        let mine = *in_force == Some(entry);
        if mine {
            *in_force = None;
        }
        mine
    }

    fn insert(&mut self, item: Item) {
        let place = self
            .agenda
            .partition_point(|other| (other.at, other.part) <= (item.at, item.part));
        self.agenda.insert(place, item);
    }
}

/// A queue's limit, in the words of a profile.
pub(crate) fn limit_in_words(limit: QueueLimit) -> String {
    match limit {
        QueueLimit::Unlimited => "queue = unlimited".to_owned(),
        QueueLimit::Packets(most) => format!("queue = {most} packets"),
        QueueLimit::Bytes(most) => format!("queue = {most}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_come_before_ends_and_in_order_of_the_file() {
        let at = |secs| Time::ZERO + Span::from_secs(secs);
        let entry = |from, lasts, loss| ScriptEntry {
            scope: Scope::One(Direction::Down),
            trigger: Trigger::At {
                at: at(from),
                lasts: Some(Span::from_secs(lasts)),
            },
            action: Action::SetLoss(loss),
        };
        let mut script = Script::new(&[entry(1, 2, 0.1), entry(3, 1, 0.2), entry(3, 2, 0.3)]);
        assert_eq!(script.next(), at(1));
        assert_eq!(script.take(Time::from_ns(at(1).as_ns() - 1)), None);
        let played: Vec<_> = std::iter::from_fn(|| script.take(at(9)))
            .map(|item| (item.at, item.entry, item.part))
            .collect();
        let expected = [
            (at(1), 0, Part::Begin),
            (at(3), 1, Part::Begin),
            (at(3), 2, Part::Begin),
            (at(3), 0, Part::End),
            (at(4), 1, Part::End),
            (at(5), 2, Part::End),
        ];
        assert_eq!(played, expected);
    }

    #[test]
    fn only_the_last_setter_gives_back() {
        let mut script = Script::new(&[]);
        script.set(Direction::Down, Setting::Rate, 0);
        script.set(Direction::Down, Setting::Rate, 1);
        assert!(!script.unset(Direction::Down, Setting::Rate, 0));
        assert!(!script.unset(Direction::Up, Setting::Rate, 1));
        assert!(script.unset(Direction::Down, Setting::Rate, 1));
        assert!(!script.unset(Direction::Down, Setting::Rate, 1));
    }
}
