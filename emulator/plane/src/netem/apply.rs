//! Plays a schedule on a router, on the clock of the run.

use std::sync::atomic::{AtomicBool, Ordering};

use nix::time::{ClockId, ClockNanosleepFlags, clock_nanosleep};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use windlull_units::{Span, Time};

use super::{Schedule, Step};
use crate::Epoch;

/// How long a player sleeps at most before it looks whether it is to stop.
const NAP: Span = Span::from_ms(50);

/// A step that was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applied {
    /// When it was to take effect.
    pub planned: Time,
    pub begun: Time,
    /// When its command had ended: it took effect between the two.
    pub done: Time,
}

/// Why a schedule was not played to its end.
#[derive(Debug, Error)]
#[error("the step `{step}` failed")]
pub struct PlayError<E: std::error::Error + 'static> {
    pub step: Step,
    pub source: E,
}

/// Makes the link, by handing each step to `run`. What was made before a failure is removed again.
///
/// # Errors
/// The first step that failed.
pub fn set_up<E: std::error::Error>(
    schedule: &Schedule,
    mut run: impl FnMut(&Step) -> Result<(), E>,
) -> Result<(), PlayError<E>> {
    for step in &schedule.setup {
        if let Err(source) = run(step) {
            tear_down(schedule, run);
            let step = step.clone();
            return Err(PlayError { step, source });
        }
    }
    Ok(())
}

/// Removes the link; goes on where something is not there.
pub fn tear_down<E>(schedule: &Schedule, mut run: impl FnMut(&Step) -> Result<(), E>) {
    for step in &schedule.teardown {
        // A part that was never made cannot be removed.
        let _ = run(step);
    }
}

/// Plays the timeline on the calling thread until its end, or until `stop` is set.
///
/// # Errors
/// The first step that failed.
pub fn play<E: std::error::Error>(
    schedule: &Schedule,
    epoch: Epoch,
    stop: &AtomicBool,
    mut run: impl FnMut(&Step) -> Result<(), E>,
) -> Result<Vec<Applied>, PlayError<E>> {
    let mut applied = Vec::with_capacity(schedule.timeline.len());
    for (planned, step) in &schedule.timeline {
        if !wait(epoch, *planned, stop) {
            break;
        }
        let begun = epoch.now();
        if let Err(source) = run(step) {
            let step = step.clone();
            return Err(PlayError { step, source });
        }
        applied.push(Applied {
            planned: *planned,
            begun,
            done: epoch.now(),
        });
    }
    Ok(applied)
}

/// Waits until `at`; false if it is to stop before.
fn wait(epoch: Epoch, at: Time, stop: &AtomicBool) -> bool {
    loop {
        if stop.load(Ordering::Relaxed) {
            return false;
        }
        let now = epoch.now();
        if now >= at {
            return true;
        }
        let wake = epoch.to_monotonic_ns(at.min(now + NAP));
        let wake = std::time::Duration::from_nanos(wake).into();
        // Woken early or not at all makes no difference: the clock decides.
        let _ = clock_nanosleep(ClockId::CLOCK_MONOTONIC, ClockNanosleepFlags::TIMER_ABSTIME, &wake);
    }
}
