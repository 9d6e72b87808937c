//! Live runs, seen from outside: each is a process of its own, so that nothing of it outlives it and none can harm another.

use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::PoisonError;
use std::thread;

use serde::Deserialize;
use serde_json::value::RawValue;
use windlull_experiment::{FlowSet, Testbed};
use windlull_units::Bytes;

use crate::answer;
use crate::engines;
use crate::failure::{Failure, this_program, without_prefixes};
use crate::live_run::{Far, Handed};
use crate::run::apart;
use crate::run::cell::Cell;
use crate::run::directory::Draft;
use crate::run::interrupt::Stop;
use crate::run::limits::Limits;
use crate::run::message::{Ended, Failed, Finished, Measured, Message, Progress};
use crate::run::record::Keep;

/// How live runs are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Live<'a> {
    /// The directories of all files.
    pub(crate) profiles: &'a [PathBuf],
    /// Whether no file outside them is read.
    pub(crate) confined: bool,
    /// The experiment, as it was asked for.
    pub(crate) experiment: &'a str,
    /// The variants that were asked for instead of the experiment's.
    pub(crate) variants: Option<&'a [String]>,
    /// Where they are made.
    pub(crate) testbed: Testbed,
    /// The sockets of those that make them, if these are processes of their own.
    pub(crate) orders: &'a Path,
    /// What the experiment came to; a run whose files say something else by now is refused.
    pub(crate) plan: u64,
    pub(crate) out: Option<&'a Path>,
    /// The engines with stacks in them.
    pub(crate) stacks: &'a Path,
    /// Where they go if nothing is kept of them.
    pub(crate) scratch: &'a Path,
    pub(crate) keep: Keep,
    /// How often a run is tried that is not valid or fails.
    pub(crate) attempts: u32,
    pub(crate) limits: Limits,
    pub(crate) stop: &'a Stop,
}

/// A line of what a live run's process says.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Said {
    Far(Far),
    Done(Answer),
}

/// What it says when the run is done.
#[derive(Debug, Deserialize)]
struct Answer {
    metrics: Box<RawValue>,
    certificate: Box<RawValue>,
    unfinished: Option<String>,
}

/// Why nothing came of an attempt, and whether that is because a process that makes runs is missing.
#[derive(Debug)]
struct Nothing {
    reason: String,
    missing: bool,
}

#[derive(Debug, Deserialize)]
struct Validity {
    valid: bool,
}

impl Live<'_> {
    /// Makes a run, again if it is not valid or fails, and keeps what comes of the last attempt.
    pub(crate) fn run(&self, cell: &Cell<'_>) -> Result<Ended, Failure> {
        let mut attempt = 1;
        loop {
            let last = attempt >= self.attempts;
            let draft = Draft::begin(
                match self.out {
                    Some(out) => out.join(&cell.directory),
                    None => self.scratch.join(cell.directory.replace('/', "-")),
                },
                self.limits,
            )?;
            match self.attempt(cell, draft.folder().path())? {
                Ok(answer) if last || is_valid(&answer) => {
                    if self.out.is_some() {
                        draft.publish()?;
                    }
                    return Ok(Ended::Run(Box::new(Finished {
                        which: cell.which(),
                        attempts: Some(attempt),
                        measured: Measured::Elsewhere {
                            metrics: answer.metrics,
                            certificate: answer.certificate,
                        },
                        unfinished: answer.unfinished,
                    })));
                }
                Err(Nothing { reason, missing }) if last => {
                    return Ok(Ended::Failed(Failed {
                        which: cell.which(),
                        attempts: attempt,
                        reason,
                        missing,
                    }));
                }
                Ok(_) | Err(_) => attempt += 1,
            }
        }
    }

    /// One attempt, in a process of its own; `Err` inside says why nothing came of it.
    fn attempt(&self, cell: &Cell<'_>, into: &Path) -> Result<Result<Answer, Nothing>, Failure> {
        let mut child = self
            .command(cell, into)?
            .spawn()
            .map_err(|error| Failure::Machine(format!("cannot start a live run: {error}")))?;
        let out = child.stdout.take().expect("its output is piped");
        let mut complaints = child.stderr.take().expect("its errors are piped");
        let child = self.stop.adopt(child);
        // Both are read to their end while it runs: a full pipe would hold it up.
        let (answer, complained) = thread::scope(|scope| {
            let complained = scope.spawn(move || {
                let mut octets = Vec::new();
                // Of a pipe that breaks, what came counts.
                let _ = complaints.read_to_end(&mut octets);
                octets
            });
            let answer = hear(cell, BufReader::new(out));
            (answer, complained.join().expect("reading does not panic"))
        });
        let status = wait(&mut child.lock().unwrap_or_else(PoisonError::into_inner))?;
        if self.stop.asked() && !status.success() {
            return Err(Failure::Interrupted);
        }
        if !status.success() {
            return Ok(Err(Nothing {
                reason: match without_prefixes(&complained, "; ") {
                    reason if reason.is_empty() => format!("its process ended early: {status}"),
                    reason => reason,
                },
                missing: status.code() == Some(Failure::MISSING.into()),
            }));
        }
        Ok(answer.map_err(|reason| Nothing { reason, missing: false }))
    }

    fn command(&self, cell: &Cell<'_>, into: &Path) -> Result<Command, Failure> {
        let handed = Handed {
            experiment: self.experiment.to_owned(),
            variants: self.variants.map(<[String]>::to_vec),
            place: cell.place,
            master_seed: cell.experiment.seed,
            repetitions: cell.experiment.repetitions,
            plane: cell.experiment.live.plane,
            testbed: self.testbed,
            orders: self.orders.to_owned(),
            plan: self.plan,
            into: into.to_owned(),
            captures: self.keep.captures && self.out.is_some(),
            series: self.keep.series && self.out.is_some(),
            parent: std::process::id(),
        };
        let engine = match apart::stack_of(cell) {
            Some(stack) => engines::file(self.stacks, stack),
            None => this_program()?,
        };
        let mut command = Command::new(engine);
        for root in self.profiles {
            command.arg("--profiles").arg(root);
        }
        if self.confined {
            command.arg("--confined");
        }
        command
            .arg("live-run")
            .arg(serde_json::to_string(&handed).expect("what is handed on has string keys"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Ok(command)
    }
}

/// Hears a run's process out, and passes on how far it is.
fn hear(cell: &Cell<'_>, out: impl BufRead) -> Result<Answer, String> {
    let mut answer = Err("its process said nothing".to_owned());
    // Of a pipe that breaks, what came counts.
    for line in out.lines().map_while(Result::ok) {
        match serde_json::from_str(&line) {
            Ok(Said::Done(done)) => answer = Ok(done),
            Ok(Said::Far(far)) => {
                let which = cell.which();
                let of = cell.workload().sets.first().and_then(FlowSet::size);
                let of = of.map_or(0, Bytes::get);
                // If nobody listens any more, the next line that matters says so.
                let _ = answer::json(&Message::Progress(&Progress { which, far, of }));
            }
            Err(error) => return Err(format!("its process said something unexpected: {error}")),
        }
    }
    answer
}

fn is_valid(answer: &Answer) -> bool {
    serde_json::from_str::<Validity>(answer.certificate.get()).is_ok_and(|certificate| certificate.valid)
}

fn wait(child: &mut Child) -> Result<std::process::ExitStatus, Failure> {
    child
        .wait()
        .map_err(|error| Failure::Machine(format!("cannot wait for a live run: {error}")))
}
