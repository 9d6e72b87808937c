//! A run in virtual time.

use std::path::Path;

use windlull_analysis::{Analyzer, RunAnalysis};
use windlull_experiment::VariantProfile;
use windlull_sim::{Flow, Setup, Variant};
use windlull_units::{Ending, Host};

use crate::failure::Failure;
use crate::run::cell::Cell;
use crate::run::directory::Draft;
use crate::run::message::{Ended, Finished, Measured};
use crate::run::record::{Keep, Record};

/// Simulates a run and, with an output directory, writes what is to be kept.
pub(crate) fn run(cell: &Cell<'_>, out: Option<&Path>, keep: Keep) -> Result<Ended, Failure> {
    let (ending, analysis) = match out {
        None => bare(cell),
        Some(out) => {
            let draft = Draft::begin(out.join(&cell.directory))?;
            let done = into(cell, &draft, keep)?;
            draft.publish()?;
            done
        }
    };
    Ok(Ended::Run(Box::new(Finished {
        which: cell.which(),
        attempts: None,
        measured: Measured::Here {
            metrics: Box::new(analysis.metrics),
        },
        unfinished: (!ending.is_as_meant()).then(|| ending.to_string()),
    })))
}

fn bare(cell: &Cell<'_>) -> (Ending, RunAnalysis) {
    let scene = Scene::of(cell);
    let mut analyzers: Vec<Analyzer> = scene.flows.iter().map(|flow| Analyzer::new(flow.data_sender)).collect();
    let ending = windlull_sim::run(&scene.setup(cell), &mut analyzers);
    let mut analyses: Vec<RunAnalysis> = analyzers.iter_mut().map(Analyzer::finish).collect();
    if analyses.len() > 1 {
        let sets: Vec<usize> = scene.sets.iter().map(Vec::len).collect();
        analyses[0].metrics = windlull_analysis::together(&analyses, &sets);
    }
    (ending, analyses.swap_remove(0))
}

fn into(cell: &Cell<'_>, draft: &Draft, keep: Keep) -> Result<(Ending, RunAnalysis), Failure> {
    let scene = Scene::of(cell);
    let mut record = Record::begin(
        draft.folder(),
        cell.provenance(None),
        keep,
        cell.snaplen(),
        cell.data_sender(),
    )?;
    record.beside(&scene.sets);
    let ending = windlull_sim::run(&scene.setup(cell), record.observers());
    let analysis = record.finish(ending, None)?;
    Ok((ending, analysis))
}

/// The flows of a run.
struct Scene<'a> {
    flows: Vec<Flow<'a>>,
    /// The data senders of each set.
    sets: Vec<Vec<Host>>,
}

impl<'a> Scene<'a> {
    fn of(cell: &Cell<'a>) -> Self {
        let sets = cell.experiment.sets_on(&cell.link.name);
        Self {
            flows: sets
                .iter()
                .flat_map(|set| {
                    let variant = ours(cell.of_set(set));
                    set.starts().map(move |start| Flow {
                        variant,
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

    fn setup(&'a self, cell: &Cell<'a>) -> Setup<'a> {
        let experiment = cell.experiment;
        Setup {
            link: &cell.link.model,
            access: experiment.access.as_ref().map(|link| &link.model),
            flows: &self.flows,
            crossing: &experiment.workload.crossing,
            seed: cell.seed,
            time_limit: experiment.time_limit,
        }
    }
}

fn ours(variant: &VariantProfile) -> &Variant {
    variant.stack.windlull().expect("cells of a simulation are ours")
}
