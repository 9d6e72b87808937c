//! `fates.csv`: what the link did to each packet, one row a packet in the order in which fates were sealed.
//!
//! | column | meaning |
//! |---|---|
//! | `id` | the packet's number in the run, also in the captures (`epb_packetid`) |
//! | `direction` | `down` (server to client) or `up` |
//! | `size_bytes` | octets of the IP packet |
//! | `entered_ns` | when it arrived at the link |
//! | `started_ns` | when its first bit left the queue; empty if never |
//! | `sent_ns` | when its last bit was sent; empty if never |
//! | `held_ns` | how long impairments kept it |
//! | `queue_packets` | packets before it in the queue when it arrived |
//! | `marked` | 1 if the queue marked it as having experienced congestion; a file without the column has no marks |
//! | `corrupted` | 1 if its bits were changed |
//! | `reordered` | 1 if it overtook or was overtaken on purpose |
//! | `duplicate_of` | the packet it is the link's copy of; empty if it is none |
//! | `end` | `delivered`, or why it was dropped: `queue-overflow`, `queue-early`, `random-loss`, `bit-error`, `outage`, `chosen`, `arq-gave-up`, `unknown` |
//! | `end_ns` | when |
//!
//! A recording that is played by what packets carry has two more columns, as its captures show it:
//!
//! | column | meaning |
//! |---|---|
//! | `first_octet` | of the data stream of its direction, the first octet that it carried; empty if none |
//! | `end_octet` | the one behind the last that it carried |

#![forbid(unsafe_code)]

use std::io::Read;

use serde::Deserialize;
use thiserror::Error;
use windlull_units::{Bytes, Direction, DropCause, Fate, Outcome, PacketId, Span, Time};

/// The header row, with its end of line.
pub const HEADER: &str = "id,direction,size_bytes,entered_ns,started_ns,sent_ns,held_ns,queue_packets,marked,corrupted,\
                          reordered,duplicate_of,end,end_ns\n";

/// The same, with what packets carried.
pub const HEADER_WITH_OCTETS: &str = "id,direction,size_bytes,entered_ns,started_ns,sent_ns,held_ns,queue_packets,marked,\
                                      corrupted,reordered,duplicate_of,end,end_ns,first_octet,end_octet\n";

/// The octets of its direction's data stream that a packet carried: the first one, and the one behind the last.
pub type Octets = (u64, u64);

/// Appends the row of a fate, with its end of line.
pub fn push_row(out: &mut Vec<u8>, fate: &Fate) {
    push_fields(out, fate);
    out.push(b'\n');
}

/// The same, with the octets that the packet carried, if it carried some.
pub fn push_row_with_octets(out: &mut Vec<u8>, fate: &Fate, octets: Option<Octets>) {
    push_fields(out, fate);
    push_field(out, octets.map(|(first, _)| first));
    push_field(out, octets.map(|(_, end)| end));
    out.push(b'\n');
}

fn push_fields(out: &mut Vec<u8>, fate: &Fate) {
    push_number(out, fate.id.0);
    out.push(b',');
    out.extend_from_slice(fate.direction.name().as_bytes());
    for number in [
        Some(fate.size.get()),
        Some(fate.entered.as_ns()),
        fate.started.map(Time::as_ns),
    ] {
        push_field(out, number);
    }
    push_field(out, fate.sent.map(Time::as_ns));
    push_field(out, Some(fate.held.as_ns()));
    push_field(out, Some(u64::from(fate.queue_packets)));
    out.extend_from_slice(if fate.marked { b",1" } else { b",0" });
    out.extend_from_slice(if fate.corrupted { b",1" } else { b",0" });
    out.extend_from_slice(if fate.reordered { b",1" } else { b",0" });
    push_field(out, fate.duplicate_of.map(|id| id.0));
    out.push(b',');
    out.extend_from_slice(fate.outcome.name().as_bytes());
    push_field(out, Some(fate.outcome.at().as_ns()));
}

