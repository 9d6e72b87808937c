//! `run`: every cell of an experiment, on as many threads or in as many processes as asked for.

mod apart;
pub(crate) mod carry;
pub(crate) mod cell;
pub(crate) mod command;
pub(crate) mod directory;
pub(crate) mod interrupt;
pub(crate) mod kernels;
pub(crate) mod key;
mod ledger;
pub(crate) mod limits;
mod live;
pub(crate) mod message;
pub(crate) mod places;
pub(crate) mod record;
mod relay;
mod simulated;
mod workers;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use windlull_experiment::{Experiment, Library, Testbed};
use windlull_units::{PlaneKind, Seed};

use crate::engines::{self, Engines};
use crate::estimate::Estimate;
use crate::failure::Failure;
use crate::run::cell::{Cells, plan_hash};
use crate::run::limits::Limits;
use crate::run::live::Live;
use crate::run::message::{Ended, Message, PlannedExperiment};
use crate::run::places::RunRanges;
use crate::run::record::Keep;
use crate::{answer, orders};

/// Which experiment, and what the command line has to say of it.
#[derive(Debug, Args)]
pub(crate) struct Selection {
    /// The experiment's name, or the path of its file.
    experiment: String,
    /// Repetitions of each variant on each link, instead of the experiment's.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    reps: Option<u32>,
    /// The master seed, instead of the experiment's.
    #[arg(long)]
    seed: Option<u64>,
    /// Where the runs are made: sim, netns, kernel or compose.
    #[arg(long, value_parser = testbed_name, default_value = "sim")]
    pub(crate) testbed: Testbed,
    /// These variants instead of the experiment's, as in linux,linux-newreno; on `kernel` each on a kernel of its own, as in
    /// linux@base,linux@patched.
    #[arg(long, value_name = "A,B,...", value_delimiter = ',')]
    variants: Option<Vec<String>>,
    /// On `netns`, `kernel` and `compose`: what carries the packets, instead of what the experiment says.
    #[arg(long, value_enum)]
    plane: Option<PlaneKind>,
}

/// The arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// Only these runs of the plan, counted from 0, as in 0-499,600.
    #[arg(long)]
    runs: Option<RunRanges>,
    /// Where the runs' directories go; without it nothing is written.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Threads, one for each core if not given, and so kernels on `kernel`; on `netns` live runs side by side, one if not
    /// given; on `compose` they are made one at a time.
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
    /// Write no captures, fates and events.
    #[arg(long)]
    no_pcap: bool,
    /// Write no diagram series.
    #[arg(long)]
    no_series: bool,
    /// On `netns`, `kernel` and `compose`: how often a run is tried that is not valid or fails. [default: 2]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100))]
    attempts: Option<u32>,
    /// On `compose`: the directory with the sockets of those that make runs: `server/orders.sock` and so on.
    #[arg(long, value_name = "DIR", default_value = orders::DIRECTORY, env = orders::VARIABLE)]
    orders: PathBuf,
    /// On `kernel`: the directory with the kernels, each in a directory of its name.
    #[arg(long, value_name = "DIR", default_value = kernels::DIRECTORY, env = kernels::VARIABLE)]
    kernels: PathBuf,
    /// The directory with the stacks from elsewhere that were built, each in a directory of its name.
    #[arg(long, value_name = "DIR", default_value = engines::DIRECTORY, env = engines::VARIABLE)]
    stacks: PathBuf,
    /// Start programs that are variants, though no file outside the directories is read: the person's own experiment is made
    /// from a copy of its files.
    #[arg(long, hide = true)]
    programs: bool,
    /// Another engine has started this one, to make some of its runs.
    #[arg(long, hide = true)]
    inside: bool,
    /// Stop when standard input ends: for a parent that may be killed.
    #[arg(long)]
    lifeline: bool,
}

