//! The link profile file, as it is written. Its JSON Schema and its reference come from these types and comments.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlull_link::model::{InOrder, Persistence, QueueLimit, QueueSize, Start};
use windlull_units::{BitRate, Bytes, Span};

pub use crate::kinds::KindFile;
use crate::schema::FileType;
use crate::text::{Begin, Probability, Rate, SpanDistribution, Text};

/// A link between a server and a client: `profiles/links/NAME.toml`.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Windlull link profile")]
pub struct LinkFile {
    /// What the link is, in one line.
    #[schemars(length(min = 1))]
    pub title: String,
    /// A longer description, for readers.
    #[schemars(extend("contentMediaType" = "text/plain"))]
    pub description: Option<String>,
    /// Where the numbers come from: papers with their section, RFCs, specifications.
    #[schemars(extend("contentMediaType" = "text/plain"))]
    pub source: Option<String>,
    /// Which links it belongs to, for lists. It changes nothing of what the link does.
    pub family: Option<Family>,
    /// The profile this one builds on: a name, or the path of a file. Keys given here replace those of that profile;
    /// an impairment replaces the one of its name, else it is added; script entries are added.
    pub extends: Option<String>,
    /// Both directions alike; `[down]` and `[up]` override single keys. Together they must give each direction
    /// a `rate`, a `delay` and a `queue`.
    pub both: Option<PathFile>,
    /// From server to client.
    pub down: Option<PathFile>,
    /// From client to server.
    pub up: Option<PathFile>,
    /// Random processes on the link, each with its own stream of random numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 500))]
    pub impairment: Vec<ImpairmentFile>,
    /// What happens once, at a given time or at chosen packets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 10_000))]
    pub script: Vec<ScriptFile>,
    /// A recording that is played on the link.
    pub recording: Option<RecordingFile>,
    /// What the packets of a run met, played to others. Nothing else happens on such a link.
    pub replay: Option<ReplayFile>,
    /// A NAT where packets enter the link, which gives UDP flows of the client's other ports. For `windlull shell` and the
    /// emulator, on the model plane; experiments refuse it.
    pub rebinding: Option<RebindingFile>,
    /// Where in its period that begins which repeats: `[recording]`, a rate of `kind = "trace"`, a `stepped` one with
    /// a period. `beginning`, so far into it, or `random`: at a place drawn from the seed, so that repetitions of a run
    /// meet different parts of it. Default: `beginning`.
    #[schemars(extend("atMost" = "100 h"))]
    pub start: Option<Text<Start>>,
}

impl FileType for LinkFile {
    const STRUCTURE: &'static str = include_str!("structure/link.lines");
}

/// The families of links, in the order of lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Family {
    /// Long Term Evolution, the fourth generation of mobile networks.
    #[serde(rename = "lte")]
    #[schemars(title = "LTE")]
    Lte,
    /// New Radio, the fifth generation of mobile networks.
    #[serde(rename = "5g")]
    #[schemars(title = "5G")]
    FifthGeneration,
    /// The second and third generation of mobile networks: GSM, GPRS, EDGE, UMTS and HSPA.
    #[serde(rename = "2g-3g")]
    #[schemars(title = "GPRS, 3G and HSPA")]
    Older,
    /// A radio or a terminal that moves, in a car, a train or a lift.
    #[serde(rename = "moving")]
    #[schemars(title = "Cars, trains and lifts")]
    Moving,
    /// Wireless local networks, IEEE 802.11.
    #[serde(rename = "wifi")]
    #[schemars(title = "Wi-Fi")]
    Wifi,
    /// Satellites, geostationary and in low orbits.
    #[serde(rename = "satellite")]
    #[schemars(title = "Satellite")]
    Satellite,
    /// Access by wire: cable modems, telephone lines, fibre.
    #[serde(rename = "fixed")]
    #[schemars(title = "Cable, DSL and fibre")]
    Fixed,
    /// Links of published experiments, as their papers describe them.
    #[serde(rename = "paper")]
    #[schemars(title = "Papers")]
    Paper,
    /// Links made to show one thing, with round numbers: test cases, queues, benchmarks.
    #[serde(rename = "laboratory")]
    #[schemars(title = "Laboratory")]
    Laboratory,
}

