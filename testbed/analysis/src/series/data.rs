//! The rows of data segments: a million of them in small records, serialised as columns.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::ser::{Error as _, SerializeStruct};
use serde::{Serialize, Serializer};
use windlull_units::{PacketId, Span, Time};
use windlull_wire::TransmitCause;

use super::column::{BLOCK, Column, Differences, Spill, columns_schema};
use super::tables::{MISSING, index, ns, number, reason_index, span, verdict_index};
use crate::verdict::{Reason, Verdict};

/// A data segment: 56 octets.
#[derive(Clone, Copy, Debug)]
pub(super) struct DataRow {
    pub(super) sent: Time,
    pub(super) id: PacketId,
    /// The first octet's offset in the stream.
    pub(super) offset: u64,
    /// [`Time::NEVER`] if it did not arrive.
    pub(super) arrived: Time,
    pub(super) held: Span,
    pub(super) len: u32,
    pub(super) cause: Option<TransmitCause>,
    pub(super) verdict: Option<Verdict>,
    pub(super) reason: Option<Reason>,
    pub(super) drop: Option<u8>,
    /// Whether it will have a verdict.
    pub(super) judged: bool,
}

impl DataRow {
    /// Whether all is known of it, unless the link made a copy of it that is quicker.
    fn is_settled(&self) -> bool {
        (self.arrived != Time::NEVER || self.drop.is_some()) && self.judged == self.verdict.is_some()
    }
}

/// Rows looked at before the whole table is searched.
const NEAR: usize = 4;
/// The most rows of a block that may be sent to the file before all is known of them.
const MOST_UNSETTLED: usize = BLOCK / 16;
const COLUMNS: usize = 10;
/// Of the columns.
const ID: usize = 1;
const NAMES: [&str; COLUMNS] = [
    "t", "id", "seq", "len", "cause", "verdict", "reason", "arrived", "drop", "held",
];

/// Data segments, by the time they were sent: the newest in memory, those before them in a scratch file if there is one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Data {
    rows: Vec<DataRow>,
    /// The row that was looked for last.
    last_row: usize,
    spilled: [Column; COLUMNS],
    /// The last one of each block in the file.
    lasts: Vec<PacketId>,
    /// What became known of rows in the file.
    late: BTreeMap<PacketId, DataRow>,
    /// How many blocks of rows there must be before any is sent to the file.
    blocks: usize,
}

impl Data {
    pub(super) fn push(&mut self, row: DataRow, spill: &mut Spill) {
        self.rows.push(row);
        if self.rows.len() >= self.blocks.max(2) * BLOCK && spill.is_open() {
            self.relieve(spill);
        }
    }

    /// The row of a packet, to be changed. Packet numbers grow with the time of sending, and most ends of packets come in
    /// order: the row that is asked for is most often a few behind the last one that was.
    pub(super) fn row(&mut self, id: PacketId) -> Option<&mut DataRow> {
        let near = self.last_row..(self.last_row + NEAR).min(self.rows.len());
        let place = match self.rows[near.clone()].iter().position(|row| row.id == id) {
            Some(place) => near.start + place,
            None => match self.rows.binary_search_by_key(&id, |row| row.id) {
                Ok(place) => place,
                Err(_) if self.lasts.last().is_some_and(|last| id <= *last) => return Some(self.late_row(id)),
                Err(_) => return None,
            },
        };
        self.last_row = place;
        self.rows.get_mut(place)
    }

    /// The row that was added last.
    pub(super) fn newest(&mut self) -> Option<&mut DataRow> {
        self.rows.last_mut()
    }

    /// Blank, but for what became known since it was sent to the file.
    fn late_row(&mut self, id: PacketId) -> &mut DataRow {
        match self.late.entry(id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(DataRow {
                sent: Time::ZERO,
                id,
                offset: 0,
                arrived: Time::NEVER,
                held: Span::ZERO,
                len: 0,
                cause: None,
                verdict: None,
                reason: None,
                drop: None,
                judged: false,
            }),
        }
    }

