//! A column of the diagram: its newest values in memory, those before them in a scratch file if there is one.

use std::collections::BTreeMap;
use std::io;

use schemars::{JsonSchema, Schema, json_schema};
use serde::ser::{Error as _, SerializeSeq};
use serde::{Serialize, Serializer};

use super::scratch::{Extent, MakeScratchFile, Scratch};

/// Rows of a table that go to the scratch file together.
pub(super) const BLOCK: usize = 1 << 14;

/// A column; serialised as differences.
#[derive(Clone, Debug, Default, JsonSchema)]
#[schemars(with = "Vec<i64>", inline)]
pub(crate) struct Column {
    /// The values that are in memory.
    pub(super) tail: Vec<i64>,
    spilled: Option<Box<Spilled>>,
}

/// The values before them.
#[derive(Clone, Debug)]
struct Spilled {
    scratch: Scratch,
    extents: Vec<Extent>,
    /// Values that were changed since, by their place in the column.
    changed: BTreeMap<usize, i64>,
}

impl Column {
    pub(crate) fn push(&mut self, value: i64) {
        self.tail.push(value);
    }

    /// How many values have gone to the file.
    pub(super) fn spilled(&self) -> usize {
        self.spilled.as_ref().map_or(0, |spilled| spilled.extents.len() * BLOCK)
    }

    /// The value at this place becomes this one.
    pub(super) fn set(&mut self, place: usize, value: i64) {
        match (place.checked_sub(self.spilled()), &mut self.spilled) {
            (Some(place), _) => self.tail[place] = value,
            (None, Some(spilled)) => {
                spilled.changed.insert(place, value);
            }
            (None, None) => {}
        }
    }

    /// Sends these values, which are [`BLOCK`] many, to the file: they are behind all that went before.
    pub(super) fn append(&mut self, scratch: &Scratch, values: impl Iterator<Item = i64>) -> io::Result<()> {
        let extent = scratch.append(values)?;
        let spilled = self.spilled.get_or_insert_with(|| {
            Box::new(Spilled {
                scratch: scratch.clone(),
                extents: Vec::new(),
                changed: BTreeMap::new(),
            })
        });
        spilled.extents.push(extent);
        Ok(())
    }

    fn spill(&mut self, scratch: &Scratch) -> io::Result<()> {
        let first = std::mem::take(&mut self.tail);
        self.append(scratch, first[..BLOCK].iter().copied())?;
        self.tail = first;
        self.tail.drain(..BLOCK);
        Ok(())
    }

    /// Reads the column from its beginning.
    pub(super) fn reader(&self) -> Reader<'_> {
        Reader {
            column: self,
            block: 0,
            values: Vec::new(),
        }
    }

    /// Octets of memory that it takes.
    pub(super) fn memory_bytes(&self) -> usize {
        let spilled = self.spilled.as_ref().map_or(0, |spilled| {
            spilled.extents.capacity() * size_of::<Extent>() + spilled.changed.len() * ENTRY
        });
        self.tail.capacity() * size_of::<i64>() + spilled
    }
}

/// About what an entry of a map of two numbers takes.
const ENTRY: usize = 24;

impl FromIterator<i64> for Column {
    fn from_iter<I: IntoIterator<Item = i64>>(values: I) -> Self {
        Self {
            tail: values.into_iter().collect(),
            spilled: None,
        }
    }
}

/// The schema of a table that writes these columns itself.
pub(super) fn schema_of_columns(names: &[&str]) -> Schema {
    let column = json_schema!({ "type": "array", "items": { "type": "integer", "format": "int64" } });
    let columns: BTreeMap<_, _> = names.iter().map(|name| (name, &column)).collect();
    json_schema!({ "type": "object", "properties": columns, "required": names })
}

/// A table's schema by the names of its columns.
macro_rules! columns_schema {
    ($table:ident, $names:expr) => {
        impl schemars::JsonSchema for $table {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                concat!("Series", stringify!($table)).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                super::column::schema_of_columns(&$names)
            }
        }
    };
}

pub(super) use columns_schema;

impl Serialize for Column {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize_as(serializer, |value| value)
    }
}