/// What was recorded of a path: a CSV with a heading and these columns, of which `time_s` and one other are needed.
/// `time_s`: seconds, the first row at 0. `down_bps` and `up_bps`: rates in bits per second, 0 where nothing was
/// delivered. `delay_ms`: propagation, one way, or `down_delay_ms` and `up_delay_ms`. `loss`: the share of packets that
/// are lost, 0 to 1, in addition to the impairments, or `down_loss` and `up_loss`. A row is in force until the next one;
/// an empty cell is as the row before. What the recording says replaces the `rate` and `delay` of the direction, which
/// queues still use where they need one number; a script goes before it.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordingFile {
    /// The CSV's file, relative to this one. Give this or `csv`.
    pub file: Option<String>,
    /// The CSV itself. Give this or a `file`.
    #[schemars(extend("contentMediaType" = "text/csv"))]
    pub csv: Option<String>,
    /// When it begins again, after its last row. Default: never; the last row stays in force.
    #[schemars(extend("atLeast" = "1 ms", "atMost" = "100 h"))]
    pub period: Option<Text<Span>>,
    /// What a rate of 0 does. Required if there is one.
    pub zeros: Option<ZerosFile>,
}

/// What the packets of a run met, from its `fates.csv`. Each packet that comes to the link meets what one of the recorded
/// packets of its direction met: it is as long on its way, or lost after as long, marked, corrupted or copied as that one
/// was. One that cannot be marked is lost instead. One for which nothing was recorded is not lost, and as long on its way as
/// the recorded one that was fastest; and none overtakes another where none of the recorded ones did.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayFile {
    /// The run's `fates.csv`, its directory or its capsule, relative to this file. Give this or `csv`.
    pub fates: Option<String>,
    /// The rows of one, with their header. Give these or `fates`.
    #[schemars(extend("contentMediaType" = "text/csv"))]
    pub csv: Option<String>,
    /// Which recorded packet it is. Default: `packet`.
    pub by: Option<ReplayByFile>,
}

/// NAT rebinding (RFC 9000, section 9.3.3). From then on the server sees each flow come from another port, and what it still
/// sends to the port before is lost.
#[serde_with::skip_serializing_none]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RebindingFile {
    /// When it happens first.
    #[schemars(extend("atMost" = "10 h"))]
    pub at: Text<Span>,
    /// How long from one time to the next. Default: it happens once.
    #[schemars(extend("atLeast" = "1 ms", "atMost" = "10 h"))]
    pub every: Option<Text<Span>>,
}

/// By what a packet is given the fate of a recorded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReplayByFile {
    /// The n-th packet of a direction is given that of the n-th.
    Packet,
    /// A packet is given that of the one that was sent last by this instant.
    Time,
    /// A packet with payload is given that of the one that carried its first octet as often; one without, that of the next one
    /// without. Needs the run's captures, `server.pcapng` and `client.pcapng`, beside its `fates.csv`.
    Octets,
}

/// What a rate of 0 in a recording does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ZerosFile {
    /// Nothing is sent until there is a rate again; packets wait in the queue, as long as it has room.
    Hold,
    /// Everything is lost until there is a rate again.
    Outage,
}

/// One direction of the link.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathFile {
    /// How fast the link serialises.
    pub rate: Option<RateFile>,
    /// Propagation delay, one way; a distribution is drawn for each packet, and packets stay in order.
    #[schemars(extend("atMost" = "10 min"))]
    pub delay: Option<Text<SpanDistribution>>,
    /// Octets added to each packet on the link, but not in the queue. Default: 0 B.
    #[schemars(extend("atMost" = "10 kB"))]
    pub framing: Option<Text<Bytes>>,
    /// The queue before the bottleneck; the packet that is being sent does not count.
    pub queue: Option<QueueFile>,
    /// Link-layer buffers and retransmission. Default: none; what the channel loses stays lost.
    #[schemars(title = "Link-layer retransmission")]
    pub arq: Option<ArqFile>,
    /// A channel that an idle sender loses and must request again. Default: none.
    #[schemars(title = "Channel allocation")]
    pub allocation: Option<AllocationFile>,
    /// Trains of opportunities for the first packets after an idle time, instead of the rate. Default: none.
    #[schemars(title = "Light traffic")]
    pub light: Option<LightFile>,
    /// How the bottleneck serves: in units after a grant (LTE, 5G), or in aggregates after contention (Wi-Fi). Default: one
    /// packet after another, at the rate.
    pub service: Option<ServiceFile>,
    /// How long packets wait at the far end for an earlier one that the link layer sends again: `always` in order, `never`, or
    /// at most so long, after which that one is dropped when it comes (`t-Reordering` of RLC and PDCP). Needs `arq`, or a
    /// `service` with an `error`. Default: always.
    #[schemars(extend("atMost" = "10 min"))]
    pub in_order: Option<Text<InOrder>>,
}

