//! `doctor` and `calibrate`: what this machine is good for.

use clap::{Args, ValueEnum};
use windlull_live::{Effort, Pace};
use windlull_netns::Ledger;

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
    if arguments.clean {
        Ledger::clean().map_err(|error| Failure::Machine(format!("cannot work the ledgers off: {error}")))?;
    }
    answer::json(&windlull_netns::examine())
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
