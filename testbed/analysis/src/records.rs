//! What is recorded of timeouts and fast retransmits.

use schemars::JsonSchema;
use serde::Serialize;
use windlull_units::{Span, Time};
use windlull_wire::DetectorAnswer;

use crate::verdict::{Evidence, Reason, Truth};

/// A timeout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TimeoutRecord {
    pub at_ns: Time,
    /// Its number in the connection, from 1.
    pub ordinal: u32,
    /// The first unacknowledged octet of the stream.
    pub una: u64,
    /// The timeout that ran out, if the sender told.
    pub rto_ns: Option<Span>,
    /// Back-offs before it, if the sender told.
    pub backoff: Option<u32>,
    /// Why the timeout had that length before back-off, if the sender told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The smoothed round trip and its mean deviation then, if the sender told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
    /// Whether it is read from the packets and not told by the sender.
    pub inferred: bool,
    /// How it is judged.
    pub verdict: Truth,
    pub reason: Option<Reason>,
    /// What the sender's own end shows, where the verdict is not known: that it was spurious.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// How long the data receiver had the segment by then without having acknowledged it: where an acknowledgement sent
    /// at once would have come before the timer fired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld_ns: Option<Span>,
    pub answer: Option<DetectorAnswer>,
    /// When it was given.
    pub answered_ns: Option<Time>,
}

/// What a sender reckons of the round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "RoundTripEstimate")]
pub struct Estimate {
    /// Smoothed.
    pub srtt_ns: Span,
    /// Its mean deviation, if the estimator has one.
    pub rttvar_ns: Option<Span>,
}

/// A fast retransmit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FastRetransmitRecord {
    pub at_ns: Time,
    /// The first unacknowledged octet of the stream.
    pub una: u64,
    /// Whether it is read from the packets and not told by the sender.
    pub inferred: bool,
    /// How it is judged: by whether its segment was necessary.
    pub verdict: Truth,
    pub reason: Option<Reason>,
}
