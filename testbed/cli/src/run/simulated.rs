//! A run in virtual time.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use windlull_analysis::{Judge, RunAnalysis};
use windlull_sim::{Ends, Fault, Flow, Setup};
use windlull_stack::Stack;
use windlull_units::{Carries, Ending, Host};

use crate::failure::Failure;
use crate::run::cell::Cell;
use crate::run::directory::Draft;
use crate::run::interrupt::Stop;
use crate::run::limits::Limits;
use crate::run::message::{Ended, Failed, Finished, Measured};
use crate::run::record::{Keep, Record};
use crate::stacks::Stacks;

/// Simulates a run and, with an output directory, writes what is to be kept. A limit ends it, and nothing is kept; of a run
/// that a stack from elsewhere has ended everything is.
pub(crate) fn run(
    cell: &Cell<'_>,
    out: Option<&Path>,
    keep: Keep,
    limits: Limits,
    stop: &Stop,
) -> Result<Ended, Failure> {
    let made = match out {
        None => bare(cell, limits, stop),
        Some(out) => into(cell, &out.join(&cell.directory), keep, limits, stop),
    };
    match made {
        Ok((End { ending, fault }, analysis)) => Ok(Ended::Run(Box::new(Finished {
            which: cell.which(),
            attempts: None,
            measured: Measured::Here {
                metrics: Box::new(analysis.metrics),
            },
            unfinished: fault.or_else(|| (!ending.is_as_meant()).then(|| ending.to_string())),
        }))),
        Err(Failure::Limit(reason)) => Ok(Ended::Failed(Failed {
            which: cell.which(),
            attempts: 1,
            reason,
            missing: false,
        })),
        Err(failure) => Err(failure),
    }
}

/// How a run ended.
struct End {
    ending: Ending,
    /// What a stack from elsewhere did that ended it.
    fault: Option<String>,
}

fn bare(cell: &Cell<'_>, limits: Limits, stop: &Stop) -> Result<(End, RunAnalysis), Failure> {
    let stacks = Stacks::of(cell);
    let scene = Scene::of(cell, &stacks);
    let mut judges: Vec<Judge> = scene.flows.iter().map(|flow| Judge::new(flow.data_sender)).collect();
    let end = simulate(cell, &scene, limits, stop, |setup, most_events, is_unwanted| {
        windlull_record::judge(setup, most_events, is_unwanted, &mut judges)
    })?;
    let mut analyses: Vec<RunAnalysis> = judges.into_iter().map(Judge::finish).collect();
    if analyses.len() > 1 {
        let sets: Vec<usize> = scene.sets.iter().map(Vec::len).collect();
        analyses[0].metrics = windlull_analysis::together(&analyses, &sets);
    }
    Ok((end, analyses.swap_remove(0)))
}

fn into(cell: &Cell<'_>, place: &Path, keep: Keep, limits: Limits, stop: &Stop) -> Result<(End, RunAnalysis), Failure> {
    let draft = Draft::begin(place.to_owned(), limits)?;
    let stacks = Stacks::of(cell);
    let scene = Scene::of(cell, &stacks);
    let mut record = Record::begin(
        draft.folder(),
        cell.provenance(None),
        keep,
        cell.snaplen(),
        cell.experiment.network,
        cell.data_sender(),
        scene.has_qlogs(),
    )?;
    record.beside(&scene.sets, cell.experiment.draws_conversations());
    let end = simulate(cell, &scene, limits, stop, |setup, most_events, is_unwanted| {
        windlull_record::record(setup, most_events, is_unwanted, record.observers())
    })?;
    let analysis = record.finish(end.ending, None)?;
    draft.publish()?;
    Ok((end, analysis))
}

/// Runs the flows within the limits.
fn simulate(
    cell: &Cell<'_>,
    scene: &Scene<'_>,
    limits: Limits,
    stop: &Stop,
    run: impl FnOnce(&Setup<'_>, u64, &AtomicBool) -> Result<Ending, Fault>,
) -> Result<End, Failure> {
    let wanted = cell.experiment.time_limit;
    let setup = Setup {
        time_limit: limits.virtual_time(wanted),
        ..scene.setup(cell)
    };
    match run(&setup, limits.events, stop.is_unwanted()) {
        Ok(Ending::Unwatched) if stop.is_unwanted().load(Ordering::Relaxed) => Err(Failure::Interrupted),
        Ok(Ending::EventLimit) => Err(limits.too_many_events()),
        Ok(Ending::TimeLimit) if setup.time_limit < wanted => Err(limits.too_long()),
        Ok(ending) => Ok(End { ending, fault: None }),
        Err(Fault { what, at }) => Ok(End {
            ending: Ending::Broken { at },
            fault: Some(what),
        }),
    }
}

/// The flows of a run.
struct Scene<'a> {
    flows: Vec<Flow<'a>>,
    /// The data senders of each set.
    sets: Vec<Vec<Host>>,
}

impl<'a> Scene<'a> {
    fn of(cell: &Cell<'a>, stacks: &'a Stacks) -> Self {
        let sets = cell.experiment.sets_on(&cell.link.name);
        Self {
            flows: sets
                .iter()
                .flat_map(|set| {
                    let ends = ends_of(&cell.of_set(set).stack, stacks);
                    set.starts().map(move |start| Flow {
                        ends,
                        work: set.work,
                        data_sender: set.data_sender,
                        start,
                    })
                })
                .collect(),
            sets: (sets.iter())
                .map(|set| set.starts().map(|_| set.data_sender).collect())
                .collect(),
        }
    }

    /// Whether the flow that captures and diagrams show says of itself what qlog has.
    fn has_qlogs(&self) -> bool {
        self.flows
            .first()
            .is_some_and(|first| matches!(first.ends, Ends::Foreign(stack, _) if stack.carries() == Carries::Datagrams))
    }

    fn setup(&'a self, cell: &Cell<'a>) -> Setup<'a> {
        let experiment = cell.experiment;
        Setup {
            link: &cell.link.model,
            access: experiment.access.as_ref().map(|link| &link.model),
            flows: &self.flows,
            crossing: &cell.workload().crossing,
            network: experiment.network,
            seed: cell.seed,
            time_limit: experiment.time_limit,
        }
    }
}

fn ends_of<'a>(stack: &'a Stack, stacks: &'a Stacks) -> Ends<'a> {
    match stack {
        Stack::Windlull(variant) => Ends::Tcp(variant),
        Stack::Transport(transport) => Ends::Foreign(stacks.of_variant(transport), &transport.options),
        Stack::Linux(_) => unreachable!("a simulation has no kernel"),
    }
}