/// A rate: a text if it is constant, a table if it varies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RateFile {
    /// Always the same, or `unlimited`.
    Constant(Text<Rate>),
    /// Changing in time.
    #[schemars(title = "Varying rate")]
    Varying(VaryingRateFile),
}

/// A rate that changes in time. `file` is relative to the file that names it.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum VaryingRateFile {
    /// A rate from each given time on.
    Stepped {
        /// The steps in order of time, the first at 0 s. Give these or a `file`.
        #[schemars(length(min = 1))]
        steps: Option<Vec<StepFile>>,
        /// A CSV with two columns: seconds, and bits per second. Give this or `steps`.
        file: Option<String>,
        /// When the steps begin again. Default: never.
        #[schemars(extend("atLeast" = "1 ms"))]
        period: Option<Text<Span>>,
    },
    /// Mahimahi's format: one opportunity to send 1504 octets at each instant; begins again after the last.
    Trace {
        /// A file with one time per line, in milliseconds. Give this or `milliseconds`.
        file: Option<String>,
        /// The times themselves, in order. Give these or a `file`.
        #[schemars(length(min = 1))]
        milliseconds: Option<Vec<u64>>,
    },
}

/// A step of a rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepFile {
    /// When, from the start of the run or of the period.
    pub at: Text<Span>,
    /// The rate from then on.
    pub rate: Text<BitRate>,
}

