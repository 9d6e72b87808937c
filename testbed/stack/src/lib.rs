//! What a host runs: a TCP of ours, the kernel's with its settings, or a transport from elsewhere.

#![forbid(unsafe_code)]

mod linux;
mod transport;

pub use linux::{Linux, LinuxError};
pub use transport::{Program, Transport};

use serde::{Deserialize, Serialize};
use windlull_tcp::Variant;

/// A host's transport.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Stack {
    Windlull(Box<Variant>),
    Linux(Linux),
    Transport(Transport),
}

impl Stack {
    /// The names that files use.
    pub const NAMES: &'static [&'static str] = &["windlull", "linux", "transport"];

    /// Its name in files and results.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Windlull(_) => "windlull",
            Self::Linux(_) => "linux",
            Self::Transport(_) => "transport",
        }
    }

    /// Whether it speaks by sockets of the host's kernel, which then has an address and answers.
    pub const fn has_sockets(&self) -> bool {
        match self {
            Self::Windlull(_) => false,
            Self::Linux(_) | Self::Transport(_) => true,
        }
    }

    /// Our variant, if it is one.
    pub fn windlull(&self) -> Option<&Variant> {
        match self {
            Self::Windlull(variant) => Some(variant),
            Self::Linux(_) | Self::Transport(_) => None,
        }
    }

    /// The kernel's settings, if it is the kernel's.
    pub const fn linux(&self) -> Option<&Linux> {
        match self {
            Self::Windlull(_) | Self::Transport(_) => None,
            Self::Linux(linux) => Some(linux),
        }
    }

    /// The transport from elsewhere, if it is one.
    pub const fn transport(&self) -> Option<&Transport> {
        match self {
            Self::Windlull(_) | Self::Linux(_) => None,
            Self::Transport(transport) => Some(transport),
        }
    }
}