impl Column {
    /// Serialises what becomes of the values.
    pub(super) fn serialize_as<S: Serializer>(
        &self,
        serializer: S,
        value: impl Fn(i64) -> i64,
    ) -> Result<S::Ok, S::Error> {
        let mut differences = Differences::begin(serializer)?;
        let mut reader = self.reader();
        while let Some(values) = reader.next_block().map_err(S::Error::custom)? {
            for &it in values {
                differences.add(value(it))?;
            }
        }
        differences.end()
    }
}

/// Reads a column block by block.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    column: &'a Column,
    block: usize,
    values: Vec<i64>,
}

impl Reader<'_> {
    /// The next values: [`BLOCK`] many of the file, in the end those in memory.
    pub(super) fn next_block(&mut self) -> io::Result<Option<&[i64]>> {
        if self.next_spilled()? {
            return Ok(Some(&self.values));
        }
        let blocks = self.column.spilled() / BLOCK;
        let is_tail = self.block == blocks;
        self.block = blocks + 1;
        Ok(is_tail.then_some(&self.column.tail))
    }

    /// Reads the next values of the file; whether there are any.
    pub(super) fn next_spilled(&mut self) -> io::Result<bool> {
        let Some(spilled) = &self.column.spilled else {
            return Ok(false);
        };
        let Some(&extent) = spilled.extents.get(self.block) else {
            return Ok(false);
        };
        spilled.scratch.read(extent, &mut self.values)?;
        let first = self.block * BLOCK;
        for (&place, &value) in spilled.changed.range(first..first + BLOCK) {
            self.values[place - first] = value;
        }
        self.block += 1;
        Ok(true)
    }

    /// Leaves a block of the file out.
    pub(super) const fn skip(&mut self) {
        self.block += 1;
    }

    /// What [`Reader::next_spilled`] read.
    pub(super) fn values(&self) -> &[i64] {
        &self.values
    }
}

/// Serialises a column as its first value and then differences.
pub(super) struct Differences<S: Serializer> {
    sequence: S::SerializeSeq,
    last: i64,
}

impl<S: Serializer> Differences<S> {
    pub(super) fn begin(serializer: S) -> Result<Self, S::Error> {
        let sequence = serializer.serialize_seq(None)?;
        Ok(Self { sequence, last: 0 })
    }

    pub(super) fn add(&mut self, value: i64) -> Result<(), S::Error> {
        let difference = value.wrapping_sub(self.last);
        self.last = value;
        self.sequence.serialize_element(&difference)
    }

    pub(super) fn end(self) -> Result<S::Ok, S::Error> {
        self.sequence.end()
    }
}

/// Where tables send their rows when they have many.
#[derive(Debug, Default)]
pub(super) struct Spill {
    scratch: Option<Scratch>,
    error: Option<io::Error>,
}

impl Spill {
    pub(super) fn into_file(make: MakeScratchFile) -> Self {
        Self {
            scratch: Some(Scratch::new(make)),
            error: None,
        }
    }

    /// The first error; from then on rows stay in memory.
    pub(super) const fn error(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }

    /// Does this with the file, if there is one that works.
    pub(super) fn with(&mut self, send: impl FnOnce(&Scratch) -> io::Result<()>) {
        if let Some(scratch) = &self.scratch {
            if let Err(error) = send(scratch) {
                self.error = Some(error);
                self.scratch = None;
            }
        }
    }

    /// Whether there is such a file.
    pub(super) const fn is_open(&self) -> bool {
        self.scratch.is_some()
    }
}

/// A table of equally long columns.
pub(super) trait Table<const N: usize> {
    /// Rows that are in memory.
    fn rows_in_memory(&self) -> usize;

    /// The columns, always in the same order.
    fn columns(&mut self) -> [&mut Column; N];

    /// Sends the oldest rows to the file once there are many. The newest [`BLOCK`] stay: the last one may still change.
    #[inline]
    fn relieve(&mut self, spill: &mut Spill) {
        if self.rows_in_memory() >= 2 * BLOCK {
            spill.with(|scratch| self.columns().into_iter().try_for_each(|column| column.spill(scratch)));
        }
    }

    /// Octets of memory that it takes.
    fn memory_bytes(&mut self) -> usize {
        self.columns().into_iter().map(|column| column.memory_bytes()).sum()
    }
}
