//! What the analysis of a run says.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use windlull_units::{Host, Replayed, Time, UnmetCondition};

use crate::course::Course;
use crate::episodes::Episode;
use crate::metrics::Metrics;
pub use crate::records::{Estimate, FastRetransmitRecord, TimeoutRecord};
use crate::rtt::RoundTrips;

/// Where packets were seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "CapturedEnds")]
pub enum Ends {
    /// At both ends: every packet's fate is known.
    Both,
    /// At the data sender alone: what became of its packets is not known.
    Sender,
    /// At the data receiver alone: what did not arrive is not known.
    Receiver,
}

/// The schema of a metric's value: a count, or a quantity.
#[derive(Debug, JsonSchema)]
#[schemars(inline, extend("type" = ["integer", "number"]), with = "f64")]
pub(crate) struct MetricValue;

/// The schema of metrics: their values by their names.
pub(crate) type MetricValues = BTreeMap<String, MetricValue>;

/// Retransmissions by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RetransmissionCounts {
    /// Necessary.
    pub necessary: u64,
    /// Unnecessary: the original or its acknowledgement was late.
    pub unnecessary_delayed: u64,
    /// Unnecessary: the acknowledgements were lost.
    pub unnecessary_ack_lost: u64,
    /// Unnecessary for a reason that is not known.
    pub unnecessary_other: u64,
    pub unknown: u64,
    /// Of the unknown ones, those that the sender's own end shows to be unnecessary (D-SACK, timestamps).
    pub inferred_unnecessary: u64,
}

/// What the analysis of a run says.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RunAnalysis {
    /// Who sent the data.
    pub data_sender: Host,
    /// Where packets were seen.
    pub ends: Ends,
    /// Whether the data sender's FIN was acknowledged.
    pub complete: bool,
    pub metrics: Metrics,
    /// Retransmissions by verdict.
    pub retransmissions: RetransmissionCounts,
    /// Of the retransmissions, those of SYN, or of FIN without data; `segments_sent` leaves them out.
    pub control_retransmissions: u64,
    /// Segments sent into a shut window; they are no retransmissions, whatever they carry.
    pub window_probes: u64,
    /// Round trips, if episodes were asked for; absent if none was measured, as where only what arrives is seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_trips: Option<RoundTrips>,
    /// Every timeout.
    pub timeouts: Vec<TimeoutRecord>,
    /// Every fast retransmit.
    pub fast_retransmits: Vec<FastRetransmitRecord>,
    /// From the onset of each trouble to the recovery from it, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub episodes: Option<Vec<Episode>>,
    /// What was sent and delivered in each second, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub course: Option<Course>,
    /// How far what came to the link was what had been recorded, if it replayed a recording.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replayed: Option<Replayed>,
    /// The entries of the link's script that never began, as the transport never met their conditions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unmet: Vec<UnmetCondition>,
    /// What is not known, assumed or strange, in sentences.
    pub notes: Vec<String>,
    /// What several flows are added up by.
    #[serde(skip)]
    pub extent: Extent,
}

/// How long a connection was and how much arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Its first packet, if it has any.
    pub began: Option<Time>,
    pub ended: Time,
    /// Payload that the data sender sent, octets, retransmissions included.
    pub sent: u64,
    /// Payload that arrived intact at the data receiver, octets, duplicates included.
    pub payload: u64,
    /// The same, every octet counted once.
    pub octets: u64,
}
