//! `live-run`: one live run, in a process of its own. The engine calls itself so; nobody else needs to.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use nix::sys::signal::Signal;
use nix::sys::utsname::uname;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlull_agent::DEFAULT_CAPTURE_BYTES;
use windlull_analysis::Metrics;
use windlull_capture::Observer;
use windlull_experiment::{Experiment, Library, Testbed};
use windlull_live::orders::Orders;
use windlull_live::{Certificate, HowFar, LinkCaptureSetup, LiveError, Outcome, Setup, Work};
use windlull_stack::{Program, Stack};
use windlull_units::{Host, Pace, PlaneKind, Seed, Time};

use crate::answer;
use crate::built::VERSION;
use crate::failure::Failure;
use crate::orders::BUILD;
use crate::parent::die_with;
use crate::run::cell::{Cell, Cells, plan_hash};
use crate::run::command;
use crate::run::directory::Folder;
use crate::run::limits::Limits;
use crate::run::record::{Keep, Live, Record};

/// The arguments of `live-run`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What the engine hands on, as JSON.
    handed: String,
}

/// All that the process of a live run is told.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Handed {
    pub(crate) experiment: String,
    /// Instead of its own.
    pub(crate) variants: Option<Vec<String>>,
    /// Of the run in the plan.
    pub(crate) place: u64,
    pub(crate) master_seed: Seed,
    pub(crate) repetitions: u32,
    pub(crate) plane: PlaneKind,
    /// Where the run is made.
    pub(crate) testbed: Testbed,
    /// The sockets of those that make it, if these are processes of their own.
    pub(crate) orders: PathBuf,
    /// What the experiment came to when the sweep began.
    pub(crate) plan: u64,
    /// The draft of the run's directory.
    pub(crate) into: PathBuf,
    pub(crate) captures: bool,
    pub(crate) series: bool,
    pub(crate) parent: u32,
}

/// A line of what is said.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Said<'a, M> {
    Far(Far),
    Done(Answer<'a, M>),
}

/// How far the run is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Far {
    /// In the run's own time.
    pub(crate) at_s: f64,
    /// That the receiving application has.
    pub(crate) octets: u64,
}

impl From<HowFar> for Far {
    fn from(far: HowFar) -> Self {
        Self {
            at_s: far.at.since(Time::ZERO).as_secs_f64(),
            octets: far.received,
        }
    }
}

/// What is said when the run is done.
#[derive(Debug, Serialize)]
struct Answer<'a, M> {
    metrics: &'a M,
    certificate: &'a Certificate,
    unfinished: Option<String>,
}

/// The captures' spool, beside the files that stay.
const SCRATCH: &str = ".scratch";

pub(crate) fn run(library: &Library, arguments: &Arguments) -> Result<(), Failure> {
    let handed: Handed = serde_json::from_str(&arguments.handed).map_err(Failure::input)?;
    die_with(handed.parent, Signal::SIGKILL)?;
    let mut experiment = Experiment::load(library, &handed.experiment)?;
    if let Some(variants) = &handed.variants {
        experiment = experiment.of_variants(library, variants)?;
    }
    experiment = experiment.on(handed.testbed);
    experiment.seed = handed.master_seed;
    experiment.repetitions = handed.repetitions;
    experiment.live.plane = handed.plane;
    if plan_hash(&experiment, handed.testbed) != handed.plan {
        return Err(Failure::input(
            "the experiment's files were changed while it ran; run it again",
        ));
    }
    let cells = Cells::of(&experiment, handed.testbed)?;
    if handed.place >= cells.count() {
        return Err(Failure::input("there is no such run in the experiment"));
    }
    perform(&cells.at(handed.place), &handed)
}

