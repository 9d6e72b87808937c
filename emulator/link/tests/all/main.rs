//! All tests of the crate from outside, in one program: each more would be linked by itself.

mod aggregation;
mod chosen;
mod fair_queues;
mod handovers;
mod light;
mod link_layer;
mod link_state;
mod live;
#[cfg(feature = "named")]
mod named;
mod plain;
mod policer;
mod preview;
mod properties;
mod queues;
mod replay;
mod service;
mod support;
mod thinning;
mod triggers;