/// The queue before the bottleneck.
#[serde_with::skip_serializing_none]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum QueueFile {
    /// Queues what fits, drops the rest.
    #[schemars(title = "Drop-tail")]
    Droptail {
        /// How much it queues.
        limit: Text<QueueLimit>,
    },
    /// Random Early Detection (Floyd and Jacobson 1993): drops more packets the longer the average queue is.
    #[schemars(title = "RED")]
    Red {
        /// How much it queues; packets beyond it are dropped.
        limit: Text<QueueLimit>,
        /// Below this average queue nothing is dropped: `min_th`. In packets or in octets. Default: 5 packets.
        minimum: Option<Text<QueueSize>>,
        /// At and above this average queue everything is dropped, or with `gentle` more and more: `max_th`. Default:
        /// three times `minimum`.
        maximum: Option<Text<QueueSize>>,
        /// The probability of a drop as the average reaches `maximum`: `max_p`. Default: 0.1.
        probability: Option<Text<Probability>>,
        /// The weight of the newest sample in the average: `w_q`. Default: 0.002.
        weight: Option<Text<Probability>>,
        /// Whether the probability rises to one between `maximum` and twice that, instead of jumping there. Default:
        /// true.
        gentle: Option<bool>,
        /// The packet size by which idle time is counted. Default: 1000 B.
        #[schemars(extend("atLeast" = "1 B", "atMost" = "100 kB"))]
        mean_packet: Option<Text<Bytes>>,
        /// While at most this much waits, nothing is dropped early, whatever the average: ns-2 spares one packet.
        /// Default: nothing is spared.
        spare: Option<Text<QueueSize>>,
        /// Whether ECN-capable packets (of variants such as `sack+ecn`) are marked instead of dropped, unless all are to be dropped.
        /// Default: false.
        #[schemars(title = "Mark ECN-capable packets")]
        ecn: Option<bool>,
    },
    /// Adaptive RED (Floyd, Gummadi and Shenker 2001): gentle RED that adapts its `max_p` every half second.
    #[schemars(title = "Adaptive RED")]
    AdaptiveRed {
        /// How much it queues; packets beyond it are dropped.
        limit: Text<QueueLimit>,
        /// The queueing delay to aim at: the thresholds follow from this and the rate. Default: 5 ms.
        #[schemars(extend("atLeast" = "1 us", "atMost" = "10 min"))]
        target: Option<Text<Span>>,
        /// Below this average queue nothing is dropped, in packets or in octets. Instead of `target`.
        minimum: Option<Text<QueueSize>>,
        /// The upper threshold. Default: three times `minimum`.
        maximum: Option<Text<QueueSize>>,
        /// The weight of the newest sample in the average. Default: from the rate, for a time constant of one second.
        weight: Option<Text<Probability>>,
        /// The packet size by which the rate and idle time are counted. Default: 1000 B.
        #[schemars(extend("atLeast" = "1 B", "atMost" = "100 kB"))]
        mean_packet: Option<Text<Bytes>>,
        /// While at most this much waits, nothing is dropped early, whatever the average: ns-2 spares one packet.
        /// Default: nothing is spared.
        spare: Option<Text<QueueSize>>,
        /// Whether ECN-capable packets (of variants such as `sack+ecn`) are marked instead of dropped, unless all are to be dropped.
        /// Default: false.
        #[schemars(title = "Mark ECN-capable packets")]
        ecn: Option<bool>,
    },
    /// Controlled Delay (RFC 8289): drops from the head, ever faster, while the queueing delay stays above a target.
    #[schemars(title = "CoDel")]
    Codel {
        /// How much it queues; packets beyond it are dropped.
        limit: Text<QueueLimit>,
        /// The acceptable standing queueing delay. Default: 5 ms.
        #[schemars(extend("atLeast" = "1 us", "atMost" = "10 min"))]
        target: Option<Text<Span>>,
        /// How long the queueing delay must have been above `target` before the first drop. Default: 100 ms.
        #[schemars(extend("atLeast" = "1 ms", "atMost" = "10 min"))]
        interval: Option<Text<Span>>,
        /// Whether ECN-capable packets (of variants such as `sack+ecn`) are marked instead of dropped. Default: false.
        #[schemars(title = "Mark ECN-capable packets")]
        ecn: Option<bool>,
    },
    /// PIE (RFC 8033): drops arrivals with a probability that follows the queueing delay and its trend.
    #[schemars(title = "PIE")]
    Pie {
        /// How much it queues; packets beyond it are dropped.
        limit: Text<QueueLimit>,
        /// The queueing delay to aim at: `QDELAY_REF`. Default: 15 ms.
        #[schemars(extend("atLeast" = "1 us", "atMost" = "10 min"))]
        target: Option<Text<Span>>,
        /// For how long a burst after an idle period passes without drops: `MAX_BURST`. Default: 150 ms.
        #[schemars(extend("atMost" = "10 min"))]
        burst: Option<Text<Span>>,
        /// A queue of up to two packets of this size has no drops. Default: 1000 B.
        #[schemars(extend("atLeast" = "1 B", "atMost" = "100 kB"))]
        mean_packet: Option<Text<Bytes>>,
        /// Whether ECN-capable packets (of variants such as `sack+ecn`) are marked instead of dropped while the probability is below 10 %.
        /// Default: false.
        #[schemars(title = "Mark ECN-capable packets")]
        ecn: Option<bool>,
    },
    /// Deficit Round Robin (Shreedhar and Varghese 1996): a queue for each flow; each in turn sends its quantum of octets.
    #[schemars(title = "Deficit round robin")]
    Drr {
        /// How much all flows queue together; beyond it, the flow with the longest queue loses its last packet.
        limit: Text<QueueLimit>,
        /// How many octets a flow may send in each round. Default: 1514 B.
        #[schemars(extend("atLeast" = "1 B", "atMost" = "1 MB"))]
        quantum: Option<Text<Bytes>>,
        /// How many queues flows are hashed into; those whose hashes agree share one. Default: 1024.
        #[schemars(range(min = 1, max = 65536))]
        #[schemars(title = "Queues")]
        flows: Option<u32>,
    },
    /// FQ-CoDel (RFC 8290): a queue with CoDel for each flow; each in turn sends its quantum, those that have just begun
    /// to send first.
    #[schemars(title = "FQ-CoDel")]
    FqCodel {
        /// How much all flows queue together; beyond it, the flow with the longest queue loses packets from its head.
        limit: Text<QueueLimit>,
        /// How many octets a flow may send in each round. Default: 1514 B.
        #[schemars(extend("atLeast" = "1 B", "atMost" = "1 MB"))]
        quantum: Option<Text<Bytes>>,
        /// How many queues flows are hashed into; those whose hashes agree share one. Default: 1024.
        #[schemars(range(min = 1, max = 65536))]
        #[schemars(title = "Queues")]
        flows: Option<u32>,
        /// The acceptable standing queueing delay of a flow. Default: 5 ms.
        #[schemars(extend("atLeast" = "1 us", "atMost" = "10 min"))]
        target: Option<Text<Span>>,
        /// How long the queueing delay must have been above `target` before the first drop. Default: 100 ms.
        #[schemars(extend("atLeast" = "1 ms", "atMost" = "10 min"))]
        interval: Option<Text<Span>>,
        /// Whether ECN-capable packets (of variants such as `sack+ecn`) are marked instead of dropped. Default: false.
        #[schemars(title = "Mark ECN-capable packets")]
        ecn: Option<bool>,
    },
    /// DualPI2 (RFC 9332): a queue for packets with ECT(1) or CE, marked early and often, and one for all others, dropped or
    /// marked as PI2 has it; what both are told is coupled. It marks every ECN-capable packet, except in overload.
    #[schemars(title = "DualPI2")]
    Dualpi2 {
        /// How much both queues hold together; an arrival beyond it is dropped.
        limit: Text<QueueLimit>,
        /// The queueing delay of classic packets to aim at. Default: 15 ms.
        #[schemars(extend("atLeast" = "1 us", "atMost" = "10 min"))]
        target: Option<Text<Span>>,
        /// The longest round trip that the controller is set up for, from which its gains follow: `RTT_max`. Default: 100 ms.
        #[schemars(extend("atLeast" = "1 ms", "atMost" = "10 min"))]
        round_trip: Option<Text<Span>>,
        /// The queueing delay from which packets of the low-latency queue are marked: `minTh`. Default: 800 us.
        #[schemars(extend("atMost" = "10 min"))]
        threshold: Option<Text<Span>>,
        /// How far above `threshold` all of them are marked; with 0 ms at once. Default: 400 us.
        #[schemars(extend("atMost" = "10 min"))]
        range: Option<Text<Span>>,
        /// The coupling factor `k`: a mark in the low-latency queue is so many times as likely as the square root of the
        /// likelihood of a classic drop. Default: 2.
        #[schemars(range(min = 1, max = 16))]
        coupling: Option<u32>,
        /// The least part of the rate that classic packets have while both queues hold packets. Default: 0.0625.
        classic_share: Option<Text<Probability>>,
    },
    /// CAKE (tc-cake(8)): Linux's own, on the netem plane of real kernels only. It shapes to the link's rate, with a queue for
    /// each flow, and marks ECN-capable packets instead of dropping them.
    #[schemars(title = "CAKE (Linux only)")]
    Cake {
        /// How much memory the packets of all flows may take, in octets; beyond it, the longest queue loses packets from its
        /// head: `memlimit`.
        #[schemars(extend("examples" = ["4 MB", "unlimited"]))]
        limit: Text<QueueLimit>,
        /// The round-trip time of the flows; the acceptable standing queueing delay is a twentieth of it, or what one and a half
        /// full packets take if that is more: `rtt`. Default: 100 ms.
        #[schemars(extend("atLeast" = "1 ms", "atMost" = "10 min"))]
        round_trip: Option<Text<Span>>,
    },
}

