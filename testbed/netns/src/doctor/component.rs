//! Something that works here or does not.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that works here or does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "HealthCheck")]
pub struct Component {
    pub name: String,
    /// Whether it works.
    pub works: bool,
    /// How that was found out, or what is missing.
    pub why: String,
    /// How to get it, if it is not there.
    pub remedy: Option<String>,
}

impl Component {
    /// It works; how that was found out.
    pub fn works(name: &str, why: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            works: true,
            why: why.into(),
            remedy: None,
        }
    }

    /// It does not; what is missing, and how to get it.
    pub fn fails(name: &str, why: impl Into<String>, remedy: Option<&str>) -> Self {
        Self {
            name: name.to_owned(),
            works: false,
            why: why.into(),
            remedy: remedy.map(str::to_owned),
        }
    }
}