fn push_number(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

fn push_field(out: &mut Vec<u8>, number: Option<u64>) {
    out.push(b',');
    if let Some(number) = number {
        push_number(out, number);
    }
}

/// Why a `fates.csv` cannot be read.
#[derive(Debug, Error)]
pub enum FateError {
    /// A row that is not of the documented form, or an I/O error.
    #[error("{0}")]
    Csv(#[from] csv::Error),
    /// A field whose words are not known.
    #[error("line {line}: `{text}` is no {column}")]
    Field {
        /// The line, from 1.
        line: u64,
        text: String,
        column: &'static str,
    },
}

#[derive(Deserialize)]
struct Row {
    id: u64,
    direction: Direction,
    size_bytes: u64,
    entered_ns: u64,
    started_ns: Option<u64>,
    sent_ns: Option<u64>,
    held_ns: u64,
    queue_packets: u32,
    /// Earlier versions knew of no marks.
    #[serde(default)]
    marked: u8,
    corrupted: u8,
    reordered: u8,
    duplicate_of: Option<u64>,
    end: String,
    end_ns: u64,
    #[serde(default)]
    first_octet: Option<u64>,
    #[serde(default)]
    end_octet: Option<u64>,
}

/// A row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FateRow {
    /// Its line, from 1.
    pub line: u64,
    pub fate: Fate,
    /// What the packet carried, if the file says it.
    pub octets: Option<Octets>,
}

/// Whether the heading of these rows has the columns of octets.
pub fn says_octets(rows: &str) -> bool {
    let heading = rows.lines().next();
    heading.is_some_and(|heading| heading.contains(",first_octet,end_octet"))
}

/// The fates in a `fates.csv`, in the order of its rows.
pub fn read_fates(input: impl Read) -> impl Iterator<Item = Result<Fate, FateError>> {
    read_rows(input).map(|row| row.map(|row| row.fate))
}

/// The same, each with its line and the octets that it carried.
pub fn read_rows(input: impl Read) -> impl Iterator<Item = Result<FateRow, FateError>> {
    let mut rows = csv::Reader::from_reader(input).into_deserialize::<Row>();
    std::iter::from_fn(move || {
        let line = rows.reader().position().line();
        let row = rows.next()?;
        Some(row.map_err(FateError::from).and_then(|row| {
            Ok(FateRow {
                line,
                octets: octets(&row, line)?,
                fate: fate(row, line)?,
            })
        }))
    })
}

fn octets(row: &Row, line: u64) -> Result<Option<Octets>, FateError> {
    match (row.first_octet, row.end_octet) {
        (None, None) => Ok(None),
        (Some(first), Some(end)) if first < end => Ok(Some((first, end))),
        (_, end) => Err(FateError::Field {
            line,
            text: end.map_or_else(String::new, |end| end.to_string()),
            column: "end_octet",
        }),
    }
}

fn fate(row: Row, line: u64) -> Result<Fate, FateError> {
    let at = Time::from_ns(row.end_ns);
    let outcome = if row.end == "delivered" {
        Outcome::Delivered { at }
    } else {
        let by = DropCause::ALL.into_iter().find(|&cause| cause.name() == row.end);
        match by {
            Some(by) => Outcome::Dropped { at, by },
            None => {
                return Err(FateError::Field {
                    line,
                    text: row.end,
                    column: "end",
                });
            }
        }
    };
    Ok(Fate {
        id: PacketId(row.id),
        direction: row.direction,
        size: Bytes::new(row.size_bytes),
        entered: Time::from_ns(row.entered_ns),
        started: row.started_ns.map(Time::from_ns),
        sent: row.sent_ns.map(Time::from_ns),
        held: Span::from_ns(row.held_ns),
        queue_packets: row.queue_packets,
        marked: flag(row.marked, line, "marked")?,
        corrupted: flag(row.corrupted, line, "corrupted")?,
        reordered: flag(row.reordered, line, "reordered")?,
        duplicate_of: row.duplicate_of.map(PacketId),
        outcome,
    })
}

fn flag(value: u8, line: u64, column: &'static str) -> Result<bool, FateError> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(FateError::Field {
            line,
            text: value.to_string(),
            column,
        }),
    }
}
