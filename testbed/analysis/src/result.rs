//! What the analysis of a run says.

use std::collections::BTreeMap;

use serde::Serialize;
use windlull_units::{Host, Span, Time};
use windlull_wire::DetectorAnswer;

use crate::course::Course;
use crate::episodes::Episode;
use crate::rtt::RoundTrips;
use crate::verdict::{Evidence, Reason, Truth};

/// Where packets were seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ends {
    /// At both ends: every packet's fate is known.
    Both,
    /// At the data sender alone: what became of its packets is not known.
    Sender,
    /// At the data receiver alone: what did not arrive is not known.
    Receiver,
}

/// The metrics of a run. What cannot be known is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Metrics {
    /// From the first SYN sent to the arrival of the acknowledgement of the data sender's FIN at the data sender,
    /// seconds. Of a connection that did not get there: to the last packet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_s: Option<f64>,
    /// Payload that arrived intact at the data receiver, duplicates included, over the elapsed time, bit/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throughput_bps: Option<f64>,
    /// The same, every octet counted once, bit/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goodput_bps: Option<f64>,
    /// Payload that the data sender sent, retransmissions included, over the elapsed time, bit/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent_bps: Option<f64>,
    /// Data segments that the data sender sent, retransmissions included.
    pub segments_sent: u64,
    /// Packets of both directions that the link dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packets_lost: Option<u64>,
    /// Of these, those that met a full queue, or that its management dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub congestion_losses: Option<u64>,
    /// Packets of both directions that a queue marked instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packets_marked: Option<u64>,
    /// Mean time that packets of the data's direction waited in the queue, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_delay_s: Option<f64>,
    /// Segments of which some octet was sent before, SYN and FIN counted as octets: what tcptrace counts.
    pub retransmissions: u64,
    /// Of these, those of which every octet is delivered in an earlier copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unnecessary_retransmissions: Option<u64>,
    /// Timeouts that waiting would have avoided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spurious_timeouts: Option<u64>,
    /// Other timeouts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub genuine_timeouts: Option<u64>,
    /// Fast retransmits.
    pub fast_retransmits: u64,
    /// Of these, those whose segment was unnecessary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spurious_fast_retransmits: Option<u64>,
    /// Spurious timeouts that the detector called spurious.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detector_true_positives: Option<u64>,
    /// Genuine timeouts that the detector called spurious.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detector_false_positives: Option<u64>,
    /// Genuine timeouts that it did not call spurious.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detector_true_negatives: Option<u64>,
    /// Spurious timeouts that it did not call spurious.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detector_false_negatives: Option<u64>,
    /// Timeouts about which it gave up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detector_undecided: Option<u64>,
    /// Median time from a timeout to the detector's answer `spurious` or `genuine`, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detection_delay_s: Option<f64>,
    /// Mean time from a request to the last octet of its response, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_completion_s: Option<f64>,
    /// The timeout as it is estimated, before its minimum and back-off: the mean over time, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_rto_s: Option<f64>,
    /// The minimum of the timeout over the estimated one: the mean over time (psaras2007, equation 2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum_rto_cost: Option<f64>,
    /// The timeout that ran out when the timer fired spuriously for the first time, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rto_at_spurious_s: Option<f64>,
    /// The timeout in force from the first round trip on that was measured after that, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rto_after_spurious_s: Option<f64>,
    /// The longest in force from then on, for 30 seconds, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rto_peak_after_spurious_s: Option<f64>,
    /// The mean over time of what was in force from then on, until 30 seconds after the spurious timeout, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rto_mean_after_spurious_s: Option<f64>,
    /// From the spurious timeout until the timeout in force was lowest after its longest, within 30 seconds, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rto_settling_s: Option<f64>,
    /// Octets outstanding when the sender first took something for lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flight_at_first_loss_bytes: Option<f64>,
    /// The mean of that over all its timeouts and fast retransmits; a timeout that is repeated counts once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flight_at_loss_bytes: Option<f64>,
    /// Of a run of several flows, what [`together`](crate::together) names.
    #[serde(flatten)]
    pub of_flows: BTreeMap<String, f64>,
}

/// Retransmissions by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RetransmissionCounts {
    /// Necessary.
    pub necessary: u64,
    /// Unnecessary: the original or its acknowledgement was late.
    pub unnecessary_delayed: u64,
    /// Unnecessary: the acknowledgements were lost.
    pub unnecessary_ack_lost: u64,
    /// Unnecessary for a reason that is not known.
    pub unnecessary_other: u64,
    /// Not known.
    pub unknown: u64,
    /// Of the unknown ones, those that the sender's own end shows to be unnecessary (D-SACK, timestamps).
    pub inferred_unnecessary: u64,
}

/// A timeout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TimeoutRecord {
    /// When.
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
    /// Why.
    pub reason: Option<Reason>,
    /// What the sender's own end shows, where the verdict is not known: that it was spurious.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// How long the data receiver had the segment by then without having acknowledged it: where an acknowledgement sent
    /// at once would have come before the timer fired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld_ns: Option<Span>,
    /// The detector's answer.
    pub answer: Option<DetectorAnswer>,
    /// When it was given.
    pub answered_ns: Option<Time>,
}

/// What a sender reckons of the round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Estimate {
    /// Smoothed.
    pub srtt_ns: Span,
    /// Its mean deviation, if the estimator has one.
    pub rttvar_ns: Option<Span>,
}

/// A fast retransmit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FastRetransmitRecord {
    /// When.
    pub at_ns: Time,
    /// The first unacknowledged octet of the stream.
    pub una: u64,
    /// Whether it is read from the packets and not told by the sender.
    pub inferred: bool,
    /// How it is judged: by whether its segment was necessary.
    pub verdict: Truth,
    /// Why.
    pub reason: Option<Reason>,
}

/// What the analysis of a run says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunAnalysis {
    /// Who sent the data.
    pub data_sender: Host,
    /// Where packets were seen.
    pub ends: Ends,
    /// Whether the data sender's FIN was acknowledged.
    pub complete: bool,
    /// The metrics.
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
    /// Its end.
    pub ended: Time,
    /// Payload that the data sender sent, octets, retransmissions included.
    pub sent: u64,
    /// Payload that arrived intact at the data receiver, octets, duplicates included.
    pub payload: u64,
    /// The same, every octet counted once.
    pub octets: u64,
}
