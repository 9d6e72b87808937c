//! The workload file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlull_profile::text::Text;
use windlull_units::{BitRate, Bytes, Direction, Span};

/// What is transferred: `profiles/workloads/NAME.toml`. In each flow, the data sender opens the connection and closes
/// first.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Windlull workload")]
pub struct WorkloadFile {
    /// What the workload is, in one line.
    #[schemars(length(min = 1))]
    pub title: String,
    /// A longer description, for readers.
    pub description: Option<String>,
    /// Where its numbers come from.
    pub source: Option<String>,
    /// The first set of flows. Captures and diagrams show its first flow.
    #[serde(flatten)]
    pub traffic: TrafficFile,
    /// Further sets of flows, and cross traffic.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 500))]
    pub beside: Vec<TrafficFile>,
}

/// A workload in the experiment itself: as in a workload file, without a title.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OwnWorkloadFile {
    /// The first set of flows. Captures and diagrams show its first flow.
    #[serde(flatten)]
    pub traffic: TrafficFile,
    /// Further sets of flows, and cross traffic.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 500))]
    pub beside: Vec<TrafficFile>,
}

/// A set of flows that do the same, or cross traffic.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrafficFile {
    /// The kind of traffic.
    pub kind: WorkloadKind,
    /// Of `bulk`: how much data each flow transfers; this or `duration`. Of `requests`: how much a response has.
    #[schemars(extend("atLeast" = "1 B", "atMost" = "100 GB"))]
    pub size: Option<Text<Bytes>>,
    /// Of `bulk`: for how long each flow always has data to send; this or `size`.
    #[schemars(extend("atLeast" = "1 ms", "atMost" = "100 h"))]
    pub duration: Option<Text<Span>>,
    /// Of `requests`: octets of a request. Default: none; the data sender knows by itself when it is asked.
    #[schemars(extend("atLeast" = "0 B", "atMost" = "1 GB"))]
    pub request: Option<Text<Bytes>>,
    /// Of `requests`: from one to the next. Default: each follows the response to the one before.
    #[schemars(extend("atLeast" = "1 ms", "atMost" = "100 h"))]
    pub every: Option<Text<Span>>,
    /// Of `requests`: how many each flow makes.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub count: Option<u32>,
    /// Of `constant-rate`: how fast its packets are sent.
    pub rate: Option<Text<BitRate>>,
    /// Of `constant-rate`: octets of a packet, its headers included.
    #[schemars(extend("atLeast" = "28 B", "atMost" = "65535 B"))]
    pub packet: Option<Text<Bytes>>,
    /// Which way the data goes. Of all kinds but `command`.
    pub direction: Option<Direction>,
    /// How many flows. Default: 1.
    #[schemars(range(min = 1, max = 10_000))]
    pub flows: Option<u32>,
    /// When the first begins. Default: 0 s.
    #[schemars(extend("atLeast" = "0 s", "atMost" = "100 h"))]
    pub start: Option<Text<Span>>,
    /// From the beginning of a flow to that of the next. Default: 0 s.
    #[schemars(extend("atLeast" = "0 s", "atMost" = "100 h"))]
    pub gap: Option<Text<Span>>,
    /// In `[[beside]]`: the TCP of these flows, whatever variant is compared. Default: the variant.
    pub variant: Option<String>,
    /// Of `command`: what the client runs, the program and its arguments. Its exit code and its time are the result.
    #[schemars(length(min = 1, max = 1_000))]
    pub client: Option<Vec<String>>,
    /// Of `command`: what the server runs meanwhile; it is ended with the run. Default: nothing; the server already
    /// runs.
    #[schemars(length(min = 1, max = 1_000))]
    pub server: Option<Vec<String>>,
    /// Of `command`: the client waits until the server listens at this port of TCP or UDP. Default: it does not wait.
    #[schemars(range(min = 1, max = 65_535))]
    pub port: Option<u16>,
}

/// The kind of traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WorkloadKind {
    /// Each flow carries data as fast as possible.
    Bulk,
    /// In each flow, the data receiver makes requests and the data sender answers them, as for web pages.
    Requests,
    /// In `[[beside]]`: packets of one size at a constant rate over the link that all share, which nothing answers.
    ConstantRate,
    /// Programs of your own: what they send over the link is the workload. On live testbeds.
    Command,
}
