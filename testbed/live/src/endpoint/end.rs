//! An end of ours: what it does, how far it is, and what it knows when it is over.

use windlull_tcp::{CloseReason, Variant};
use windlull_units::{Span, Time};
use windlull_wire::{SenderEvent, SeqNumber};

use crate::Received;
use crate::application::Task;
use crate::assembly::Reason;

/// An end of ours of one connection.
#[derive(Clone, Debug)]
pub(crate) struct EndpointSetup {
    /// Of its connection among all of the run, from 0: which ports it has.
    pub(crate) number: u16,
    pub(crate) variant: Variant,
    pub(crate) isn: SeqNumber,
    pub(crate) task: Task,
}

/// What a host's ends of ours know when they are over.
#[derive(Debug)]
pub(crate) struct Report {
    /// Of each connection that has an end of ours here, in their order.
    pub(crate) connections: Vec<ConnectionReport>,
    /// Packets with wrong checksums, which no TCP saw.
    pub(crate) bad_checksums: u64,
    /// Frames that found the socket's ring full.
    pub(crate) missed: u64,
    /// Frames that the device did not take.
    pub(crate) send_failures: u64,
}

/// What an end of ours knows of its connection.
#[derive(Debug)]
pub(crate) struct ConnectionReport {
    /// Of the connection, from 0.
    pub(crate) number: u16,
    /// What the sending half said.
    pub(crate) events: Vec<(Time, SenderEvent)>,
    /// What was sent, in order, and why.
    pub(crate) sent: Vec<Reason>,
    /// What the application read.
    pub(crate) received: Received,
    /// When its responses were complete, and how long each took.
    pub(crate) tasks: Vec<(Time, Span)>,
    /// Why the connection is closed, if it is.
    pub(crate) close_reason: Option<CloseReason>,
}
