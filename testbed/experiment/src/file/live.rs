//! The `[live]` table of an experiment file: how it runs on real kernels.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlull_profile::text::Text;
use windlull_units::{Pace, PlaneKind, Span};

/// How the experiment runs on real kernels: in network namespaces (`--testbed netns`), in containers (`--testbed
/// compose`), or in virtual time (`--testbed kernel`), where the experiment's own repetitions apply.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LiveFile {
    /// Variants added to the experiment's on real kernels: names, or paths of files.
    #[serde(default)]
    #[schemars(length(max = 500))]
    pub variants: Vec<String>,
    /// Runs of each variant on each link. Default: the experiment's.
    #[schemars(range(min = 1, max = 100_000))]
    pub repetitions: Option<u32>,
    /// When a run is ended. Default: the experiment's.
    #[schemars(extend("atLeast" = "1 s", "atMost" = "100 h"))]
    pub time_limit: Option<Text<Span>>,
    /// The TCP of the host that receives the data. Default: `same`.
    pub peer: Option<Peer>,
    /// What carries the packets in the router. Default: `model`.
    pub plane: Option<PlaneKind>,
    /// How the link waits for the next packet's time. Default: `precise`.
    pub pace: Option<Pace>,
}

/// The TCP of the host that receives the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Peer {
    /// The variant that sends.
    #[default]
    Same,
    /// The kernel's, unchanged.
    Linux,
    /// Ours, which takes every option that it is offered.
    Windlull,
}
