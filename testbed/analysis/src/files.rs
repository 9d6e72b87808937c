//! Analysis of capture files: both ends' or one end's, ours or anybody's.
//!
//! With both ends' captures the fate of every packet follows from whether it is found at the other end; the very same
//! [`Analyzer`](crate::Analyzer) then judges. With one end's, what cannot be known stays unknown and is said to be.

mod connection;
mod intact;
mod list;
mod load;
mod matching;
mod merge;
mod notes;
mod packets;
mod side;
mod story;

use std::fmt;
use std::io::{BufRead, Read};
use std::net::SocketAddr;

use schemars::JsonSchema;
use serde::Serialize;
use thiserror::Error;
use windlull_capture::{EventError, FateError, ReadError, read_events, read_fates};
use windlull_units::Host;

pub use self::list::{ConnectionList, ListedConnection, MOST_LISTED, connections};
use crate::files::load::Capture;
use crate::files::notes::host_name;
use crate::files::side::{Side, side};
use crate::files::story::{Extras, data_sender_of, tell_both, tell_one};
use crate::metrics::Meter;
use crate::result::RunAnalysis;
use crate::series::Series;

/// The files to analyse.
pub struct Files<'a> {
    /// A pcap or pcapng file of either end.
    pub first: &'a mut dyn Read,
    pub second: Option<&'a mut dyn Read>,
    /// The `fates.csv` of the run that the captures are of: the causes of drops.
    pub fates: Option<&'a mut dyn Read>,
    /// The `events.jsonl` of the run: what the link and the sender said.
    pub events: Option<&'a mut dyn BufRead>,
}

impl fmt::Debug for Files<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Files")
            .field("second", &self.second.is_some())
            .field("fates", &self.fates.is_some())
            .field("events", &self.events.is_some())
            .finish_non_exhaustive()
    }
}

/// Which connection of the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// The one with the most payload.
    #[default]
    MostData,
    /// The one with the most payload between these two, in either order.
    Between(SocketAddr, SocketAddr),
    /// The one of this number in the first file's list ([`connections`]).
    Number(u64),
}

/// What is asked of the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Question {
    pub selection: Selection,
    /// The end at which the first file was captured, where the caller knows it. In captures that are not of our hosts the
    /// data sender is called the server.
    pub first_taken_at: Option<Host>,
}

impl From<Selection> for Question {
    fn from(selection: Selection) -> Self {
        Self {
            selection,
            first_taken_at: None,
        }
    }
}

/// A TCP connection in a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConnectionInfo {
    /// Who sent more data.
    pub data_sender: SocketAddr,
    pub data_receiver: SocketAddr,
    /// Packets of it in the first file.
    pub packets: u64,
    /// Octets of payload in the first file, as they were seen, both ways.
    pub payload_bytes: u64,
}

impl fmt::Display for ConnectionInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            data_sender,
            data_receiver,
            packets,
            payload_bytes,
        } = self;
        write!(
            f,
            "{data_sender} - {data_receiver} ({packets} packets, {payload_bytes} B)"
        )
    }
}

/// The analysis of capture files.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CaptureAnalysis {
    /// Which connection it is about.
    pub connection: ConnectionInfo,
    /// What is said of it.
    #[serde(flatten)]
    pub analysis: RunAnalysis,
    /// The diagram's columns.
    #[serde(skip)]
    pub series: Series,
}

/// Which of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    First,
    Second,
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "first capture",
            Self::Second => "second capture",
        })
    }
}

/// Why files cannot be analysed.
#[derive(Debug, Error)]
pub enum AnalyzeError {
    /// A capture cannot be read to its end.
    #[error("{which}: {source}")]
    Capture { which: Which, source: ReadError },
    /// More in it than is kept in memory.
    #[error("{which}: more than {most} {what}; cut the capture, as with `editcap` or a filter of `tcpdump`")]
    TooMany {
        which: Which,
        what: &'static str,
        /// The most there may be.
        most: u64,
    },
    /// No packet of TCP in it.
    #[error("{which}: no TCP connection with data among its {packets} packets{hint}")]
    NoConnection {
        which: Which,
        /// Packets it has.
        packets: u64,
        /// What the first packet that could not be used is instead.
        hint: String,
    },
    /// The connection that was asked for is not there.
    #[error("{which}: no connection with data between {a} and {b}; there are: {there}")]
    NotThere {
        which: Which,
        a: SocketAddr,
        b: SocketAddr,
        /// The connections that there are.
        there: String,
    },
    /// There is no connection of the number that was asked for.
    #[error("{which}: no connection {number}; it has {total} with data, numbered from 1")]
    NoNumber {
        which: Which,
        /// What was asked for.
        number: u64,
        /// How many there are.
        total: u64,
    },
    /// The caller says that a file was captured at one end, and the file itself that it was the other.
    #[error(
        "{which}: captured at the {}, and not at the {}, as the file itself says: most packets that it marks as outgoing \
         were sent there; leave --end out, or say {}",
        host_name(*shown), host_name(*told), match which { Which::First => host_name(*shown), Which::Second => host_name(*told) }
    )]
    OtherEnd {
        which: Which,
        /// The end that the caller says.
        told: Host,
        /// The end that the file's directions show.
        shown: Host,
    },
    /// `fates.csv` cannot be read.
    #[error(transparent)]
    Fates(#[from] FateError),
    /// `events.jsonl` cannot be read.
    #[error(transparent)]
    Events(#[from] EventError),
}

/// Analyses a connection of one or two captures.
///
/// # Errors
/// [`AnalyzeError`]: a file that is no capture or is truncated, has no such connection, or was captured at another end
/// than the caller says.
pub fn analyze(files: Files<'_>, question: impl Into<Question>) -> Result<CaptureAnalysis, AnalyzeError> {
    let Question {
        selection,
        first_taken_at,
    } = question.into();
    let mut first = Capture::load(files.first, Which::First)?;
    let second = files
        .second
        .map(|file| Capture::load(file, Which::Second))
        .transpose()?;
    let mut extras = Extras::default();
    if let Some(file) = files.fates {
        for fate in read_fates(file) {
            let fate = fate?;
            extras.fates.add(&fate);
            if second.is_some() {
                extras.meters.fate(&fate);
            }
        }
        extras.ours = second.is_some();
    }
    if let Some(file) = files.events {
        extras.events = read_events(file).collect::<Result<_, _>>()?;
        extras.ours = true;
    }
    let several = first.with_data().count() > 1;
    let chosen = first.take(selection, Which::First)?;
    let mut notes = first.notes(Which::First);
    let connection = chosen.info();
    if several && matches!(selection, Selection::Number(_)) && extras.leave_out_senders() {
        notes.push(
            "What a sender told of itself is left out: the run has several connections, and it does not say which one \
             it is about."
                .to_owned(),
        );
    }
    let data_sender = data_sender_of(&chosen);
    let told = first_taken_at.map(|host| Side::of(host, data_sender));
    let first_placed = side(&chosen, told, data_sender, Which::First)?;
    let (analysis, series) = match second {
        None => tell_one(&chosen, first_placed, extras, notes),
        Some(mut second) => {
            let other = second.take_like(&chosen, Which::Second)?.facing(connection.data_sender);
            notes.extend(second.notes(Which::Second));
            let told = told.map(Side::other);
            let placed = [first_placed, side(&other, told, data_sender, Which::Second)?];
            tell_both([&chosen, &other], placed, extras, notes)
        }
    };
    Ok(CaptureAnalysis {
        connection,
        analysis,
        series,
    })
}
