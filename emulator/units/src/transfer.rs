//! What a run transfers, and how it ended.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Bytes, Host, Time};

/// What is transferred: the data sender opens the connection, writes everything and closes; the other end reads all
/// and closes when it has seen the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
    /// Octets of data.
    pub size: Bytes,
    /// Who sends them.
    pub data_sender: Host,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "kebab-case")]
pub enum Ending {
    /// Both ends closed in order.
    Closed {
        /// When the last packet's fate was sealed.
        at: Time,
    },
    /// The connection was reset.
    Reset {
        /// When.
        at: Time,
    },
    /// The time limit came first.
    TimeLimit,
    /// Nobody had anything left to do and the connection was still open: a defect of a variant.
    Stalled {
        /// When.
        at: Time,
    },
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed { at } => write!(f, "closed in order at {at}"),
            Self::Reset { at } => write!(f, "reset at {at}"),
            Self::TimeLimit => write!(f, "still under way at the time limit"),
            Self::Stalled { at } => write!(f, "stalled at {at}: open, and nobody had anything to do"),
        }
    }
}
