//! What is told of an episode.

use schemars::JsonSchema;
use serde::Serialize;
use windlull_units::{Span, Time};
use windlull_wire::DetectorAnswer;

use super::causes::Cause;
use super::words::Sentence;
use crate::records::{FastRetransmitRecord, TimeoutRecord};

/// From the onset of a trouble to the recovery from it. Offsets are octets of the stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Episode {
    /// From 1.
    pub number: u64,
    /// The kind of the first cause. Without any: `initial-timeout` if the SYN was answered later than its timer allowed,
    /// `delayed-ack` if the receiver acknowledged a segment later than that, else `unknown`.
    pub cause: &'static str,
    /// When the trouble began.
    pub onset_ns: Time,
    /// When the last of its causes was over, if all were.
    pub ended_ns: Option<Time>,
    /// When the sender had recovered, if the run did not end before.
    pub recovered_ns: Option<Time>,
    /// What the link did.
    pub causes: Vec<Cause>,
    /// What was outstanding at the onset.
    pub outstanding: Outstanding,
    /// What the sender did first.
    pub reaction: Option<Reaction>,
    pub timeouts: Vec<TimeoutRecord>,
    /// Its fast retransmits.
    pub fast_retransmits: Vec<FastRetransmitRecord>,
    /// What it sent again.
    pub retransmissions: ResentCounts,
    /// The steps of its detector.
    pub detector: Vec<DetectorStep>,
    /// Its responses to spurious timeouts.
    pub responses: Vec<ResponseRecord>,
    /// Its windows at the onset, if it tells.
    pub before: Option<Windows>,
    /// Its windows at the recovery, if it tells.
    pub after: Option<Windows>,
    pub cost: Cost,
    /// What happened, in order of time.
    pub story: Vec<Sentence>,
    /// Happenings that the story leaves out.
    pub untold: u64,
}

/// What is under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Outstanding {
    /// The first unacknowledged octet.
    pub una: u64,
    /// The octet after the highest one sent.
    pub max: u64,
}

/// What the sender did first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reaction {
    pub kind: ReactionKind,
    pub at_ns: Time,
}

/// How a sender can react.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReactionKind {
    /// Its timer fired.
    Timeout,
    /// It retransmitted on acknowledgements.
    FastRetransmit,
    /// It retransmitted; why is not known.
    Retransmission,
}

/// Retransmissions by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ResentCounts {
    pub segments: u64,
    /// Needed.
    pub necessary: u64,
    /// In vain.
    pub unnecessary: u64,
    pub unknown: u64,
}

/// A step of the detector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DetectorStep {
    pub at_ns: Time,
    /// The timeout it works on.
    pub ordinal: u32,
    /// The rule it applied.
    pub rule: String,
    /// Its answer, if it gave one.
    pub answer: Option<DetectorAnswer>,
    /// All before this octet was acknowledged then.
    pub ack: u64,
    /// Whether the last acknowledgement was a duplicate.
    pub duplicate: bool,
}

/// A response to a spurious timeout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ResponseRecord {
    pub at_ns: Time,
    /// The timeout it answers.
    pub ordinal: u32,
    /// Its name, as in the variant's file.
    pub name: String,
    /// Congestion window before, octets.
    pub cwnd_before: u64,
    /// Congestion window after, octets.
    pub cwnd_after: u64,
    /// Slow start threshold after, octets.
    pub ssthresh_after: u64,
}

/// The sender's windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Windows {
    /// Congestion window, octets.
    pub cwnd_bytes: u64,
    /// Slow start threshold, octets, once it was set.
    pub ssthresh_bytes: Option<u64>,
}

/// What an episode cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "EpisodeCost")]
pub struct Cost {
    /// Packets that the link dropped, both ways; nobody knows where packets were seen at one end.
    pub packets_lost: Option<u64>,
    /// Payload of unnecessary retransmissions; nobody knows where packets were seen at one end.
    pub octets_unnecessary: Option<u64>,
    /// The longest time in which nothing new was delivered.
    pub silence_ns: Span,
    /// From the onset to the recovery, or to the end of the run.
    pub duration_ns: Span,
}
