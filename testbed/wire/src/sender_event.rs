//! What a sender says of itself: an event stream in every testbed, from our TCP directly, from Linux by sampling.
//!
//! Offsets are octets of the data stream, 64 bits, 0 being the first octet after SYN.

use std::borrow::Cow;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlull_units::Span;

windlull_units::named! {
    /// Where the sender's congestion control stands.
    ///
    /// ```text
    ///   SlowStart <-> CongestionAvoidance -- 3 dup ACKs --> FastRecovery -- recovery point --> CongestionAvoidance
    ///        \______________ timer ______________/               |
    ///                          v                              timer
    ///                    TimeoutRecovery  <----------------------+
    ///   (a detector may hold TimeoutRecovery in Detecting first)
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    pub enum Phase {
        /// cwnd below ssthresh.
        SlowStart = "slow-start",
        /// cwnd at or above ssthresh.
        CongestionAvoidance = "congestion-avoidance",
        /// After a fast retransmit, until the recovery point.
        FastRecovery = "fast-recovery",
        /// After a timeout, while a detector asks whether it was spurious.
        Detecting = "detecting",
        /// After a timeout, going back N in slow start.
        TimeoutRecovery = "timeout-recovery",
        /// There is no congestion window: what the peer offers is sent (TCP before 1988).
        FixedWindow = "fixed-window",
    }
}

/// The sender's variables at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SenderState {
    /// Congestion window, octets.
    pub cwnd_bytes: u64,
    /// Slow start threshold, octets; `None` while it has never been set.
    pub ssthresh_bytes: Option<u64>,
    /// Octets outstanding as the sender reckons them (FlightSize, or pipe in SACK recovery).
    pub flight_bytes: u64,
    /// Smoothed round-trip time.
    pub srtt: Option<Span>,
    /// Its mean deviation.
    pub rttvar: Option<Span>,
    /// The retransmission timeout in force, back-off included.
    pub rto: Span,
    /// The timeout as it is estimated, before any bound and back-off; `None` before the first measurement, and of a
    /// sender that does not tell.
    #[serde(default)]
    pub estimated_rto: Option<Span>,
    /// The lower bound that holds for it now, if the sender tells.
    #[serde(default)]
    pub minimum_rto: Option<Span>,
    /// How often the timer has backed off in a row.
    pub backoff: u32,
    pub phase: Phase,
}

windlull_units::named! {
    /// A detector's answer to "was this timeout (or fast retransmit) spurious?".
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    pub enum DetectorAnswer {
        /// The original was only late.
        Spurious = "spurious",
        /// The original was lost.
        Genuine = "genuine",
        /// It cannot tell and gives up.
        Undecided = "undecided",
    }
}

windlull_units::named! {
    /// What holds a sender that has sent all it may for now.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    pub enum LimitedBy {
        /// cwnd has no room for what is to be sent next.
        CongestionWindow = "congestion-window",
        /// The peer's window has no room, or too little to be worth a segment (RFC 9293, section 3.8.6.2.1).
        ReceiveWindow = "receive-window",
        /// All that was written has been sent.
        Application = "application",
        /// Both windows have room, and the next segment waits for its time.
        Pacing = "pacing",
        /// It recovers from a loss, or asks whether a timeout was spurious.
        Recovery = "recovery",
    }
}

/// One event of the sender. Rules and reasons are words for people: `F-RTO 2a`, `RFC 3522 step 4`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum SenderEvent {
    /// The variables after an ACK, a timeout or a transmission changed any of them.
    State(SenderState),
    /// A round-trip time was measured.
    RttSample { rtt: Span },
    /// The retransmission timer fired.
    Timeout {
        /// Its number in this connection, from 1.
        ordinal: u32,
        /// The first unacknowledged octet.
        una: u64,
        /// The octet after the highest one sent.
        max: u64,
        /// The timeout that ran out.
        rto: Span,
        /// Back-offs before this one.
        backoff: u32,
        /// Why it had that length, before back-off, if the sender tells: the estimator's rule, or the bound that it met.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule: Option<Cow<'static, str>>,
    },
    /// Fast recovery began.
    FastRetransmit {
        /// The first unacknowledged octet.
        una: u64,
        /// The octet that must be acknowledged to end the recovery.
        recovery_point: u64,
    },
    /// Fast or timeout recovery ended.
    RecoveryEnded {
        /// The first unacknowledged octet.
        una: u64,
    },
    /// A detector took a step on an ACK (or at the timeout).
    Detector {
        /// The timeout it works on.
        ordinal: u32,
        /// The rule it applied, as in the paper or RFC.
        rule: Cow<'static, str>,
        /// Its answer, once it has one.
        answer: Option<DetectorAnswer>,
    },
    /// The response to a spurious timeout changed the congestion state.
    Response {
        /// The timeout it answers.
        ordinal: u32,
        /// The response's name, as in the variant file.
        name: Cow<'static, str>,
        /// Congestion window before, octets.
        cwnd_before: u64,
        /// Congestion window after, octets.
        cwnd_after: u64,
        /// Slow start threshold after, octets.
        ssthresh_after: u64,
    },
    /// A fast recovery was found spurious, and what it did to the congestion state was taken back. Of a kernel.
    RecoveryUndone {
        /// The rule by which, as in its RFC.
        rule: Cow<'static, str>,
        /// Congestion window before, octets.
        cwnd_before: u64,
        /// Congestion window after, octets.
        cwnd_after: u64,
    },
    /// A tail loss probe was sent (RFC 8985, section 7.3).
    LossProbe,
    /// A tail loss probe had repaired a loss, and the window was reduced for it (RFC 8985, section 7.4.2).
    LossProbeRepaired,
    /// From now on this holds the sender from sending more. It is told from the first data on, and `events.jsonl` leaves it
    /// out: the series has it.
    #[cfg_attr(feature = "schema", schemars(skip))]
    Limited { by: LimitedBy },
    /// For how long a kernel's sender was limited since the connection began, by its own count (`tcp_info`). Told when it has
    /// sent data, and once more at the end.
    LimitedFor {
        /// Data was waiting to be sent or acknowledged: `tcpi_busy_time`.
        busy: Span,
        /// Of that, the peer's window had no room: `tcpi_rwnd_limited`.
        receive_window: Span,
        /// Of that, the send buffer had no room: `tcpi_sndbuf_limited`.
        send_buffer: Span,
    },
}