/// Link-layer buffers and retransmission, as in sarolahti2003, section 5.1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArqFile {
    /// How much may be sent and not yet acknowledged by the link's receiver.
    #[schemars(extend("atLeast" = "1 B", "atMost" = "1 GB", "examples" = ["10 kB"]))]
    pub send_buffer: Text<Bytes>,
    /// How much may wait for an earlier packet.
    #[schemars(extend("atLeast" = "1 B", "atMost" = "1 GB", "examples" = ["10 kB"]))]
    pub receive_buffer: Text<Bytes>,
    /// How long the link layer tries: `none` loses what the channel loses.
    pub persistence: Text<Persistence>,
    /// How long the link layer waits for its acknowledgement before it sends again. Required unless `persistence` is
    /// `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("atLeast" = "1 ms", "atMost" = "10 min"))]
    pub retry_after: Option<Text<Span>>,
}

/// Re-acquisition of an idle channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AllocationFile {
    /// The channel is lost after this long without a packet to send.
    #[schemars(extend("atMost" = "1 h", "examples" = ["5 s"]))]
    pub idle_after: Text<Span>,
    /// How long it takes to get the channel again.
    #[schemars(extend("atMost" = "10 min", "examples" = ["2 s", "uniform(1 s, 2 s)"]))]
    pub delay: Text<SpanDistribution>,
}

