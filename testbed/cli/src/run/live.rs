//! Live runs, seen from outside: each is a process of its own, so that nothing of it outlives it and none can harm another.

use std::env;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::PoisonError;
use std::thread;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::failure::Failure;
use crate::live_run::Handed;
use crate::run::cell::Cell;
use crate::run::directory::Draft;
use crate::run::interrupt::Stop;
use crate::run::message::{Ended, Failed, Finished, Measured};
use crate::run::record::Keep;

/// How live runs are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Live<'a> {
    /// The directory of all files.
    pub(crate) profiles: &'a Path,
    /// The experiment, as it was asked for.
    pub(crate) experiment: &'a str,
    /// What the experiment came to; a run whose files say something else by now is refused.
    pub(crate) plan: u64,
    /// Where runs go.
    pub(crate) out: Option<&'a Path>,
    /// Where they go if nothing is kept of them.
    pub(crate) scratch: &'a Path,
    pub(crate) keep: Keep,
    /// How often a run is tried that is not valid or fails.
    pub(crate) attempts: u32,
    pub(crate) stop: &'a Stop,
}

/// What a live run's process says when it is done.
#[derive(Debug, Deserialize)]
struct Answer {
    metrics: Box<RawValue>,
    certificate: Box<RawValue>,
    unfinished: Option<String>,
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
            let draft = Draft::begin(match self.out {
                Some(out) => out.join(&cell.directory),
                None => self.scratch.join(cell.directory.replace('/', "-")),
            })?;
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
                Err(reason) if last => {
                    return Ok(Ended::Failed(Failed {
                        which: cell.which(),
                        attempts: attempt,
                        reason,
                    }));
                }
                Ok(_) | Err(_) => attempt += 1,
            }
        }
    }

    /// One attempt, in a process of its own; `Err` inside says why nothing came of it.
    fn attempt(&self, cell: &Cell<'_>, into: &Path) -> Result<Result<Answer, String>, Failure> {
        let mut child = self
            .command(cell, into)?
            .spawn()
            .map_err(|error| Failure::Machine(format!("cannot start a live run: {error}")))?;
        let mut out = child.stdout.take().expect("its output is piped");
        let mut complaints = child.stderr.take().expect("its errors are piped");
        let child = self.stop.adopt(child);
        // Both are read to their end while it runs: a full pipe would hold it up.
        let (said, complained) = thread::scope(|scope| {
            let complained = scope.spawn(move || text_of(&mut complaints));
            let said = text_of(&mut out);
            (said, complained.join().expect("reading does not panic"))
        });
        let status = wait(&mut child.lock().unwrap_or_else(PoisonError::into_inner))?;
        if self.stop.asked() && !status.success() {
            return Err(Failure::Interrupted);
        }
        if !status.success() {
            return Ok(Err(match without_prefixes(&complained) {
                reason if reason.is_empty() => format!("its process ended early: {status}"),
                reason => reason,
            }));
        }
        Ok(serde_json::from_str(&said).map_err(|error| format!("its process said something unexpected: {error}")))
    }

    fn command(&self, cell: &Cell<'_>, into: &Path) -> Result<Command, Failure> {
        let engine =
            env::current_exe().map_err(|error| Failure::Machine(format!("cannot find this program: {error}")))?;
        let handed = Handed {
            experiment: self.experiment.to_owned(),
            link: cell.link.name.clone(),
            variant: cell.variant.name.clone(),
            repetition: cell.repetition,
            master_seed: cell.experiment.seed,
            repetitions: cell.experiment.repetitions,
            plane: cell.experiment.netns.plane,
            plan: self.plan,
            into: into.to_owned(),
            captures: self.keep.captures && self.out.is_some(),
            series: self.keep.series && self.out.is_some(),
            parent: std::process::id(),
        };
        let mut command = Command::new(engine);
        command
            .arg("--profiles")
            .arg(self.profiles)
            .arg("live-run")
            .arg(serde_json::to_string(&handed).expect("what is handed on has string keys"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Ok(command)
    }
}

fn is_valid(answer: &Answer) -> bool {
    serde_json::from_str::<Validity>(answer.certificate.get()).is_ok_and(|certificate| certificate.valid)
}

fn text_of(pipe: &mut impl io::Read) -> String {
    let mut octets = Vec::new();
    // Of a pipe that breaks, what came counts.
    let _ = pipe.read_to_end(&mut octets);
    String::from_utf8_lossy(&octets).into_owned()
}

fn wait(child: &mut Child) -> Result<std::process::ExitStatus, Failure> {
    child
        .wait()
        .map_err(|error| Failure::Machine(format!("cannot wait for a live run: {error}")))
}

/// What a process complained of, in one line.
fn without_prefixes(complaints: &str) -> String {
    let lines = complaints.lines().map(|line| line.trim_start_matches("error: ").trim());
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}
