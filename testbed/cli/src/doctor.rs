//! `doctor`: what this machine is good for.

use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use windlull_netns::{Component, Health, Ledger, is_container};

use crate::failure::Failure;
use crate::run::kernels;
use crate::{answer, orders};

/// The arguments of `doctor`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// First remove what killed runs left on the machine.
    #[arg(long)]
    clean: bool,
    /// Where those are asked for that make runs of the testbed compose.
    #[arg(long, value_name = "DIR", default_value = orders::DIRECTORY, env = orders::VARIABLE)]
    orders: PathBuf,
    /// The directory with the kernels of the testbed kernel.
    #[arg(long, value_name = "DIR", default_value = kernels::DIRECTORY, env = kernels::VARIABLE)]
    kernels: PathBuf,
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
    // Before the process enters a namespace of its own, where the kernel's files may be another user's.
    let kernel = kernels::examine(&arguments.kernels);
    let mut health = windlull_netns::examine();
    health.testbeds.push(kernel);
    health.testbeds.push(compose(&arguments.orders));
    if is_container() {
        let lacks_netem = windlull_live::orders::lacks_netem(&arguments.orders, orders::BUILD)
            .unwrap_or_else(|error| Some(error.to_string()));
        health.seen_from_a_container(arguments.orders.is_dir(), lacks_netem.as_deref());
    }
    answer::json(&Answer { health, removed })
}

/// Whether those that make runs of the testbed compose can be reached, and how that was found out.
pub(crate) fn compose(directory: &Path) -> Component {
    match windlull_live::orders::examine(directory, orders::BUILD) {
        Ok(there) => Component::works("compose", there.join("; ")),
        Err(error) => Component::fails(
            "compose",
            error.to_string(),
            Some(
                "`docker compose up` starts all three; their sockets are in the directory that --orders or WINDLULL_ORDERS names",
            ),
        ),
    }
}

/// What is answered.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Doctor")]
pub(crate) struct Answer {
    #[serde(flatten)]
    health: Health,
    /// With `--clean`: what killed runs had left, and was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    removed: Option<Vec<String>>,
}