fn testbed_name(text: &str) -> Result<Testbed, String> {
    let named = Testbed::ALL.iter().find(|testbed| testbed.name() == text);
    named
        .copied()
        .ok_or_else(|| "use sim, netns, kernel or compose".to_owned())
}

/// How often a live run is tried if nobody says.
const ATTEMPTS: u32 = 2;

impl Selection {
    pub(crate) fn written(&self, library: &Library) -> Result<Experiment, Failure> {
        if self.testbed == Testbed::Sim && self.plane.is_some() {
            return Err(only_live("--plane"));
        }
        Ok(Experiment::load(library, &self.experiment)?)
    }

    /// That experiment as it was asked for.
    pub(crate) fn asked(&self, library: &Library, written: Experiment) -> Result<Experiment, Failure> {
        let mut experiment = match &self.variants {
            Some(names) => written.of_variants(library, names)?,
            None => written,
        }
        .on(self.testbed);
        experiment.repetitions = self.reps.unwrap_or(experiment.repetitions);
        experiment.seed = self.seed.map_or(experiment.seed, Seed::new);
        if let Some(plane) = self.plane {
            experiment.live.plane = plane;
        }
        Ok(experiment)
    }
}

fn only_live(option: &str) -> Failure {
    Failure::input(format!(
        "{option} goes with --testbed netns, kernel or compose; leave it out"
    ))
}

pub(crate) fn run(library: &Library, arguments: &Arguments) -> Result<(), Failure> {
    let selection = &arguments.selection;
    let testbed = selection.testbed;
    if testbed == Testbed::Sim && arguments.attempts.is_some() {
        return Err(only_live("--attempts"));
    }
    let experiment = selection.asked(library, selection.written(library)?)?;
    let cells = Cells::of(&experiment, testbed)?;
    let places = chosen(arguments.runs.as_ref(), &cells)?;
    let live = cells.among(&places, true);
    carry::check_anywhere(&experiment, testbed, library.is_confined())?;
    let may_start = arguments.programs || !library.is_confined();
    let variants = experiment.variants.iter().chain(&experiment.others);
    Engines::new(&arguments.stacks, library, may_start).check(variants)?;
    if !live.is_empty() {
        match testbed {
            Testbed::Kernel if arguments.inside => carry::check_inside(&experiment)?,
            Testbed::Kernel => kernels::check(&experiment, &arguments.kernels)?,
            _ => carry::check_here(&experiment, testbed, &arguments.orders)?,
        }
    }
    let stop = interrupt::watch()?;
    if arguments.lifeline {
        interrupt::hold_on_to_standard_input(&stop)?;
    }
    let owned = own(live.is_empty(), arguments.out.as_deref())?;
    let sweep = Sweep {
        keep: Keep {
            captures: !arguments.no_pcap,
            series: !arguments.no_series,
        },
        limits: Limits::here()?,
        stop,
        simulated: cells.among(&places, false),
        live,
        cells: &cells,
        experiment: &experiment,
        library,
        arguments,
        scratch: owned.as_ref().and_then(ledger::Owned::scratch).unwrap_or(Path::new("")),
    };
    sweep.run()
}

/// The places that were asked for, or all.
fn chosen(asked: Option<&RunRanges>, cells: &Cells<'_>) -> Result<RunRanges, Failure> {
    let count = cells.count();
    match asked {
        None => Ok(RunRanges::all(count)),
        Some(places) => match places.last().filter(|last| *last >= count) {
            Some(last) => Err(Failure::input(format!(
                "--runs: there is no run {last}; the plan has {count}, counted from 0"
            ))),
            None => Ok(places.clone()),
        },
    }
}

