//! Which TCP a host runs: one of ours, or the kernel's with its settings.

#![forbid(unsafe_code)]

mod linux;

pub use linux::{Linux, LinuxError};

use serde::{Deserialize, Serialize};
use windlull_tcp::Variant;

/// A host's TCP.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Stack {
    Windlull(Box<Variant>),
    Linux(Linux),
}

impl Stack {
    /// The names that files use.
    pub const NAMES: &'static [&'static str] = &["windlull", "linux"];

    /// Its name in files and results.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Windlull(_) => "windlull",
            Self::Linux(_) => "linux",
        }
    }

    /// Our variant, if it is one.
    pub fn windlull(&self) -> Option<&Variant> {
        match self {
            Self::Windlull(variant) => Some(variant),
            Self::Linux(_) => None,
        }
    }

    /// The kernel's settings, if it is the kernel's.
    pub const fn linux(&self) -> Option<&Linux> {
        match self {
            Self::Windlull(_) => None,
            Self::Linux(linux) => Some(linux),
        }
    }
}
