//! `plan`: what a run would be, before anything runs. It asks nothing of the machine, so that the machine that plans may
//! be another one than those that run.

use std::collections::BTreeMap;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use serde::ser::SerializeSeq as _;
use windlull_experiment::{Library, Testbed, bundle};

use crate::answer;
use crate::estimate::Estimate;
use crate::failure::Failure;
use crate::run::cell::{Cells, Which};
use crate::run::key::Keys;
use crate::run::message::PlannedExperiment;
use crate::run::{Selection, carry};

/// The arguments of `plan`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// Leave the runs out.
    #[arg(long)]
    brief: bool,
}

/// What is answered.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Plan")]
pub(crate) struct Answer<'a> {
    testbeds: Vec<Testbed>,
    experiment: PlannedExperiment<'a>,
    experiment_file: String,
    files: BTreeMap<String, String>,
    count: u64,
    /// Absent where nobody knows what a command will send.
    estimate: Option<Estimate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<PlannedRun>>")]
    runs: Option<Runs<'a>>,
}

/// Every run, made when it is told: a million of them need no memory.
struct Runs<'a> {
    cells: &'a Cells<'a>,
    keys: Keys,
}

#[derive(Serialize, JsonSchema)]
struct PlannedRun {
    #[serde(flatten)]
    which: Which,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

/// Says what a run would be.
pub(crate) fn plan(library: &Library, arguments: &Arguments) -> Result<(), Failure> {
    let selection = &arguments.selection;
    let written = selection.written(library)?;
    let bundle = bundle(library, &written).map_err(Failure::input)?;
    let experiment = selection.asked(library, written)?;
    let testbed = selection.testbed;
    carry::check_anywhere(&experiment, testbed, library.is_confined())?;
    let cells = Cells::of(&experiment, testbed)?;
    let testbeds = cells.testbeds();
    answer::json(&Answer {
        experiment: PlannedExperiment::of(&experiment, &testbeds),
        experiment_file: bundle.experiment_file,
        files: bundle.files,
        count: cells.count(),
        estimate: Estimate::of(&cells)?,
        runs: (!arguments.brief).then(|| Runs {
            cells: &cells,
            keys: Keys::of(&experiment),
        }),
        testbeds,
    })
}

impl Serialize for Runs<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for place in 0..self.cells.count() {
            let cell = self.cells.at(place);
            list.serialize_element(&PlannedRun {
                which: cell.which(),
                key: self.keys.key(&cell),
            })?;
        }
        list.end()
    }
}
