//! `run`: every cell of an experiment, on as many threads as asked for.

mod cell;
mod directory;
mod interrupt;
mod workers;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use windlull_experiment::{Experiment, Library, Plan, Testbed};
use windlull_units::Seed;

use crate::failure::Failure;
use crate::run::cell::{Cell, Keep};
use crate::{COMMIT, VERSION, answer};

/// The arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The experiment's name, or the path of its file.
    experiment: String,
    /// Where the runs' directories go; without it nothing is written.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Repetitions of each variant on each link, instead of the experiment's.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    reps: Option<u32>,
    /// The master seed, instead of the experiment's.
    #[arg(long)]
    seed: Option<u64>,
    /// Threads; one for each core if not given.
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
    /// Write no captures, fates and events.
    #[arg(long)]
    no_pcap: bool,
    /// Write no diagram series.
    #[arg(long)]
    no_series: bool,
}

/// What the engine says of its work, a line each.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Message<'a> {
    Plan { experiment: Box<Told<'a>>, runs: u64 },
    Run(&'a cell::Finished),
    Done { runs: u64 },
}

#[derive(Debug, Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    plan: Plan<'a>,
    version: &'a str,
    commit: &'a str,
}

/// Runs an experiment.
pub(crate) fn run(library: &Library, arguments: &Arguments) -> Result<(), Failure> {
    let mut experiment = Experiment::load(library, &arguments.experiment).map_err(Failure::input)?;
    if let Some(kernels) = experiment.variants.iter().find(|v| !Testbed::Sim.carries(&v.stack)) {
        let name = &kernels.name;
        return Err(Failure::input(format!(
            "variant {name:?} is the kernel's TCP, which the testbed sim does not have"
        )));
    }
    experiment.repetitions = arguments.reps.unwrap_or(experiment.repetitions);
    experiment.seed = arguments.seed.map_or(experiment.seed, Seed::new);
    let keep = Keep {
        out: arguments.out.as_deref(),
        captures: !arguments.no_pcap,
        series: !arguments.no_series,
    };
    let stop = interrupt::watch()?;
    let runs = experiment.runs();
    answer::json(&Message::Plan {
        experiment: Box::new(Told {
            plan: experiment.plan(&[Testbed::Sim]),
            version: VERSION,
            commit: COMMIT,
        }),
        runs,
    })?;

    let jobs = match arguments.jobs {
        Some(jobs) => jobs,
        None => std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
    };
    let cells = Cell::all(&experiment);
    let mut unfinished = Vec::new();
    workers::each(
        &cells,
        jobs,
        &stop,
        |cell| cell.run(&keep),
        |finished| {
            if let Some(ending) = &finished.unfinished {
                unfinished.push(format!("{}: {ending}", finished.directory));
            }
            answer::json(&Message::Run(&finished))
        },
    )?;
    if let Some(first) = unfinished.first() {
        let count = unfinished.len();
        return Err(Failure::Machine(format!(
            "{count} of {runs} runs did not end in order; the first is {first}"
        )));
    }
    answer::json(&Message::Done { runs })
}
