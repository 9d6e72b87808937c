//! The rows of data segments: a million of them in small records, serialised as columns.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use windlull_units::{PacketId, Span, Time};
use windlull_wire::TransmitCause;

use super::columns::differences;
use super::tables::{MISSING, index, ns, number, reason_index, span, verdict_index};
use crate::names::CAUSES;
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
}

/// Data segments, by the time they were sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Data(pub(super) Vec<DataRow>);

impl Serialize for Data {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut data = serializer.serialize_struct("Data", 10)?;
        data.serialize_field("t", &self.column(|row| ns(row.sent)))?;
        data.serialize_field("id", &self.column(|row| number(row.id.0)))?;
        data.serialize_field("seq", &self.column(|row| number(row.offset)))?;
        data.serialize_field("len", &self.column(|row| i64::from(row.len)))?;
        data.serialize_field(
            "cause",
            &self.column(|row| {
                let place = row.cause.and_then(|cause| CAUSES.iter().position(|&it| it == cause));
                place.map_or(MISSING, index)
            }),
        )?;
        data.serialize_field("verdict", &self.column(|row| verdict_index(row.verdict)))?;
        data.serialize_field("reason", &self.column(|row| reason_index(row.reason)))?;
        let arrived = |row: &DataRow| {
            if row.arrived == Time::NEVER {
                MISSING
            } else {
                ns(row.arrived)
            }
        };
        data.serialize_field("arrived", &self.column(arrived))?;
        data.serialize_field("drop", &self.column(|row| row.drop.map_or(MISSING, i64::from)))?;
        data.serialize_field("held", &self.column(|row| span(row.held)))?;
        data.end()
    }
}

impl Data {
    fn column(&self, value: fn(&DataRow) -> i64) -> RowColumn<'_> {
        RowColumn { rows: &self.0, value }
    }
}

/// One value of each row.
struct RowColumn<'a> {
    rows: &'a [DataRow],
    value: fn(&DataRow) -> i64,
}

impl Serialize for RowColumn<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        differences(serializer, self.rows.iter().map(self.value))
    }
}
