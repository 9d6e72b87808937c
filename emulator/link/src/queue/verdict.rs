//! What manages a queue is told of packets, and what it says of them.

use windlull_units::{BitRate, Bytes, Ecn, Span, Time};

/// What the management says of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Pass,
    Mark,
    Drop,
}

impl Verdict {
    /// What a packet is told of congestion: a mark if the queue gives them and the packet is capable, else a drop
    /// (RFC 3168, section 5).
    pub(super) const fn notify(marks: bool, ecn: Ecn) -> Self {
        if marks && ecn.is_capable() {
            Self::Mark
        } else {
            Self::Drop
        }
    }
}

/// A packet that arrives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) now: Time,
    pub(crate) size: Bytes,
    pub(crate) ecn: Ecn,
    /// Whether the queue's limit leaves it room, or it can go into service at once.
    pub(crate) fits: bool,
    /// The rate in force, if there is one.
    pub(crate) rate: Option<BitRate>,
}

/// A packet that leaves the queue for the bottleneck.
#[derive(Clone, Copy, Debug)]
pub(super) struct Departure {
    pub(super) now: Time,
    pub(super) waited: Span,
    pub(super) ecn: Ecn,
}
