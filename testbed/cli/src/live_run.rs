//! `live-run`: one live run, in a process of its own. The engine calls itself so; nobody else needs to.

use std::fs;
use std::path::{Path, PathBuf};
use std::slice;

use clap::Args;
use nix::sys::signal::Signal;
use nix::sys::utsname::uname;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlull_agent::DEFAULT_CAPTURE_BYTES;
use windlull_analysis::Metrics;
use windlull_capture::Observer;
use windlull_experiment::{Experiment, FlowSet, Library, Testbed, VariantProfile};
use windlull_live::orders::Orders;
use windlull_live::{Certificate, Connection, HowFar, LinkCaptureSetup, LiveError, Outcome, Received, Setup, Work};
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
    let ends = ends(cell, cell.variant, cell.data_sender());
    let sets = cell.experiment.sets_on(&cell.link.name);
    let connections: Vec<Connection> = sets.iter().flat_map(|set| connections(cell, set)).collect();
    let work = match &cell.workload().commands {
        Some(commands) => Work::Commands {
            ends: &ends,
            commands,
            environment: &environment,
        },
        None => Work::Connections(&connections),
    };
    let provenance = cell.provenance(Some(kernel_release()?));
    let comment = provenance.to_string();
    let setup = Setup {
        link: &cell.link.model,
        access: cell.experiment.access.as_ref().map(|link| &link.model),
        crossing: &cell.workload().crossing,
        network: cell.experiment.network,
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
            make(cell, handed, &setup, &scratch, slice::from_mut(observer), &mut watch).map_err(failure)
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
        cell.experiment.network,
        cell.data_sender(),
        cell.is_from_elsewhere(),
    )?;
    let senders: Vec<Vec<Host>> = sets
        .iter()
        .map(|set| set.starts().map(|_| set.data_sender).collect())
        .collect();
    record.beside(&senders, cell.experiment.draws_conversations());
    let outcome = make(cell, handed, &setup, &scratch, record.observers(), &mut watch).map_err(failure)?;
    remove(&scratch)?;
    let [shown, beside @ ..] = outcome.received.as_slice() else {
        return Err(Failure::input("a live run carries a connection, or commands"));
    };
    all_right(beside)?;
    let live = Live {
        certificate: outcome.certificate,
        settings: outcome.settings,
        received: shown.clone(),
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
    observers: &mut [impl Observer],
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
            windlull_live::orders::run_between(setup, &orders, observers, watch)
        }
        Testbed::Netns | Testbed::Kernel | Testbed::Sim => windlull_live::run_watched(setup, scratch, observers, watch),
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

/// What `run.json` has no place for: of the flows beside the one that is shown, every octet must have arrived as it was sent.
fn all_right(beside: &[Received]) -> Result<(), Failure> {
    let wrong = (2..)
        .zip(beside)
        .find_map(|(number, received)| Some((number, received.first_wrong?)));
    wrong.map_or(Ok(()), |(number, octet): (u32, u64)| {
        Err(Failure::Machine(format!(
            "octet {octet} of flow {number} did not arrive as it was sent"
        )))
    })
}

/// The connections of a set of flows.
fn connections(cell: &Cell<'_>, set: &FlowSet) -> impl Iterator<Item = Connection> {
    let ends = ends(cell, cell.of_set(set), set.data_sender);
    set.starts().map(move |start| Connection {
        ends: ends.clone(),
        purpose: set.work,
        data_sender: set.data_sender,
        start,
    })
}

/// The transport of the server, then of the client, where the data sender's is of this variant.
fn ends(cell: &Cell<'_>, variant: &VariantProfile, data_sender: Host) -> [Stack; 2] {
    let sender = variant.stack.clone();
    let receiver = cell.experiment.live.receiver(variant).clone();
    match data_sender {
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
