//! What runs carry, and how they ended.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{BitRate, Bytes, Direction, Host, Span, Time};

/// What is transferred: the data sender opens the connection, writes everything and closes; the other end reads all
/// and closes when it has seen the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
    /// Octets of data.
    pub size: Bytes,
    /// Who sends them.
    pub data_sender: Host,
}

/// What one connection is there for. The data sender opens it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// The data sender writes so many octets and closes.
    Octets(Bytes),
    /// The data sender always has data; after this span the flow is over, whatever is under way.
    Lasting(Span),
    /// The other end asks, and the data sender answers.
    Requests(Requests),
}

/// Requests and their responses over one connection. A *task* is a response, from its request to its last octet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requests {
    /// Octets of a request; with none the data sender knows by itself when it is asked.
    pub request: Bytes,
    /// Octets of a response.
    pub response: Bytes,
    /// From one request to the next; `None`: each follows the response to the one before.
    pub every: Option<Span>,
    /// How many; then the data sender closes.
    pub count: u32,
}

/// Packets of one size at a constant rate, which nothing answers and nothing repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstantRate {
    /// The rate, packets counted whole.
    pub rate: BitRate,
    /// Octets of a packet, its headers included.
    pub packet: Bytes,
    /// The way they go.
    pub direction: Direction,
    /// When the first is sent.
    pub start: Span,
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
    /// The flows' time was up, as was wanted.
    Elapsed {
        /// When that of the last was.
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

impl Ending {
    /// Whether the run ended as it was meant to.
    pub const fn is_as_meant(self) -> bool {
        matches!(self, Self::Closed { .. } | Self::Elapsed { .. })
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed { at } => write!(f, "closed in order at {at}"),
            Self::Elapsed { at } => write!(f, "over at {at}, as was wanted"),
            Self::Reset { at } => write!(f, "reset at {at}"),
            Self::TimeLimit => write!(f, "still under way at the time limit"),
            Self::Stalled { at } => write!(f, "stalled at {at}: open, and nobody had anything to do"),
        }
    }
}
