#![doc = include_str!("../README.md")]
//!
//! Nothing here reads a clock, a random source or a file: time and seeds are arguments everywhere.

#![forbid(unsafe_code)]

mod carries;
pub mod checksum;
mod ecn;
mod fate;
mod link_event;
mod named;
mod network;
mod plane;
mod random;
mod rate;
mod replayed;
mod size;
mod time;
mod transfer;
mod unmet;

pub use carries::Carries;
pub use ecn::Ecn;
pub use fate::{Direction, DropCause, Fate, Host, Outcome, PacketId};
pub use link_event::LinkEvent;
pub use network::Network;
pub use plane::{Build, LinkCaptureCounts, Pace, PlaneKind};
pub use random::{Rng, Seed};
pub use rate::BitRate;
pub use replayed::{Replayed, ReplayedWay};
pub use size::Bytes;
pub use time::{Span, Time};
pub use transfer::{ALWAYS, Commands, ConstantRate, Ending, Requests, Transfer, Work};
pub use unmet::UnmetCondition;

mod parse;
pub use parse::{ParseQuantityError, parse_bit_rate, parse_bytes, parse_probability, parse_span};
