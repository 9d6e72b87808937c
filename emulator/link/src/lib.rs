//! The link, sans-IO: what happens to a packet between two ends, as a function of the model, the seed and `now`.
//!
//! [`Link`] is the whole of it; [`model`] says what a link can be. Each direction is a pipeline: queue, allocation of
//! the channel, link-layer send buffer, serialisation, impairments, propagation, release in order. Every packet ends
//! with exactly one fate, and every change of the link is an event: a [`LinkObserver`] is told of both.

#![forbid(unsafe_code)]

mod allocation;
mod arq;
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

pub use link::Link;
pub use live::{Condition, LiveChange};
pub use packet::{Delivery, LinkObserver, NoPacket, Packet, PureAck, TcpView};
pub use rate::{OPPORTUNITY, RATE_WINDOW, TraceError, parse_trace};
pub use script::ChangeId;
pub use triggers::{SenderView, Triggers};
