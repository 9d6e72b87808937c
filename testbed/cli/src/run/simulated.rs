//! A run in virtual time.

use std::path::Path;

use windlull_analysis::{Analyzer, RunAnalysis};
use windlull_sim::Setup;
use windlull_units::Ending;

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
        unfinished: (!matches!(ending, Ending::Closed { .. })).then(|| ending.to_string()),
    })))
}

fn bare(cell: &Cell<'_>) -> (Ending, RunAnalysis) {
    let mut analyzer = Analyzer::new(cell.experiment.workload.data_sender);
    let ending = windlull_sim::run(&setup(cell), &mut analyzer);
    (ending, analyzer.finish())
}

fn into(cell: &Cell<'_>, draft: &Draft, keep: Keep) -> Result<(Ending, RunAnalysis), Failure> {
    let data_sender = cell.experiment.workload.data_sender;
    let mut record = Record::begin(draft.folder(), cell.provenance(None), keep, cell.snaplen(), data_sender)?;
    let ending = windlull_sim::run(&setup(cell), record.observer());
    let analysis = record.finish(ending, None)?;
    Ok((ending, analysis))
}

fn setup<'a>(cell: &Cell<'a>) -> Setup<'a> {
    Setup {
        link: &cell.link.model,
        variant: cell.variant.stack.windlull().expect("cells of a simulation are ours"),
        transfer: cell.transfer(),
        seed: cell.seed,
        time_limit: cell.experiment.time_limit,
    }
}
