//! Virtual time: two endpoints, one link, no clock.
//!
//! A run is a pure function of its [`Setup`]. The driver jumps to the earliest wake-up of link and endpoints; at one
//! instant the link comes first, then the server, then the client.

#![forbid(unsafe_code)]

mod carried;
mod run;
mod taps;

pub use run::{Setup, run};
pub use windlull_units::{Ending, Transfer};
