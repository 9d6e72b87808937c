//! What happens once: at an instant, at chosen packets, or when somebody says so.
//!
//! What a hand changes is an entry that is written while the link runs: it begins, lasts and ends as the others do.

use std::collections::VecDeque;

use windlull_units::{Direction, Span, Time};

use crate::impairment::{Lanes, instances};
use crate::model::{Action, QueueLimit, Scope, ScriptEntry, Trigger};

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
    /// Whose change stands in each place behind the file's; `None` if it is free.
    hands: Vec<Option<ChangeId>>,
    /// What is to do, by time; at one instant beginnings before ends, then in order of the file.
    agenda: VecDeque<Item>,
    /// Which entries have set what, by direction.
    in_force: [[Setters; Setting::COUNT]; 2],
}

/// Who has set something. A hand goes before the script, the last hand before the others.
#[derive(Clone, Debug, Default)]
struct Setters {
    /// Entries of the file that are still in force, in order; those below one that stays can never come back.
    script: Vec<usize>,
    /// By hand, in order.
    hands: Vec<usize>,
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

impl Setters {
    /// Whose value is in force; `None`: the model's.
    fn first(&self) -> Option<usize> {
        self.hands.last().or(self.script.last()).copied()
    }
}

impl Script {
    pub(crate) fn new(entries: &[ScriptEntry]) -> Self {
        let mut script = Self {
            entries: entries.to_vec(),
            written: entries.len(),
            hands: Vec::new(),
            agenda: VecDeque::new(),
            in_force: Default::default(),
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
        if self.is_by_hand(entry) || self.entries[entry].action.spell().is_none() {
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

    /// An entry sets something. False if a hand's goes before it.
    pub(crate) fn set(&mut self, direction: Direction, setting: Setting, entry: usize) -> bool {
        let (by_hand, stays) = (self.is_by_hand(entry), self.lasts(entry).is_none());
        let setters = &mut self.in_force[direction as usize][setting as usize];
        if by_hand {
            setters.hands.push(entry);
        } else {
            setters.script.retain(|&other| !stays && other != entry);
            setters.script.push(entry);
        }
        setters.first() == Some(entry)
    }

    /// An entry gives it back. Says whose value comes into force, `Some(None)` for the model's; `None` if another has
    /// set it since, and nothing changes.
    pub(crate) fn unset(&mut self, direction: Direction, setting: Setting, entry: usize) -> Option<Option<usize>> {
        let setters = &mut self.in_force[direction as usize][setting as usize];
        let was_first = setters.first() == Some(entry);
        setters.hands.retain(|&other| other != entry);
        setters.script.retain(|&other| other != entry);
        was_first.then(|| setters.first())
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
    fn only_the_last_setter_gives_back() {
        let mut script = Script::new(&[entry(1, 2, 0.1), entry(3, 1, 0.2)]);
        assert!(script.set(Direction::Down, Setting::Rate, 0));
        assert!(script.set(Direction::Down, Setting::Rate, 1));
        assert_eq!(script.unset(Direction::Down, Setting::Rate, 0), None);
        assert_eq!(script.unset(Direction::Up, Setting::Rate, 1), None);
        assert_eq!(script.unset(Direction::Down, Setting::Rate, 1), Some(None));
        assert_eq!(script.unset(Direction::Down, Setting::Rate, 1), None);
    }

    #[test]
    fn what_ends_gives_back_to_what_is_still_in_force() {
        let stays = |from: u64, loss: f64| ScriptEntry {
            trigger: Trigger::At {
                at: at(from),
                lasts: None,
            },
            ..entry(from, 0, loss)
        };
        let mut script = Script::new(&[stays(1, 0.1), entry(2, 5, 0.2), entry(3, 1, 0.3), stays(5, 0.4)]);
        let (direction, loss) = (Direction::Down, Setting::Loss);
        for entry in 0..3 {
            assert!(script.set(direction, loss, entry));
        }
        assert_eq!(script.unset(direction, loss, 2), Some(Some(1)));
        // One that stays covers all before it for good, whatever ends later.
        assert!(script.set(direction, loss, 3));
        assert_eq!(script.unset(direction, loss, 1), None);
        assert_eq!(script.in_force[direction as usize][loss as usize].script, [3]);
    }

    #[test]
    fn a_hand_goes_before_the_script_and_the_last_hand_before_the_others() {
        let mut script = Script::new(&[entry(1, 2, 0.1)]);
        let [first, second] = [7, 8].map(|id| script.add(at(9), ChangeId(id), entry(9, 1, 0.5)));
        assert_eq!((first, second), (1, 2));
        let (direction, loss) = (Direction::Down, Setting::Loss);
        assert!(script.set(direction, loss, first));
        assert!(!script.set(direction, loss, 0), "the script waits");
        assert!(script.set(direction, loss, second));
        assert_eq!(script.unset(direction, loss, second), Some(Some(first)));
        assert_eq!(script.unset(direction, loss, first), Some(Some(0)));
        assert_eq!(script.unset(direction, loss, 0), Some(None));
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
