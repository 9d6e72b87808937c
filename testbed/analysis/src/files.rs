//! Analysis of capture files: both ends' or one end's, ours or anybody's.
//!
//! With both ends' captures the fate of every packet follows from whether it is found at the other end; the very same
//! [`Analyzer`](crate::Analyzer) then judges. With one end's, what cannot be known stays unknown and is said to be.

mod connection;
mod load;
mod matching;
mod merge;
mod packets;
mod side;
mod story;

use std::fmt;
use std::io::{BufRead, Read};
use std::net::SocketAddr;

use serde::Serialize;
use thiserror::Error;
use windlull_capture::{EventError, FateError, ReadError, read_events, read_fates};
use windlull_units::Outcome;

use crate::files::load::Capture;
use crate::files::story::{Extras, tell_both, tell_one};
use crate::result::RunAnalysis;
use crate::series::Series;

/// The files to analyse.
pub struct Files<'a> {
    /// A pcap or pcapng file of either end.
    pub first: &'a mut dyn Read,
    /// The other end's.
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
}

/// A TCP connection in a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ConnectionInfo {
    /// Who sent more data.
    pub data_sender: SocketAddr,
    /// The other one.
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
#[derive(Clone, Debug, Serialize)]
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
    /// The first one.
    First,
    /// The second one.
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
    Capture {
        /// Which one.
        which: Which,
        /// What is wrong.
        source: ReadError,
    },
    /// No packet of TCP in it.
    #[error("{which}: no TCP connection with data among its {packets} packets{hint}")]
    NoConnection {
        /// Which one.
        which: Which,
        /// Packets it has.
        packets: u64,
        /// What the first packet that could not be used is instead.
        hint: String,
    },
    /// The connection that was asked for is not there.
    #[error("{which}: no connection with data between {a} and {b}; there are: {there}")]
    NotThere {
        /// Which one.
        which: Which,
        /// One end.
        a: SocketAddr,
        /// The other end.
        b: SocketAddr,
        /// The connections that there are.
        there: String,
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
/// [`AnalyzeError`]: a file that is no capture or is truncated, or has no such connection.
pub fn analyze(files: Files<'_>, selection: Selection) -> Result<CaptureAnalysis, AnalyzeError> {
    let mut first = Capture::load(files.first, Which::First)?;
    let second = files
        .second
        .map(|file| Capture::load(file, Which::Second))
        .transpose()?;
    let mut extras = Extras::default();
    if let Some(file) = files.fates {
        for fate in read_fates(file) {
            let fate = fate?;
            extras.queueing.get_or_insert_default().add(&fate);
            if let Outcome::Dropped { at, by } = fate.outcome {
                extras.drops.insert(fate.id.0, (at, by));
            }
        }
        extras.ours = true;
    }
    if let Some(file) = files.events {
        extras.events = read_events(file).collect::<Result<_, _>>()?;
        extras.ours = true;
    }
    let chosen = first.take(selection, Which::First)?;
    let mut notes = first.notes(Which::First);
    let connection = chosen.info();
    let (analysis, series) = match second {
        None => tell_one(&chosen, extras, notes),
        Some(mut second) => {
            let ends = Selection::Between(connection.data_sender, connection.data_receiver);
            let other = second.take(ends, Which::Second)?.facing(connection.data_sender);
            notes.extend(second.notes(Which::Second));
            tell_both(&chosen, &other, extras, notes)
        }
    };
    Ok(CaptureAnalysis {
        connection,
        analysis,
        series,
    })
}
