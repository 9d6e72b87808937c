//! What another engine says that makes runs of this sweep, passed on as it comes.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::answer;
use crate::failure::Failure;
use crate::run::Sweep;
use crate::run::directory::Draft;
use crate::run::message::{Failed, Message, PlannedExperiment};

/// What another engine says, and which of its runs are left.
pub(super) struct Relay<'a> {
    sweep: &'a Sweep<'a>,
    /// What that engine must find the experiment to be.
    plan: &'a Value,
    /// Places of which nothing has become yet.
    pub(super) left: Vec<u64>,
    pub(super) troubles: Vec<String>,
}

/// What matters here of a line.
#[derive(Debug, Deserialize)]
struct Line {
    event: String,
    place: Option<u64>,
    directory: Option<String>,
    unfinished: Option<String>,
    reason: Option<String>,
    experiment: Option<Value>,
}

/// The plan as another engine must find it.
pub(super) fn plan_of(sweep: &Sweep<'_>) -> Value {
    let plan = serde_json::to_value(PlannedExperiment::of(sweep.experiment, &sweep.cells.testbeds()));
    without_commit(plan.expect("plans have string keys and finite numbers"))
}

/// Engines of the same sources may have been built at different commits.
fn without_commit(mut plan: Value) -> Value {
    if let Some(plan) = plan.as_object_mut() {
        plan.remove("commit");
    }
    plan
}

impl<'a> Relay<'a> {
    pub(super) fn new(sweep: &'a Sweep<'a>, plan: &'a Value, places: &[u64]) -> Self {
        Self {
            sweep,
            plan,
            left: places.to_vec(),
            troubles: Vec::new(),
        }
    }

    /// A line has come.
    pub(super) fn pass_on(&mut self, text: &[u8]) -> Result<(), Failure> {
        let unexpected = |error: &dyn std::fmt::Display| {
            Failure::Machine(format!("the engine that makes runs said something unexpected: {error}"))
        };
        let line: Line = serde_json::from_slice(text).map_err(|error| unexpected(&error))?;
        match line.event.as_str() {
            "plan" if line.experiment.map(without_commit).as_ref() != Some(self.plan) => {
                return Err(Failure::input(
                    "the experiment's files were changed while it ran; run it again",
                ));
            }
            "run" | "failed" => {
                self.left.retain(|place| Some(*place) != line.place);
                if let Some(trouble) = line.unfinished.or(line.reason) {
                    let directory = line.directory.unwrap_or_default();
                    self.troubles.push(format!("{directory}: {trouble}"));
                }
            }
            "progress" => {}
            _ => return Ok(()),
        }
        if line.event == "plan" {
            return Ok(());
        }
        let text = std::str::from_utf8(text).map_err(|error| unexpected(&error))?;
        answer::text(&format!("{text}\n"))
    }

    /// Says that the run which was under way came to nothing.
    pub(super) fn give_up_one(&mut self, reason: &str) -> Result<(), Failure> {
        let Some(place) = (!self.left.is_empty()).then(|| self.left.remove(0)) else {
            return Ok(());
        };
        let cell = self.sweep.cells.at(place);
        self.troubles.push(format!("{}: {reason}", cell.directory));
        answer::json(&Message::Failed(&Failed {
            which: cell.which(),
            attempts: 1,
            reason: reason.to_owned(),
            missing: false,
        }))
    }

    /// Removes what that engine left half done.
    pub(super) fn remove_drafts(&self) -> Result<(), Failure> {
        let Some(out) = &self.sweep.arguments.out else {
            return Ok(());
        };
        for place in &self.left {
            drop(Draft::begin(
                out.join(self.sweep.cells.at(*place).directory),
                self.sweep.limits,
            )?);
        }
        Ok(())
    }
}

/// Places of the plan that another engine makes, one after the other.
pub(super) struct Batch {
    /// What it runs in: a kernel, or an engine with a stack.
    pub(super) name: String,
    pub(super) places: Vec<u64>,
}

/// These places, each with what it runs in, in batches of at most `size`.
pub(super) fn batches(places: impl Iterator<Item = (u64, String)>, size: usize) -> Vec<Batch> {
    let mut of_name: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for (place, name) in places {
        of_name.entry(name).or_default().push(place);
    }
    let mut batches: Vec<Batch> = Vec::new();
    for (name, places) in of_name {
        batches.extend(places.chunks(size).map(|places| Batch {
            name: name.clone(),
            places: places.to_vec(),
        }));
    }
    // Repetition by repetition, so that a sweep cut short compares all variants all the same.
    batches.sort_by_key(|batch| batch.places[0]);
    batches
}

/// The arguments with which another engine makes these runs, behind its own name.
pub(super) fn arguments(sweep: &Sweep<'_>, places: &[u64]) -> Vec<String> {
    let Sweep {
        experiment,
        library,
        arguments,
        ..
    } = sweep;
    let mut command: Vec<String> = Vec::new();
    let mut say = |words: &[&str]| command.extend(words.iter().map(|word| (*word).to_owned()));
    for root in library.roots() {
        say(&["--profiles", &root.display().to_string()]);
    }
    if library.is_confined() {
        say(&["--confined"]);
    }
    let testbed = arguments.selection.testbed;
    say(&[
        "run",
        &arguments.selection.experiment,
        "--testbed",
        testbed.name(),
        "--inside",
    ]);
    say(&["--seed", &experiment.seed.to_string()]);
    say(&["--reps", &experiment.repetitions.to_string()]);
    if testbed != windlull_experiment::Testbed::Sim {
        say(&["--plane", experiment.live.plane.name()]);
    }
    if let Some(variants) = &arguments.selection.variants {
        say(&["--variants", &variants.join(",")]);
    }
    say(&["--stacks", &arguments.stacks.display().to_string()]);
    if let Some(out) = &arguments.out {
        say(&["--out", &out.display().to_string()]);
    }
    let places: Vec<_> = places.iter().map(u64::to_string).collect();
    say(&["--runs", &places.join(",")]);
    for (option, given) in [
        ("--no-pcap", arguments.no_pcap),
        ("--no-series", arguments.no_series),
        ("--programs", arguments.programs),
    ] {
        say(given.then_some(option).as_slice());
    }
    command
}
