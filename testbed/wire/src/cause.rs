//! Why a segment was sent: known for our own TCP alone; a capture of Linux has none.

use serde::{Deserialize, Serialize};

windlull_units::named! {
    /// The rule that made the sender send this segment.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum TransmitCause {
        /// SYN or SYN-ACK, first or again.
        Handshake = "handshake",
        /// New data that the windows allow.
        NewData = "new-data",
        /// New data on the first or second duplicate ACK (RFC 3042).
        LimitedTransmit = "limited-transmit",
        /// New data while a detector waits for its second ACK (F-RTO step 2a).
        DetectorProbe = "detector-probe",
        /// The first retransmission of a fast recovery (RFC 5681, section 3.2).
        FastRetransmit = "fast-retransmit",
        /// A retransmission on a partial ACK (RFC 6582, section 3.2, step 3).
        PartialAck = "partial-ack",
        /// A hole of the SACK scoreboard (RFC 6675, section 4, `NextSeg` rules 1 and 3).
        SackHole = "sack-hole",
        /// RFC 6675's rescue retransmission (`NextSeg` rule 4).
        Rescue = "rescue",
        /// The segment that the retransmission timer fired for (RFC 6298, 5.4).
        Timeout = "timeout",
        /// Further retransmissions after a timeout, in slow start but for senders of before 1988.
        AfterTimeout = "after-timeout",
        /// Zero-window probe (RFC 9293, section 3.8.6.1).
        WindowProbe = "window-probe",
        /// FIN, first or again.
        Fin = "fin",
        /// A pure acknowledgement: delayed-ACK timer, second segment, out of order, or duplicate.
        Ack = "ack",
        Reset = "reset",
        /// Slow start's further retransmissions after a fast retransmit (Tahoe).
        GoBack = "go-back",
        /// A segment that RACK deems lost by the time since it was sent (RFC 8985, section 6.2, step 5).
        LostByTime = "lost-by-time",
        /// A tail loss probe, of new data or the last segment again (RFC 8985, section 7.3).
        LossProbe = "loss-probe",
    }
}
