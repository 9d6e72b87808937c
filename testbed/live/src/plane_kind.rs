//! Who plays the link.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What carries the packets in the router.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlaneKind {
    /// The simulator's link model on packet sockets.
    #[default]
    Model,
    /// The kernel's own: tc, netem and nftables.
    Netem,
}
