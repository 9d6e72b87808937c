//! What the mechanisms may see of the sender, and what they are told of an acknowledgement.

use windlull_units::Time;

use crate::congestion::Congestion;
use crate::ranges::Range;
use crate::registry::BelowRecoveryPoint;
use crate::scoreboard::Scoreboard;
use crate::timer::{SendTimer, StampClock};

use super::marks::Marks;
use super::stream::Stream;

/// Where the sender stands.
///
/// ```text
///            fast retransmit                       recovery point acknowledged
///   Open ---------------------> FastRecovery ------------------------------------> Open
///     |                              |
///     |  timer                       | timer                    timer (from anywhere); Tahoe's fast retransmit (from Open)
///     +-------------+----------------+                                 |
///                   v                                                  v
///        detector asks first: Detecting --- genuine, undecided ---> GoingBack -- point acknowledged --> Open
///                   |                                                  |
///                   +--- spurious ---> Open       detector listens on; spurious ---> Open
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Slow start or congestion avoidance.
    Open,
    /// Loss recovery after a fast retransmit.
    FastRecovery,
    /// After a timeout, a detector holds the sender back.
    Detecting {
        /// New segments it may still send as probes.
        probes: u32,
        /// What was outstanding at the timeout ended here.
        point: u64,
        /// What the timeout sent again ends here.
        resent: u64,
    },
    /// Sending again in slow start from the first unacknowledged octet.
    GoingBack {
        /// What was outstanding then ended here.
        point: u64,
        /// What made the sender go back.
        after: Setback,
    },
}

/// What made a sender go back N.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setback {
    /// The retransmission timer.
    Timeout,
    /// A fast retransmit that no fast recovery follows (Tahoe).
    FastRetransmit,
}

/// The part of the sender that mechanisms see, read-only. What an acknowledgement says is already in it when they are asked.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) stream: Stream,
    pub(crate) congestion: Congestion,
    pub(crate) scoreboard: Scoreboard,
    pub(crate) timer: SendTimer,
    /// What stamps segments.
    pub(crate) clock: StampClock,
    pub(crate) mode: Mode,
    /// Octets sent by limited transmit since the last advance: not part of FlightSize at a loss (RFC 5681, section 3.2).
    pub(crate) limited: u64,
    /// Which windows of data were reduced for marks.
    pub(crate) marks: Marks,
    /// Whether the peer had reported a duplicate (RFC 2883) before the acknowledgement at hand.
    pub(crate) dsack_seen: bool,
    /// The variant's choice about fast retransmits below a timeout's recovery point.
    pub(crate) below_point: BelowRecoveryPoint,
}

impl View {
    /// FlightSize for a threshold (RFC 5681, equation 4).
    pub(crate) const fn flight_at_loss(&self) -> u64 {
        self.stream.flight().saturating_sub(self.limited)
    }

    /// The threshold of a recovery from the loss that `lost` begins with: what a loss leaves of FlightSize, or what it is, if
    /// a mark on the same window of data was answered before (RFC 3168, section 6.1.2).
    pub(crate) fn threshold_at_loss(&self, lost: Option<Range>) -> u64 {
        if self.is_spared(lost) {
            self.congestion.ssthresh
        } else {
            self.congestion.reduced(self.flight_at_loss(), self.stream.smss)
        }
    }

    /// Whether the loss of the segment that `lost` begins with asks for no reduction any more.
    pub(super) fn is_spared(&self, lost: Option<Range>) -> bool {
        lost.is_some_and(|lost| {
            let end = lost.right.min(lost.left + self.stream.smss);
            self.marks.spares(Range::new(lost.left, end))
        })
    }
}

/// What an acceptable acknowledgement said.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ack {
    pub(crate) now: Time,
    /// Octets it newly acknowledged cumulatively.
    pub(crate) advanced: u64,
    /// Whether it is a duplicate as RFC 5681, section 2 defines it.
    pub(crate) duplicate: bool,
    /// Whether it only repeats the one before: as a duplicate, but without SACK blocks, and perhaps with nothing outstanding.
    pub(crate) repeats: bool,
    /// Octets it newly reported as received out of order.
    pub(crate) sacked: u64,
    /// The first block reported a duplicate (RFC 2883).
    pub(crate) dsack: bool,
    /// The octets it reported as received twice, if they were ever sent.
    pub(crate) reported: Option<Range>,
    /// Whether it echoes a congestion mark.
    pub(crate) marked: bool,
    /// The sum of the nonces of all it acknowledges (RFC 3540).
    pub(crate) nonce_sum: bool,
    /// The timestamp it echoes.
    pub(crate) echo: Option<u32>,
}
