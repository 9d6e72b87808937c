#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod allocation;
mod arq;
mod datagram;
mod delay;
mod distribution;
mod draw;
mod effect;
mod impairment;
mod kinds;
mod lane;
mod link;
mod link_state;
mod live;
pub mod model;
#[cfg(feature = "named")]
mod named;
mod packet;
mod pipeline;
pub mod preview;
mod queue;
mod rate;
mod recording;
mod reordering;
mod replay;
mod script;
mod selector;
mod service;
mod slot;
mod start;
mod surroundings;
mod triggers;
mod watch;

/// What all that is said here is measured in: time, sizes, rates, seeds; and the fate of a packet.
pub use windlull_units as units;
pub use windlull_units::{
    BitRate, Bytes, Direction, DropCause, Ecn, Fate, LinkEvent, Network, Outcome, PacketId, Seed, Span, Time,
};

pub use datagram::Datagram;
pub use link::Link;
pub use live::{Condition, LiveChange};
#[cfg(feature = "named")]
pub use named::{NamedLink, UnknownLink, named_links};
pub use packet::{Delivery, LinkObserver, NoPacket, Packet, PureAck, TcpView};
pub use rate::{OPPORTUNITY, RATE_WINDOW, TraceError, parse_trace};
pub use script::ChangeId;
pub use triggers::{SenderView, Triggers};
