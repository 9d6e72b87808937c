//! The link, sans-IO: what happens to a packet between two ends, as a function of the model, the seed and `now`.

mod distribution;
mod draw;
pub mod model;
mod packet;
mod rate;

pub use packet::{Delivery, LinkObserver, Packet, TcpView};
pub use rate::{TraceError, parse_trace};
