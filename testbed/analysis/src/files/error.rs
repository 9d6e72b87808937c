//! Why files cannot be analysed.

use std::fmt;
use std::net::SocketAddr;

use thiserror::Error;
use windlull_capture::{EventError, ReadError};
use windlull_fates::FateError;
use windlull_units::Host;

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
        shown.name(), stated.name(), match which { Which::First => shown.name(), Which::Second => stated.name() }
    )]
    OtherEnd {
        which: Which,
        /// The end that the caller says.
        stated: Host,
        /// The end that the file's directions show.
        shown: Host,
    },
    /// What was asked for shows in a capture of the data sender's end alone, and this is of the other end.
    #[error(
        "{which}: captured where the data arrived, which does not show when it was sent; give the capture of the {}, or \
         those of both ends",
        sender.name()
    )]
    NotTheSenders {
        which: Which,
        /// Who sends the data.
        sender: Host,
    },
    /// A qlog file cannot be read.
    #[error("{which}: {why}")]
    Qlog {
        which: Which,
        /// What is wrong with it.
        why: String,
    },
    /// The caller says that a log was written at one end, and the log itself that it was the other.
    #[error(
        "{which}: written by the {}, as the log itself says, and not by the {}; leave --end out",
        shown.name(), stated.name()
    )]
    WrittenBy {
        which: Which,
        /// The end that the caller says.
        stated: Host,
        /// The end that the log says.
        shown: Host,
    },
    /// The second log has several connections, and none of the name that the first one gives it.
    #[error("second log: none of its connections is the one that was chosen in the first")]
    NotInSecondLog,
    /// Both logs are of one end.
    #[error("second log: of the same end as the first; give the other end's log, or one alone")]
    SameEnd,
    /// `fates.csv` cannot be read.
    #[error("fates: {0}")]
    Fates(#[from] FateError),
    /// `events.jsonl` cannot be read.
    #[error(transparent)]
    Events(#[from] EventError),
}
