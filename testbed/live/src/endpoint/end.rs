//! An end of ours: what it does, how far it is, and what it knows when it is over.

use serde::{Deserialize, Serialize};
use windlull_tcp::{CloseReason, Variant};
use windlull_units::{Bytes, Host, Time};
use windlull_wire::{SenderEvent, SeqNumber};

use crate::assembly::Reason;
use crate::{ReadingPause, Received};

/// What an end does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Role {
    /// Opens, writes so many octets, closes.
    Sends(Bytes),
    /// Listens, reads all, closes when it has seen the end.
    Receives { size: Bytes, pause: Option<ReadingPause> },
}

impl Role {
    /// Octets of the transfer.
    pub(crate) const fn size(self) -> Bytes {
        match self {
            Self::Sends(size) | Self::Receives { size, .. } => size,
        }
    }
}

/// An end of ours.
#[derive(Clone, Debug)]
pub(crate) struct EndpointSetup {
    pub(crate) host: Host,
    pub(crate) variant: Variant,
    pub(crate) isn: SeqNumber,
    pub(crate) role: Role,
}

/// What an end of ours knows when it is over.
#[derive(Debug)]
pub(crate) struct Report {
    /// What the sending half said.
    pub(crate) events: Vec<(Time, SenderEvent)>,
    /// What was sent, in order, and why.
    pub(crate) sent: Vec<Reason>,
    /// What the application read.
    pub(crate) received: Received,
    /// Packets with wrong checksums, which its TCP never saw.
    pub(crate) bad_checksums: u64,
    /// Frames that found the socket's ring full.
    pub(crate) missed: u64,
    /// Frames that the device did not take.
    pub(crate) send_failures: u64,
    /// Why the connection is closed, if it is.
    pub(crate) close_reason: Option<CloseReason>,
}