/// How a link serves light traffic: short trains of opportunities, each recorded after an idle time (CellReplay).
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LightFile {
    /// A train begins at a packet before which nothing was served for longer than this. Default: 0 s, an empty queue.
    #[schemars(extend("atMost" = "1 h"))]
    pub idle_after: Option<Text<Span>>,
    /// One train a line, in whole milliseconds: from when on it is the one that begins, the first from 0 on, then how long
    /// after its first packet each opportunity to send 1504 octets is.
    #[schemars(extend("contentMediaType" = "text/plain", "examples" = ["0 0 1 2"]))]
    pub trains: String,
    /// When the trains begin again. Default: never, the last one stays.
    #[schemars(extend("atLeast" = "1 ms", "atMost" = "100 h"))]
    pub period: Option<Text<Span>>,
}

/// How the bottleneck serves.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ServiceFile {
    /// In units, each of so many octets as the rate gives in a cycle (3GPP TS 36.321). Units begin at multiples of the cycle;
    /// what arrives in between waits for the next one.
    #[schemars(title = "Grants, as in LTE and 5G")]
    Grants {
        /// The length of a unit: 1 ms in LTE, 0.5 ms in 5G at 30 kHz, or the period of a TDD pattern.
        #[schemars(extend("atLeast" = "50 us", "atMost" = "1 s", "examples" = ["1 ms"]))]
        cycle: Text<Span>,
        /// A queue that was empty must first ask, at a multiple of this. Default: it need not wait to ask.
        #[schemars(extend("atMost" = "10 s"))]
        #[schemars(title = "Scheduling request period")]
        sr_period: Option<Text<Span>>,
        /// From the request to the first unit. Default: 0 s.
        #[schemars(extend("atMost" = "10 s"))]
        grant_delay: Option<Text<Span>>,
        /// With which probability a unit fails each time it is sent (hybrid ARQ). Default: 0.
        #[schemars(title = "Probability of an error")]
        error: Option<Text<Probability>>,
        /// How long after the beginning of a unit that failed it is sent again, in place of a new one. Default: 8 ms, as in LTE.
        #[schemars(extend("atLeast" = "50 us", "atMost" = "10 s"))]
        round_trip: Option<Text<Span>>,
        /// How often a unit is sent in all before it is lost. Default: 4.
        #[schemars(range(min = 1, max = 1000))]
        attempts: Option<u32>,
    },
    /// In aggregates of Wi-Fi: random back-off, then several packets that arrive together (IEEE 802.11; Bianchi 2000).
    #[schemars(title = "Contention, as in Wi-Fi")]
    Contention {
        /// How many other stations always have something to send. Default: 0.
        #[schemars(range(min = 0, max = 100))]
        contenders: Option<u32>,
        /// How long each of their transmissions takes. Default: `airtime` and `overhead`.
        #[schemars(extend("atLeast" = "50 us", "atMost" = "100 ms"))]
        contender_airtime: Option<Text<Span>>,
        /// The length of a slot. Default: 9 us.
        #[schemars(extend("atLeast" = "1 us", "atMost" = "1 ms"))]
        slot: Option<Text<Span>>,
        /// How long the channel must be idle before slots are counted: DIFS, or AIFS. Default: 34 us.
        #[schemars(extend("atMost" = "10 ms"))]
        spacing: Option<Text<Span>>,
        /// The most slots that are drawn for a first attempt: CWmin. Default: 15.
        #[schemars(range(min = 0, max = 65_535))]
        #[schemars(title = "CWmin")]
        cw_min: Option<u32>,
        /// The most slots that are drawn after collisions, each of which doubles the window: CWmax. Default: 1023.
        #[schemars(range(min = 0, max = 65_535))]
        #[schemars(title = "CWmax")]
        cw_max: Option<u32>,
        /// How many packets are sent together at most. Default: 64.
        #[schemars(range(min = 1, max = 1024))]
        aggregate: Option<u32>,
        /// How long their octets may take at the rate. Default: 4 ms.
        #[schemars(extend("atMost" = "100 ms"))]
        airtime: Option<Text<Span>>,
        /// What a transmission takes besides them: preamble, and the block acknowledgement. Default: 88 us.
        #[schemars(extend("atMost" = "10 ms"))]
        overhead: Option<Text<Span>>,
        /// With which probability a packet is lost each time it is sent, without a collision. Default: 0.
        #[schemars(title = "Probability of an error")]
        error: Option<Text<Probability>>,
        /// How often a packet is sent in all before it is lost; collisions do not count. Default: 7.
        #[schemars(range(min = 1, max = 1000))]
        attempts: Option<u32>,
    },
}

