//! What a link's script waited for in vain.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// An entry of a link's script that never began, as the transport never met its condition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct UnmetCondition {
    /// Which of the script's entries, from 1, as in the events' `script 2`.
    pub entry: u32,
    /// The condition, as the link file has it: `on entering recovery`.
    pub condition: String,
}
