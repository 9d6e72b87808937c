//! What can go wrong between the processes of a run.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::who::{ASKED_TO_END, Who};

/// Why orders cannot be given, or not be taken.
#[derive(Debug, Error)]
pub enum OrdersError {
    /// Nobody listens.
    #[error("no process answers for the {who} at {}: {source}; {}", path.display(), who.remedy())]
    Absent {
        who: Who,
        path: PathBuf,
        /// What the machine said.
        source: io::Error,
    },
    /// No engine with the stack in it attends there.
    #[error("the {who} has no engine with the stack {stack:?} ({source}); `make up WITH=\"{stack}\"` puts one in")]
    NoStack {
        who: Who,
        stack: String,
        /// What the machine said.
        source: io::Error,
    },
    /// It has another run.
    #[error("the {who} is busy with the run {run}; wait until it is over")]
    Busy { who: Who, run: String },
    /// It does not take these orders, and says why.
    #[error("the {who} refuses: {why}")]
    Refused { who: Who, why: String },
    /// It is another program, or on another machine.
    #[error("the {who} {why}")]
    Stranger {
        who: Who,
        /// What is wrong, and what would be right.
        why: String,
    },
    /// Its part of the run failed.
    #[error("the {who}: {what}")]
    Failed { who: Who, what: String },
    /// It is gone, or speaks wrongly.
    #[error("the connection with the {who} broke: {source}")]
    Broken { who: Who, source: WireError },
    /// What it left cannot be read.
    #[error("what the {who} left cannot be read: {}: {source}", path.display())]
    Left { who: Who, path: PathBuf, source: io::Error },
    /// The place for orders cannot be had.
    #[error("cannot take orders at {}: {why}", path.display())]
    Place { path: PathBuf, why: String },
}

impl OrdersError {
    /// Whether the one who makes a part of the run is missing: not there, of another build, with another run, ended or
    /// told to end while it had this one. The run itself is not at fault, and can be made once it is there.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        match self {
            Self::Absent { .. }
            | Self::NoStack { .. }
            | Self::Busy { .. }
            | Self::Refused { .. }
            | Self::Stranger { .. } => true,
            Self::Broken { source, .. } => !matches!(source, WireError::TooLong(_) | WireError::Unexpected(_)),
            Self::Failed { what, .. } => what == ASKED_TO_END,
            Self::Left { .. } | Self::Place { .. } => false,
        }
    }
}

/// Why a line did not come, or was none.
#[derive(Debug, Error)]
pub enum WireError {
    /// The other side has closed the connection.
    #[error("it has ended")]
    Closed,
    /// Nothing came.
    #[error("it has said nothing for {0} s")]
    Silent(u64),
    /// Longer than any message.
    #[error("a line of more than {0} octets")]
    TooLong(usize),
    /// Not a message, or none that has its place here.
    #[error("{0}")]
    Unexpected(String),
    /// The socket.
    #[error("{0}")]
    Socket(#[from] io::Error),
}