/// Cleans up after earlier processes and writes down what this one is about to make. A simulation makes nothing but
/// drafts, which carry that in their names: it does without a ledger where none can be had.
fn own(simulated: bool, out: Option<&Path>) -> Result<Option<ledger::Owned>, Failure> {
    if simulated && out.is_none() {
        return Ok(None);
    }
    match ledger::clean().and_then(|()| ledger::Owned::below(out)) {
        Ok(owned) => Ok(Some(owned)),
        Err(_) if simulated => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// All runs of one call.
struct Sweep<'a> {
    experiment: &'a Experiment,
    library: &'a Library,
    cells: &'a Cells<'a>,
    arguments: &'a Arguments,
    /// Where live runs go of which nothing is kept.
    scratch: &'a Path,
    keep: Keep,
    limits: Limits,
    stop: interrupt::Stop,
    /// Done first, on every core: beside them live runs would not be exact. These are places of the plan.
    simulated: Vec<u64>,
    live: Vec<u64>,
}

impl Sweep<'_> {
    fn run(&self) -> Result<(), Failure> {
        let runs = (self.simulated.len() + self.live.len()) as u64;
        let testbeds = self.cells.testbeds();
        answer::json(&Message::Plan {
            testbeds: &testbeds,
            experiment: Box::new(PlannedExperiment::of(self.experiment, &testbeds)),
            runs,
            estimate: Box::new(Estimate::of(self.cells)?),
        })?;
        let mut troubles = Vec::new();
        self.simulate(&mut troubles)?;
        if self.arguments.selection.testbed == Testbed::Kernel && !self.arguments.inside {
            kernels::run(self, &mut troubles)?;
        } else {
            self.run_live(&mut troubles)?;
        }
        if let Some(first) = troubles.first() {
            let count = troubles.len();
            return Err(Failure::Machine(format!(
                "{count} of {runs} runs did not end in order; the first is {first}"
            )));
        }
        answer::json(&Message::Done { runs })
    }

    fn simulate(&self, troubles: &mut Vec<String>) -> Result<(), Failure> {
        let threads = jobs(self.arguments.jobs.filter(|_| self.live.is_empty()));
        let any_apart = apart::has_any(self.experiment);
        let (apart, here): (Vec<u64>, Vec<u64>) =
            (self.simulated.iter()).partition(|place| any_apart && apart::stack_of(&self.cells.at(**place)).is_some());
        apart::run(self, &apart, threads, troubles)?;
        workers::each(
            &here,
            threads,
            &self.stop,
            |place| {
                simulated::run(
                    &self.cells.at(*place),
                    self.arguments.out.as_deref(),
                    self.keep,
                    self.limits,
                    &self.stop,
                )
            },
            |ended| tell(&ended, troubles),
        )
    }

    fn run_live(&self, troubles: &mut Vec<String>) -> Result<(), Failure> {
        let live = Live {
            profiles: self.library.roots(),
            confined: self.library.is_confined(),
            experiment: &self.arguments.selection.experiment,
            variants: self.arguments.selection.variants.as_deref(),
            testbed: self.arguments.selection.testbed,
            orders: &self.arguments.orders,
            plan: plan_hash(self.experiment, self.arguments.selection.testbed),
            out: self.arguments.out.as_deref(),
            stacks: &self.arguments.stacks,
            scratch: self.scratch,
            keep: self.keep,
            attempts: self.arguments.attempts.unwrap_or(ATTEMPTS),
            limits: self.limits,
            stop: &self.stop,
        };
        workers::each(
            &self.live,
            self.side_by_side(),
            &self.stop,
            |place| live.run(&self.cells.at(*place)),
            |ended| tell(&ended, troubles),
        )
    }
}

impl Sweep<'_> {
    /// Live runs at a time. Of containers there is one set, and inside a kernel one processor.
    fn side_by_side(&self) -> NonZeroUsize {
        match self.arguments.selection.testbed {
            Testbed::Compose | Testbed::Kernel => NonZeroUsize::MIN,
            Testbed::Sim | Testbed::Netns => self.arguments.jobs.unwrap_or(NonZeroUsize::MIN),
        }
    }
}

/// How many runs are made side by side: as many as were asked for, or one on each core.
fn jobs(asked: Option<NonZeroUsize>) -> NonZeroUsize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
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
