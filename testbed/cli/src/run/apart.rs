//! Simulated runs of stacks that are built into engines of their own: made by those, what they say passed on.

use std::io::{BufRead as _, BufReader, Read as _};
use std::num::NonZeroUsize;
use std::process::{Child, Command, Stdio};
use std::thread;

use serde_json::Value;
use windlull_experiment::Experiment;
use windlull_stack::Program;

use crate::engines;
use crate::failure::{Failure, without_prefixes};
use crate::run::cell::Cell;
use crate::run::relay::{self, Batch, Relay};
use crate::run::{Sweep, workers};
use crate::stacks;

/// So many engines for each that works at a time, at least, so that all end at about the same time.
const ENGINES_EACH: usize = 3;

/// Whether runs of this experiment may be made by other engines: of most there are none, and nobody looks at each run.
pub(super) fn has_any(experiment: &Experiment) -> bool {
    let mut variants = experiment.variants.iter().chain(&experiment.others);
    variants.any(|variant| {
        variant
            .stack
            .transport()
            .is_some_and(|it| !stacks::is_here(&it.program))
    })
}

/// The stack whose engine makes this run; `None` if this one does.
pub(super) fn stack_of<'a>(cell: &Cell<'a>) -> Option<&'a str> {
    cell.transports().find_map(|transport| match &transport.program {
        Program::Built(name) if !stacks::is_here(&transport.program) => Some(name.as_str()),
        _ => None,
    })
}

/// Makes those of the simulated runs that are made apart.
pub(super) fn run(
    sweep: &Sweep<'_>,
    places: &[u64],
    jobs: NonZeroUsize,
    troubles: &mut Vec<String>,
) -> Result<(), Failure> {
    let plan = relay::plan_of(sweep);
    workers::each(
        &batches(sweep, places, jobs),
        jobs,
        &sweep.stop,
        |batch| make(sweep, &plan, batch),
        |found| {
            troubles.extend(found);
            Ok(())
        },
    )
}

fn batches(sweep: &Sweep<'_>, places: &[u64], jobs: NonZeroUsize) -> Vec<Batch> {
    let size = places.len().div_ceil(jobs.get() * ENGINES_EACH).max(1);
    let of_stacks = places.iter().filter_map(|&place| {
        let stack = stack_of(&sweep.cells.at(place))?;
        Some((place, stack.to_owned()))
    });
    relay::batches(of_stacks, size)
}

/// Makes all runs of a batch. A stack that dies or hangs costs the run that it was at; another engine makes the rest.
/// Returns what went wrong with single runs.
fn make(sweep: &Sweep<'_>, plan: &Value, batch: &Batch) -> Result<Vec<String>, Failure> {
    let mut relay = Relay::new(sweep, plan, &batch.places);
    while !relay.left.is_empty() {
        let engine = engines::file(&sweep.arguments.stacks, &batch.name);
        let mut child = Command::new(&engine)
            .args(relay::arguments(sweep, &relay.left))
            .args(["--jobs", "1", "--lifeline"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| Failure::file("start", &engine, &error))?;
        let heard = follow(&mut child, &mut relay, sweep);
        if heard.is_err() || sweep.stop.asked() {
            drop(child.kill());
        }
        let ended = child
            .wait()
            .map_err(|error| Failure::file("wait for", &engine, &error))?;
        let complaints = heard.inspect_err(|_| drop(relay.remove_drafts()))?;
        if sweep.stop.asked() {
            relay.remove_drafts()?;
            return Err(Failure::Interrupted);
        }
        let said = without_prefixes(complaints.as_bytes(), "\n");
        match ended.code() {
            // Runs that did not end in order make it fail; they have been told.
            Some(0 | 1) if relay.left.is_empty() => break,
            Some(2) => return Err(Failure::input(said)),
            _ => {
                relay.remove_drafts()?;
                let name = &batch.name;
                let how = if said.is_empty() { ended.to_string() } else { said };
                relay.give_up_one(&format!("the engine with the stack {name} ended early: {how}"))?;
            }
        }
    }
    Ok(relay.troubles)
}

/// Passes on what an engine says, until it says no more; returns what it complained of.
fn follow(child: &mut Child, relay: &mut Relay<'_>, sweep: &Sweep<'_>) -> Result<String, Failure> {
    let stdout = child.stdout.take().expect("it is piped");
    let mut stderr = child.stderr.take().expect("it is piped");
    let complaints = thread::spawn(move || {
        let mut text = Vec::new();
        drop(stderr.read_to_end(&mut text));
        String::from_utf8_lossy(&text).into_owned()
    });
    for line in BufReader::new(stdout).split(b'\n') {
        let line = line.map_err(|error| Failure::Machine(format!("cannot read what an engine says: {error}")))?;
        relay.pass_on(&line)?;
        if sweep.stop.asked() {
            drop(child.stdin.take());
        }
    }
    Ok(complaints.join().unwrap_or_default())
}
