//! Virtual time: endpoints, links, no clock.
//!
//! A run is a pure function of its [`Setup`]: one or many flows over one link, each perhaps behind an access link of its own,
//! and packets of others that cross it. The driver jumps to the earliest wake-up of all; at one instant the link comes
//! first, then the flows in order, of each the access link, the application, the server, the client; then what crosses.

#![forbid(unsafe_code)]

mod access;
mod app;
mod carried;
mod conversation;
mod crossing;
mod either;
mod flow;
mod foreign;
mod frames;
mod names;
mod run;
mod setup;
mod taps;
mod tcp;
mod unit;
mod wakeups;

pub use run::{Fault, run, run_within};
pub use setup::{Ends, Flow, Setup};
pub use windlull_tcp::Variant;
pub use windlull_units::{ConstantRate, Ending, Requests, Transfer, Work};
