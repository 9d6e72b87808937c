//! The workload file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlull_profile::text::Text;
use windlull_units::Bytes;

/// What is transferred: `profiles/workloads/NAME.toml`. The data sender opens the connection and closes first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Windlull workload")]
pub struct WorkloadFile {
    /// What the workload is, in a line.
    #[schemars(length(min = 1))]
    pub title: String,
    /// More about it, for a reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where its numbers come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The kind of transfer.
    pub kind: WorkloadKind,
    /// How much data.
    #[schemars(extend("atLeast" = "1 B", "atMost" = "100 GB"))]
    pub size: Text<Bytes>,
    /// Which way the data goes.
    pub direction: DirectionFile,
}

/// The kind of transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WorkloadKind {
    /// One connection carries all data as fast as it can.
    Bulk,
}

/// Which way the data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DirectionFile {
    /// From server to client.
    Down,
    /// From client to server.
    Up,
}
