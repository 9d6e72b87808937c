//! What two TCP ends say to each other (segments) and about themselves (sender events).
//!
//! Payload bytes are not here: an endpoint moves numbers, its driver moves bytes. A segment carries the length of its payload.

#![forbid(unsafe_code)]

mod cause;
pub mod content;
pub mod packet;
mod segment;
mod sender_event;
mod seq;

pub use cause::TransmitCause;
pub use segment::{Flags, MAX_SACK_BLOCKS, Options, SackBlock, SackBlocks, Segment, Timestamps};
pub use sender_event::{DetectorAnswer, LimitedBy, Phase, SenderEvent, SenderState};
pub use seq::SeqNumber;