    /// Sends the oldest rows to the file if all is known of them, and waits for more if not: longer for all than for the
    /// last few, which a link may keep for as long as it likes.
    #[cold]
    fn relieve(&mut self, spill: &mut Spill) {
        let first = &self.rows[..BLOCK];
        let unsettled = first.iter().filter(|row| !row.is_settled()).count();
        let blocks = self.rows.len() / BLOCK;
        let spared = 4_usize.saturating_pow(u32::try_from(blocks - 2).unwrap_or(u32::MAX)) - 1;
        if unsettled > spared.min(MOST_UNSETTLED) {
            self.blocks = blocks + 1;
            return;
        }
        spill.with(|scratch| {
            let mut columns = self.spilled.iter_mut().enumerate();
            columns.try_for_each(|(place, column)| column.append(scratch, first.iter().map(|row| value(row, place))))
        });
        self.lasts.extend(first.last().map(|row| row.id));
        self.rows.drain(..BLOCK);
        self.last_row = self.last_row.saturating_sub(BLOCK);
        self.blocks = self.rows.len() / BLOCK + 1;
    }

    /// Octets of memory that it takes.
    pub(super) fn memory_bytes(&self) -> usize {
        let columns: usize = self.spilled.iter().map(Column::memory_bytes).sum();
        let rows = self.rows.capacity() + self.late.len() * 2;
        rows * size_of::<DataRow>() + self.lasts.capacity() * size_of::<PacketId>() + columns
    }
}

/// The value of a row in a column.
fn value(row: &DataRow, column: usize) -> i64 {
    match column {
        0 => ns(row.sent),
        ID => number(row.id.0),
        2 => number(row.offset),
        3 => i64::from(row.len),
        4 => {
            let place = row
                .cause
                .and_then(|cause| TransmitCause::ALL.iter().position(|&it| it == cause));
            place.map_or(MISSING, index)
        }
        5 => verdict_index(row.verdict),
        6 => reason_index(row.reason),
        7 if row.arrived == Time::NEVER => MISSING,
        7 => ns(row.arrived),
        8 => row.drop.map_or(MISSING, i64::from),
        _ => span(row.held),
    }
}

/// The value of a column, once more is known of the row than when it was written.
fn amended(before: i64, late: &DataRow, column: usize) -> i64 {
    let known = match column {
        5 | 6 => late.verdict.is_some(),
        7 => late.arrived != Time::NEVER && (before == MISSING || ns(late.arrived) < before),
        8 => late.drop.is_some(),
        9 => !late.held.is_zero(),
        _ => false,
    };
    if known { value(late, column) } else { before }
}

columns_schema!(Data, NAMES);

impl Serialize for Data {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut data = serializer.serialize_struct("Data", COLUMNS)?;
        for (place, name) in NAMES.into_iter().enumerate() {
            data.serialize_field(name, &DataColumn { data: self, place })?;
        }
        data.end()
    }
}

/// One value of each row.
struct DataColumn<'a> {
    data: &'a Data,
    place: usize,
}

impl Serialize for DataColumn<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { data, place } = *self;
        let mut differences = Differences::begin(serializer)?;
        let (mut ids, mut values) = (data.spilled[ID].reader(), data.spilled[place].reader());
        let mut late = data.late.iter().peekable();
        for last in &data.lasts {
            values.next_spilled().map_err(S::Error::custom)?;
            if late.peek().is_none_or(|(id, _)| *id > last) {
                ids.skip();
                for &value in values.values() {
                    differences.add(value)?;
                }
                continue;
            }
            ids.next_spilled().map_err(S::Error::custom)?;
            for (&id, &value) in ids.values().iter().zip(values.values()) {
                // What the link copied has a number of its own, and no row.
                while late.next_if(|(it, _)| number(it.0) < id).is_some() {}
                let known = late.next_if(|(it, _)| number(it.0) == id);
                differences.add(known.map_or(value, |(_, row)| amended(value, row, place)))?;
            }
        }
        for row in &data.rows {
            differences.add(value(row, place))?;
        }
        differences.end()
    }
}
