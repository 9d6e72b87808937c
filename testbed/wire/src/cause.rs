//! Why a segment was sent: known for our own TCP alone; a capture of Linux has none.

use serde::{Deserialize, Serialize};

/// The rule that made the sender send this segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TransmitCause {
    /// SYN or SYN-ACK, first or again.
    Handshake,
    /// New data that the windows allow.
    NewData,
    /// New data on the first or second duplicate ACK (RFC 3042).
    LimitedTransmit,
    /// New data while a detector waits for its second ACK (F-RTO step 2a).
    DetectorProbe,
    /// The first retransmission of a fast recovery (RFC 5681, section 3.2).
    FastRetransmit,
    /// A retransmission on a partial ACK (RFC 6582, section 3.2, step 3).
    PartialAck,
    /// A hole of the SACK scoreboard (RFC 6675, section 4, `NextSeg` rules 1 and 3).
    SackHole,
    /// RFC 6675's rescue retransmission (`NextSeg` rule 4).
    Rescue,
    /// The segment that the retransmission timer fired for (RFC 6298, 5.4).
    Timeout,
    /// Further retransmissions after a timeout, in slow start but for senders of before 1988.
    AfterTimeout,
    /// Zero-window probe (RFC 9293, section 3.8.6.1).
    WindowProbe,
    /// FIN, first or again.
    Fin,
    /// A pure acknowledgement: delayed-ACK timer, second segment, out of order, or duplicate.
    Ack,
    Reset,
    /// Slow start's further retransmissions after a fast retransmit (Tahoe).
    GoBack,
    /// A segment that RACK deems lost by the time since it was sent (RFC 8985, section 6.2, step 5).
    LostByTime,
    /// A tail loss probe, of new data or the last segment again (RFC 8985, section 7.3).
    LossProbe,
}

impl TransmitCause {
    /// The name of the cause, as in files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Handshake => "handshake",
            Self::NewData => "new-data",
            Self::LimitedTransmit => "limited-transmit",
            Self::DetectorProbe => "detector-probe",
            Self::FastRetransmit => "fast-retransmit",
            Self::PartialAck => "partial-ack",
            Self::SackHole => "sack-hole",
            Self::Rescue => "rescue",
            Self::Timeout => "timeout",
            Self::AfterTimeout => "after-timeout",
            Self::WindowProbe => "window-probe",
            Self::Fin => "fin",
            Self::Ack => "ack",
            Self::Reset => "reset",
            Self::GoBack => "go-back",
            Self::LostByTime => "lost-by-time",
            Self::LossProbe => "loss-probe",
        }
    }
}
