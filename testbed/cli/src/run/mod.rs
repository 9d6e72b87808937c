//! `run`: every cell of an experiment, on as many threads or in as many processes as asked for.

pub(crate) mod carry;
pub(crate) mod cell;
pub(crate) mod directory;
mod interrupt;
mod ledger;
mod live;
mod message;
pub(crate) mod record;
mod simulated;
mod workers;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use windlull_experiment::file::Plane;
use windlull_experiment::{Experiment, Library, Testbed};
use windlull_units::Seed;

use crate::failure::Failure;
use crate::run::cell::Cell;
use crate::run::live::Live;
use crate::run::message::{Ended, Message, Told};
use crate::run::record::Keep;
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
    /// Threads, one for each core if not given; on `netns` live runs side by side, one if not given.
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
    /// Write no captures, fates and events.
    #[arg(long)]
    no_pcap: bool,
    /// Write no diagram series.
    #[arg(long)]
    no_series: bool,
    /// Where the runs are made.
    #[arg(long, value_enum, default_value_t = TestbedName::Sim)]
    testbed: TestbedName,
    /// On `netns`: what carries the packets, instead of what the experiment says.
    #[arg(long, value_enum)]
    plane: Option<PlaneName>,
    /// On `netns`: how often a run is tried that is not valid or fails. [default: 2]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100))]
    attempts: Option<u32>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TestbedName {
    /// Our TCP and our link, in virtual time.
    Sim,
    /// Kernels and our TCP in network namespaces, in real time.
    Netns,
}

/// A link plane on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum PlaneName {
    /// The simulator's link on packet sockets.
    Model,
    /// The kernel's tc, netem and nftables.
    Netem,
}

impl From<TestbedName> for Testbed {
    fn from(name: TestbedName) -> Self {
        match name {
            TestbedName::Sim => Self::Sim,
            TestbedName::Netns => Self::Netns,
        }
    }
}

impl From<PlaneName> for Plane {
    fn from(name: PlaneName) -> Self {
        match name {
            PlaneName::Model => Self::Model,
            PlaneName::Netem => Self::Netem,
        }
    }
}

/// How often a live run is tried if nobody says.
const ATTEMPTS: u32 = 2;

/// Runs an experiment.
pub(crate) fn run(library: &Library, profiles: &Path, arguments: &Arguments) -> Result<(), Failure> {
    let testbed = Testbed::from(arguments.testbed);
    refuse_live_options(testbed, arguments)?;
    let loaded = Experiment::load(library, &arguments.experiment).map_err(Failure::input)?;
    let mut experiment = loaded.on(testbed);
    experiment.repetitions = arguments.reps.unwrap_or(experiment.repetitions);
    experiment.seed = arguments.seed.map_or(experiment.seed, Seed::new);
    if let Some(plane) = arguments.plane {
        experiment.netns.plane = plane.into();
    }
    carry::check(&experiment, testbed)?;
    let owned = own(testbed, arguments.out.as_deref())?;
    let sweep = Sweep {
        keep: Keep {
            captures: !arguments.no_pcap,
            series: !arguments.no_series,
        },
        stop: interrupt::watch()?,
        simulated: Cell::all(&experiment, Testbed::Sim, testbed != Testbed::Sim),
        live: match testbed {
            Testbed::Sim => Vec::new(),
            Testbed::Netns => Cell::all(&experiment, Testbed::Netns, true),
        },
        experiment: &experiment,
        profiles,
        arguments,
        scratch: owned.as_ref().and_then(ledger::Owned::scratch).unwrap_or(Path::new("")),
    };
    sweep.run()
}

