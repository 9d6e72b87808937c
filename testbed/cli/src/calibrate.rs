//! `calibrate`: how exact the live testbed is on this machine.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::PoisonError;

use clap::Args;
use windlull_live::Effort;
use windlull_units::{Pace, PlaneKind};

use crate::answer;
use crate::failure::{Failure, this_program};
use crate::run::interrupt;

/// The arguments of `calibrate`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Which link plane.
    #[arg(long, value_enum, default_value_t = PlaneKind::Model)]
    plane: PlaneKind,
    /// How the plane waits.
    #[arg(long, value_enum, default_value_t = Pace::Precise)]
    pace: Pace,
    /// Measure for longer, a few minutes in all.
    #[arg(long)]
    thorough: bool,
    /// Stop when standard input ends: for a parent that may be killed.
    #[arg(long)]
    lifeline: bool,
}

/// Measures the live testbed by itself.
pub(crate) fn calibrate(arguments: &Arguments) -> Result<(), Failure> {
    if let PlaneKind::Netem = arguments.plane {
        return Err(Failure::input(
            "calibrate measures the model plane; of the netem plane every run's certificate says how exact it was",
        ));
    }
    if arguments.lifeline {
        return in_a_process(arguments);
    }
    let effort = if arguments.thorough {
        Effort::THOROUGH
    } else {
        Effort::QUICK
    };
    let calibration =
        windlull_live::calibrate(arguments.pace, effort).map_err(|error| Failure::Machine(error.to_string()))?;
    answer::json(&calibration)
}

/// Has a process of its own measure: it must have a single thread, and the lifeline needs another.
fn in_a_process(arguments: &Arguments) -> Result<(), Failure> {
    let stop = interrupt::watch()?;
    interrupt::hold_on_to_standard_input(&stop)?;
    let mut command = Command::new(this_program()?);
    command
        .arg("calibrate")
        .args(["--pace", arguments.pace.name()])
        .args(arguments.thorough.then_some("--thorough"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    windlull_netns::end_with_parent(&mut command);
    let unfit = |error| Failure::Machine(format!("cannot measure in a process of its own: {error}"));
    let mut child = command.spawn().map_err(unfit)?;
    let (out, complaints) = (child.stdout.take(), child.stderr.take());
    let child = stop.adopt(child);
    // To their ends first: the child can be ended only while nobody waits for it.
    let measured = text_of(out).map_err(unfit)?;
    let complained = text_of(complaints).map_err(unfit)?;
    let status = child
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .wait()
        .map_err(unfit)?;
    if status.success() {
        return answer::text(&measured);
    }
    if stop.asked() {
        return Err(Failure::Interrupted);
    }
    let reason = complained.trim().trim_start_matches("error: ").to_owned();
    Err(Failure::Machine(if reason.is_empty() {
        format!("the measurement ended early: {status}")
    } else {
        reason
    }))
}

/// All that comes out of a pipe; a line or two.
fn text_of(pipe: Option<impl Read>) -> std::io::Result<String> {
    let mut octets = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut octets)?;
    }
    Ok(String::from_utf8_lossy(&octets).into_owned())
}