/// A random process on the link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImpairmentFile {
    /// Its name: lower-case letters, digits and hyphens. It also names its stream of random numbers.
    pub name: String,
    /// Where it acts.
    pub on: On,
    /// What it does.
    #[serde(flatten)]
    pub kind: KindFile,
}

/// Where an impairment acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum On {
    /// From server to client.
    Down,
    /// From client to server.
    Up,
    /// Both directions, each with its own draws.
    Each,
    /// Both directions at once: they share the process. For kinds that have a state, as `hold`, `handovers` and `two-state`.
    Both,
}

/// Something that happens once. Exactly one of `do`, `rate`, `delay`, `loss`, `queue` says what.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScriptFile {
    /// Where it acts. Default: `both`.
    pub on: Option<ScriptOn>,
    /// When: a time from the start of the run, chosen packets of a direction, or a condition of the transport.
    pub at: Text<Begin>,
    /// How long. Required for `hold` and `hold-arrivals`, and for `drop` of all; a changed setting without it stays.
    /// When an entry ends, the last one still in force applies again, and finally the profile.
    #[serde(rename = "for")]
    #[schemars(extend("atLeast" = "1 ms", "atMost" = "10 h"))]
    pub lasts: Option<Text<Span>>,
    /// What the link does to packets.
    #[serde(rename = "do")]
    pub action: Option<ScriptAction>,
    /// How much later the chosen packets come; only with `do = "delay"`.
    #[schemars(extend("atLeast" = "1 us", "atMost" = "10 min"))]
    pub by: Option<Text<Span>>,
    /// The new rate.
    pub rate: Option<Text<BitRate>>,
    /// The new propagation delay.
    #[schemars(extend("atMost" = "10 min"))]
    pub delay: Option<Text<Span>>,
    /// The new independent loss, in addition to the impairments.
    pub loss: Option<Text<Probability>>,
    /// The new limit of the queue; packets already in it stay.
    pub queue: Option<Text<QueueLimit>>,
}

/// Where a script entry acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScriptOn {
    /// From server to client.
    Down,
    /// From client to server.
    Up,
    /// Both directions.
    Both,
}

/// What a script entry does to packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ScriptAction {
    /// Deliver nothing, keep everything, release in order.
    Hold,
    /// Keep what arrives in front of the queue, then let it in at once.
    HoldArrivals,
    /// Lose every packet, or the chosen packets.
    Drop,
    /// Delay the chosen packets, so that they may be overtaken.
    Delay,
}
