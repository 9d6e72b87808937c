//! `doctor` and `calibrate`: what this machine is good for.

use clap::{Args, ValueEnum};
use serde::Serialize;
use windlull_live::{Effort, Pace};
use windlull_netns::{Health, Ledger};

use crate::answer;
use crate::failure::Failure;
use crate::run::PlaneName;

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

/// The arguments of `calibrate`.
#[derive(Debug, Args)]
pub(crate) struct Measuring {
    /// Which link plane.
    #[arg(long, value_enum, default_value_t = PlaneName::Model)]
    plane: PlaneName,
    /// How the plane waits.
    #[arg(long, value_enum, default_value_t = PaceName::Precise)]
    pace: PaceName,
    /// Measure for longer, a few minutes in all.
    #[arg(long)]
    thorough: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PaceName {
    /// The last stretch is spent looking at the clock.
    Precise,
    /// By timers alone.
    Frugal,
}

/// Measures the live testbed by itself.
pub(crate) fn calibrate(arguments: &Measuring) -> Result<(), Failure> {
    if let PlaneName::Netem = arguments.plane {
        return Err(Failure::input(
            "calibrate measures the model plane; of the netem plane every run's certificate says how exact it was",
        ));
    }
    let pace = match arguments.pace {
        PaceName::Precise => Pace::Precise,
        PaceName::Frugal => Pace::Frugal,
    };
    let effort = if arguments.thorough {
        Effort::THOROUGH
    } else {
        Effort::QUICK
    };
    let calibration = windlull_live::calibrate(pace, effort).map_err(|error| Failure::Machine(error.to_string()))?;
    answer::json(&calibration)
}
