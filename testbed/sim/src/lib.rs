//! Virtual time: endpoints, links, no clock.
//!
//! A run is a pure function of its [`Setup`]: one or many flows over one link, each perhaps behind an access link of its own,
//! and packets of others that cross it. The driver jumps to the earliest wake-up of all; at one instant the link comes
//! first, then the flows in order, of each the access link, the application, the server, the client; then what crosses.

#![forbid(unsafe_code)]

mod access;
mod app;
mod carried;
mod crossing;
mod flow;
mod names;
mod run;
mod setup;
mod taps;
mod wakeups;

pub use run::{run, run_within};
pub use setup::{Flow, Setup};
pub use windlull_tcp::Variant;
pub use windlull_units::{ConstantRate, Ending, Requests, Transfer, Work};
