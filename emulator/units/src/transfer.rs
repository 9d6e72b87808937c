//! What runs carry, and how they ended.

use std::fmt;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use crate::{BitRate, Bytes, Direction, Host, Span, Time};

/// What is transferred: the data sender opens the connection, writes everything and closes; the other end reads all
/// and closes when it has seen the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Transfer {
    /// Octets of data.
    pub size: Bytes,
    pub data_sender: Host,
}

/// More octets than any run transfers: who always has data has written so many.
pub const ALWAYS: Bytes = Bytes::new(1 << 50);

/// What one connection is there for. The data sender opens it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
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
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(deny_unknown_fields))]
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
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(deny_unknown_fields))]
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

impl ConstantRate {
    /// When the packet of this number goes, from 0. Worked out from the start each time, so that rounding never adds up.
    pub fn sends(&self, number: u64) -> Time {
        let bits = u128::from(self.packet.bits()) * u128::from(number);
        let ns = bits * 1_000_000_000 / u128::from(self.rate.as_bps());
        let since_start = Span::from_ns(u64::try_from(ns).unwrap_or(u64::MAX));
        Time::ZERO + self.start.saturating_add(since_start)
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(Serialize, Deserialize),
    serde(tag = "end", rename_all = "kebab-case")
)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
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
    Reset { at: Time },
    /// The command ended, and not well.
    CommandFailed {
        /// When the last packet's fate was sealed.
        at: Time,
        /// Its exit code; none if a signal ended it.
        code: Option<i32>,
    },
    /// The time limit came first.
    TimeLimit,
    /// It needed more events than it may have.
    EventLimit,
    /// Whoever watched it could not go on.
    Unwatched,
    /// Nothing answered an end's timeouts any more, and it gave the connection up (RFC 9293, section 3.8.3: R2).
    GaveUp {
        /// When the last packet's fate was sealed.
        at: Time,
        /// How many in a row.
        timeouts: u32,
    },
    /// Nobody had anything left to do and the connection was still open: a defect of a variant.
    Stalled { at: Time },
    /// A stack from elsewhere hung, died or broke its contract.
    Broken { at: Time },
}

/// The exit code of endpoints of the QUIC interop runner that do not support a test case, and of shells that do not find a
/// command. Neither says anything of the link.
const COMMAND_UNSUPPORTED: i32 = 127;

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
            Self::CommandFailed {
                code: Some(COMMAND_UNSUPPORTED),
                ..
            } => write!(
                f,
                "unsupported: the command ended with exit code 127, which says that an interop endpoint does not support \
                 the test case, or that a shell does not find a command"
            ),
            Self::CommandFailed { code: Some(code), .. } => write!(f, "the command ended with exit code {code}"),
            Self::CommandFailed { code: None, .. } => write!(f, "a signal ended the command"),
            Self::TimeLimit => write!(f, "still under way at the time limit"),
            Self::EventLimit => write!(f, "still under way after as many events as it may have"),
            Self::Unwatched => write!(f, "ended early: it could not be recorded any more"),
            Self::GaveUp { at, timeouts } => {
                write!(f, "gave up at {at}: nothing answered {timeouts} timeouts in a row")
            }
            Self::Stalled { at } => write!(
                f,
                "stalled at {at}: the connection was open, no packet was under way, and neither end had a timer set"
            ),
            Self::Broken { at } => write!(f, "ended early at {at}: a stack was at fault"),
        }
    }
}

/// Commands that the hosts run: what they send over the link is the workload.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Commands {
    /// The client's: its exit code and its time are the result. The program, then its arguments.
    pub client: Vec<String>,
    /// The server's, which is started first and ended with the run; none if the server has its program already.
    pub server: Option<Vec<String>>,
    /// The client's command waits until something at the server listens at this port of TCP or UDP.
    pub port: Option<u16>,
}
