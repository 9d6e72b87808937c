//! The parts of the link's lane that are worked out: spells that end, marks and queues that are told out of order.

use serde::ser::{Error as _, SerializeStruct};
use serde::{Serialize, Serializer};
use windlull_units::{Direction, Time};

use super::column::{Column, Differences, Spill, Table, columns_schema};
use super::sorted::Sorted;
use super::tables::{direction_index, ns};

/// Times during which an impairment acts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spells {
    from: Column,
    to: Column,
    direction: Column,
    name: Column,
    /// The last one of each name and direction.
    last: Vec<LastSpell>,
    /// The end of the run: no spell ends after it.
    end: Option<i64>,
}

#[derive(Clone, Copy, Debug)]
struct LastSpell {
    direction: i64,
    name: i64,
    place: usize,
    to: i64,
}

impl Spells {
    pub(super) fn begin(&mut self, from: Time, to: Time, direction: Direction, name: i64, spill: &mut Spill) {
        let (to, direction) = (ns(to), direction_index(direction));
        let place = self.from.spilled() + self.from.tail.len();
        self.from.push(ns(from));
        self.to.push(to);
        self.direction.push(direction);
        self.name.push(name);
        match self.last_of(direction, name) {
            Some(last) => (last.place, last.to) = (place, to),
            None => self.last.push(LastSpell {
                direction,
                name,
                place,
                to,
            }),
        }
        self.relieve(spill);
    }

    /// The last spell of this name in this direction ends now, if it is not over.
    pub(super) fn end(&mut self, now: Time, direction: Direction, name: i64) {
        let now = ns(now);
        if let Some(last) = self
            .last_of(direction_index(direction), name)
            .filter(|last| now < last.to)
        {
            last.to = now;
            let place = last.place;
            self.to.set(place, now);
        }
    }

    /// The run is over.
    pub(super) fn finish(&mut self, end: Time) {
        self.end = Some(ns(end));
    }

    fn last_of(&mut self, direction: i64, name: i64) -> Option<&mut LastSpell> {
        self.last
            .iter_mut()
            .find(|last| last.direction == direction && last.name == name)
    }
}

impl Table<4> for Spells {
    fn rows_in_memory(&self) -> usize {
        self.from.tail.len()
    }

    fn columns(&mut self) -> [&mut Column; 4] {
        [&mut self.from, &mut self.to, &mut self.direction, &mut self.name]
    }
}

columns_schema!(Spells, ["from", "to", "direction", "name"]);

impl Serialize for Spells {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let end = self.end.unwrap_or(i64::MAX);
        let mut spells = serializer.serialize_struct("Spells", 4)?;
        spells.serialize_field("from", &self.from)?;
        spells.serialize_field("to", &Clamped(&self.to, end))?;
        spells.serialize_field("direction", &self.direction)?;
        spells.serialize_field("name", &self.name)?;
        spells.end()
    }
}

/// A column of which no value is above this one.
struct Clamped<'a>(&'a Column, i64);

impl Serialize for Clamped<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize_as(serializer, |value| value.min(self.1))
    }
}

/// Packets that a queue marked: when they left it, their numbers, their directions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks(pub(super) Sorted<3>);

columns_schema!(Marks, ["t", "direction", "id"]);

impl Serialize for Marks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut marks = serializer.serialize_struct("Marks", 3)?;
        for (name, place) in [("t", 0), ("direction", 2), ("id", 1)] {
            marks.serialize_field(name, &SortedColumn { rows: &self.0, place })?;
        }
        marks.end()
    }
}

/// One column of sorted rows.
struct SortedColumn<'a, const N: usize> {
    rows: &'a Sorted<N>,
    place: usize,
}

impl<const N: usize> Serialize for SortedColumn<'_, N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut differences = Differences::begin(serializer)?;
        self.rows
            .each(S::Error::custom, |row| differences.add(row[self.place]))?;
        differences.end()
    }
}

/// The length of a queue from each instant on. The rows are packets that join it (+1) and leave it (-1).
#[derive(Clone, Debug, Default)]
pub(crate) struct QueueLengths(pub(super) Sorted<2>);

columns_schema!(QueueLengths, ["t", "packets"]);

impl Serialize for QueueLengths {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut queue = serializer.serialize_struct("Queue", 2)?;
        queue.serialize_field("t", &Lengths(&self.0, |t, _| t))?;
        queue.serialize_field("packets", &Lengths(&self.0, |_, packets| packets))?;
        queue.end()
    }
}

/// Instants at which a queue's length changed, or the lengths.
struct Lengths<'a>(&'a Sorted<2>, fn(i64, i64) -> i64);

impl Serialize for Lengths<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut differences = Differences::begin(serializer)?;
        let (mut packets, mut shown) = (0, None);
        let mut instant = None;
        let mut close = |t: i64, packets: i64| {
            if shown == Some(packets) {
                return Ok(());
            }
            shown = Some(packets);
            differences.add((self.1)(t, packets))
        };
        self.0.each(S::Error::custom, |[t, step]| {
            if let Some(before) = instant.filter(|before| *before != t) {
                close(before, packets)?;
            }
            instant = Some(t);
            packets += step;
            Ok(())
        })?;
        if let Some(last) = instant {
            close(last, packets)?;
        }
        differences.end()
    }
}