fn refuse_live_options(testbed: Testbed, arguments: &Arguments) -> Result<(), Failure> {
    let given = [
        ("--plane", arguments.plane.is_some()),
        ("--attempts", arguments.attempts.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((option, _)) if testbed == Testbed::Sim => Err(Failure::input(format!(
            "{option} goes with --testbed netns; leave it out"
        ))),
        _ => Ok(()),
    }
}

/// Cleans up after earlier processes and writes down what this one is about to make. A simulation makes nothing but
/// drafts, which carry that in their names: it does without a ledger where none can be had.
fn own(testbed: Testbed, out: Option<&Path>) -> Result<Option<ledger::Owned>, Failure> {
    if testbed == Testbed::Sim && out.is_none() {
        return Ok(None);
    }
    match ledger::clean().and_then(|()| ledger::Owned::below(out)) {
        Ok(owned) => Ok(Some(owned)),
        Err(_) if testbed == Testbed::Sim => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// All runs of one call.
struct Sweep<'a> {
    experiment: &'a Experiment,
    profiles: &'a Path,
    arguments: &'a Arguments,
    /// Where live runs go of which nothing is kept.
    scratch: &'a Path,
    keep: Keep,
    stop: interrupt::Stop,
    /// Done first, on every core: beside them live runs would not be exact.
    simulated: Vec<Cell<'a>>,
    live: Vec<Cell<'a>>,
}

impl Sweep<'_> {
    fn run(&self) -> Result<(), Failure> {
        let runs = (self.simulated.len() + self.live.len()) as u64;
        let of = |testbed: &Testbed| match testbed {
            Testbed::Sim => !self.simulated.is_empty(),
            Testbed::Netns => !self.live.is_empty(),
        };
        let testbeds: Vec<_> = Testbed::ALL.iter().copied().filter(of).collect();
        answer::json(&Message::Plan {
            testbeds: &testbeds,
            experiment: Box::new(Told {
                plan: self.experiment.plan(&testbeds),
                version: VERSION,
                commit: COMMIT,
            }),
            runs,
        })?;
        let mut troubles = Vec::new();
        self.simulate(&mut troubles)?;
        self.run_live(&mut troubles)?;
        if let Some(first) = troubles.first() {
            let count = troubles.len();
            return Err(Failure::Machine(format!(
                "{count} of {runs} runs did not end in order; the first is {first}"
            )));
        }
        answer::json(&Message::Done { runs })
    }

    fn simulate(&self, troubles: &mut Vec<String>) -> Result<(), Failure> {
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let threads = self.arguments.jobs.filter(|_| self.live.is_empty()).unwrap_or(cores);
        workers::each(
            &self.simulated,
            threads,
            &self.stop,
            |cell| simulated::run(cell, self.arguments.out.as_deref(), self.keep),
            |ended| tell(&ended, troubles),
        )
    }

    fn run_live(&self, troubles: &mut Vec<String>) -> Result<(), Failure> {
        let live = Live {
            profiles: self.profiles,
            experiment: &self.arguments.experiment,
            plan: plan_hash(self.experiment),
            out: self.arguments.out.as_deref(),
            scratch: self.scratch,
            keep: self.keep,
            attempts: self.arguments.attempts.unwrap_or(ATTEMPTS),
            stop: &self.stop,
        };
        workers::each(
            &self.live,
            self.arguments.jobs.unwrap_or(NonZeroUsize::MIN),
            &self.stop,
            |cell| live.run(cell),
            |ended| tell(&ended, troubles),
        )
    }
}

/// Says what became of a run, and notes it if that is not what was wanted.
fn tell(ended: &Ended, troubles: &mut Vec<String>) -> Result<(), Failure> {
    match ended {
        Ended::Run(finished) => {
            if let Some(ending) = &finished.unfinished {
                troubles.push(format!("{}: {ending}", finished.which.directory));
            }
            answer::json(&Message::Run(finished))
        }
        Ended::Failed(failed) => {
            troubles.push(format!("{}: {}", failed.which.directory, failed.reason));
            answer::json(&Message::Failed(failed))
        }
    }
}

/// A number that two processes of this engine compare, to know that they speak of the same experiment.
pub(crate) fn plan_hash(experiment: &Experiment) -> u64 {
    let plan = experiment.plan(&[Testbed::Netns]);
    let text = serde_json::to_string(&plan).expect("plans have string keys and finite numbers");
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
