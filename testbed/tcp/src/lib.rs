#![doc = include_str!("../README.md")]
//!
//! # How it is built
//!
//! An [`Endpoint`] is one end of one connection (RFC 9293) as a [`Variant`] describes it. It never reads a clock: every call
//! gets `now`. It moves numbers, not bytes: its driver moves the bytes. What its sender decides, and why, it tells an
//! [`EndpointObserver`].
//!
//! The sender is put together of five choices, each behind a narrow trait: loss recovery, detection of spurious timeouts,
//! the response to them, the estimator of the retransmission timer, and options with the receiver's policies. A mechanism
//! sees the sender read-only and returns what it decides; only the sender acts. The registry names them all.

#![forbid(unsafe_code)]
#![allow(
    unreachable_pub,
    reason = "the macro behind each trait that is delegated is exported, and hidden"
)]

mod accurate;
mod after_spurious;
mod bandwidth;
mod congestion;
mod cut;
mod delivery;
mod detection;
mod endpoint;
mod era;
mod minimum;
mod observer;
mod ranges;
mod receiver;
mod recovery;
mod registry;
mod resent;
mod response;
mod scoreboard;
mod sender;
mod serial;
mod settings;
mod timer;
mod variant;

/// What all that is said here is measured in: time, spans, sizes.
pub use windlull_units as units;
/// What goes between two endpoints, and what a sender says of itself.
pub use windlull_wire as wire;

pub use endpoint::{CloseReason, ConnectionState, Endpoint, GIVE_UP_AFTER};
pub use observer::EndpointObserver;
pub use receiver::Received;
pub use registry::*;
pub use variant::{DelayedAck, TimerSettings, Variant, VariantError};
