//! All tests of the crate from outside, in one program: each more would be linked by itself.

mod calibrate;
mod carry;
mod clip;
mod contract;
mod corrupted;
mod diff;
mod engine;
mod episodes;
mod estimate;
mod key;
mod limits;
mod network;
mod packetdrill;
mod places;
mod plan;
mod preview;
mod replay;
mod support;
mod triggers;
