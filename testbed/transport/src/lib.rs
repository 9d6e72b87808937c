//! The contract between a run and a transport from elsewhere: QUIC, or another TCP.
//!
//! A [`Stack`] makes the two ends of a connection. Each end is a [`Transport`]: a state machine that is told what happens and
//! when, and [answers](Answers) with datagrams to send, with what its application may know, with what it says of itself, and
//! with the instant at which it wants to be woken. It has no clock and no socket, so virtual time stands still while it
//! computes.

#![forbid(unsafe_code)]

mod frames;
mod interface;
mod options;
pub mod process;
mod qlog;
mod reads;
mod registry;
mod said;

pub use frames::{FrameError, frames};
pub use interface::{
    Answer, Answers, Broken, CONTRACT, Datagram, MAX_DATAGRAM, Order, Role, Stack, Start, StreamId, Transport, Write,
};
pub use options::{set_options, within};
pub use qlog::{from_qlog, from_qlog_text, to_qlog};
pub use reads::Reads;
pub use registry::{build_in, built_in};
pub use said::{
    AckRange, CongestionState, Frame, LossTrigger, Metrics, PacketLost, PacketReceived, PacketSent, Said, Space,
};