fn perform(cell: &Cell<'_>, handed: &Handed) -> Result<(), Failure> {
    let folder = Folder::at(handed.into.clone(), Limits::here()?);
    let scratch = folder.subfolder(SCRATCH)?;
    let keep = Keep {
        captures: handed.captures,
        series: handed.series,
    };
    let environment = command::environment(cell);
    let work = match (&cell.workload().commands, cell.connection()) {
        (Some(commands), _) => Work::Commands {
            commands,
            environment: &environment,
        },
        (None, Some((purpose, data_sender))) => Work::Connection { purpose, data_sender },
        (None, None) => return Err(Failure::input("a live run carries one connection, or commands")),
    };
    let provenance = cell.provenance(Some(kernel_release()?));
    let comment = provenance.to_string();
    let setup = Setup {
        link: &cell.link.model,
        ends: &ends(cell),
        work,
        seed: cell.seed,
        time_limit: cell.experiment.time_limit,
        plane: handed.plane,
        pace: match handed.testbed {
            // No time passes while a link waits for its next packet: there is nothing to choose.
            Testbed::Kernel => Pace::Virtual,
            _ => cell.experiment.live.pace,
        },
        snaplen: cell.snaplen(),
        isn: None,
        pause: None,
        link_capture: (handed.captures && matches!(work, Work::Commands { .. })).then_some(LinkCaptureSetup {
            comment: &comment,
            version: VERSION,
            limit_bytes: DEFAULT_CAPTURE_BYTES,
        }),
    };
    // The engine may be gone, and this process then is at once; nothing is lost with a line.
    let mut watch = |far: HowFar| drop(answer::json(&Said::<Metrics>::Far(far.into())));
    if matches!(work, Work::Commands { .. }) {
        let done = command::perform(&folder, &provenance, keep, &setup, |observer| {
            make(cell, handed, &setup, &scratch, observer, &mut watch).map_err(failure)
        })?;
        remove(&scratch)?;
        return answer::json(&Said::Done(Answer {
            metrics: &done.metrics,
            certificate: &done.live.certificate,
            unfinished: (!done.ending.is_as_meant()).then(|| done.ending.to_string()),
        }));
    }
    let mut record = Record::begin(
        &folder,
        provenance,
        keep,
        cell.snaplen(),
        cell.data_sender(),
        cell.is_from_elsewhere(),
    )?;
    let observer = &mut record.observers()[0];
    let outcome = make(cell, handed, &setup, &scratch, observer, &mut watch).map_err(failure)?;
    remove(&scratch)?;
    let live = Live {
        certificate: outcome.certificate,
        settings: outcome.settings,
        received: outcome.received,
    };
    let analysis = record.finish(outcome.ending, Some(&live))?;
    answer::json(&Said::Done(Answer {
        metrics: &analysis.metrics,
        certificate: &live.certificate,
        unfinished: (!outcome.ending.is_as_meant()).then(|| outcome.ending.to_string()),
    }))
}

/// Has the run made where it was asked for.
fn make(
    cell: &Cell<'_>,
    handed: &Handed,
    setup: &Setup<'_>,
    scratch: &Path,
    observer: &mut impl Observer,
    watch: &mut dyn FnMut(HowFar),
) -> Result<Outcome, LiveError> {
    match handed.testbed {
        Testbed::Compose => {
            let orders = Orders {
                directory: &handed.orders,
                build: BUILD,
                stack: built_in_stack(cell),
                run: &format!("{} {}", cell.experiment.name, cell.directory),
            };
            windlull_live::orders::run_between(setup, &orders, observer, watch)
        }
        Testbed::Netns | Testbed::Kernel | Testbed::Sim => windlull_live::run_watched(setup, scratch, observer, watch),
    }
}

fn failure(error: LiveError) -> Failure {
    match error {
        LiveError::Orders(missing) if missing.is_missing() => Failure::Missing(missing.to_string()),
        other => Failure::Machine(other.to_string()),
    }
}

fn remove(scratch: &Path) -> Result<(), Failure> {
    fs::remove_dir_all(scratch).map_err(|error| Failure::file("remove", scratch, &error))
}

/// The TCP of the server, then of the client.
fn ends(cell: &Cell<'_>) -> [Stack; 2] {
    let sender = cell.variant.stack.clone();
    let receiver = cell.experiment.live.receiver(cell.variant).clone();
    match cell.data_sender() {
        Host::Server => [sender, receiver],
        Host::Client => [receiver, sender],
    }
}

/// The stack of this run that is built into an engine: into this one, then.
fn built_in_stack<'a>(cell: &Cell<'a>) -> Option<&'a str> {
    cell.transports().find_map(|transport| match &transport.program {
        Program::Built(name) => Some(name.as_str()),
        Program::Command(_) => None,
    })
}

fn kernel_release() -> Result<String, Failure> {
    let name = uname().map_err(|error| Failure::Machine(format!("cannot learn the kernel's release: {error}")))?;
    Ok(name.release().to_string_lossy().into_owned())
}
