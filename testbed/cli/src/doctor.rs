//! `doctor`: what this machine is good for.

use clap::Args;
use serde::Serialize;
use windlull_netns::{Health, Ledger};

use crate::answer;
use crate::failure::Failure;

/// The arguments of `doctor`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// First remove what killed runs left on the machine.
    #[arg(long)]
    clean: bool,
}

/// Tries what there is, and says what killed runs left.
pub(crate) fn doctor(arguments: &Arguments) -> Result<(), Failure> {
    let removed = if arguments.clean {
        let cleaned =
            Ledger::clean().map_err(|error| Failure::Machine(format!("cannot work the ledgers off: {error}")))?;
        Some(cleaned.removed.into_iter().map(|leftover| leftover.what).collect())
    } else {
        None
    };
    let health = windlull_netns::examine();
    answer::json(&Answer { health, removed })
}

/// What is answered.
#[derive(Debug, Serialize)]
struct Answer {
    #[serde(flatten)]
    health: Health,
    /// With `--clean`: what killed runs had left, and was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    removed: Option<Vec<String>>,
}
