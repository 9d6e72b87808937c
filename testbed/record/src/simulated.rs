//! The simulator with those who watch it.

use std::io::BufWriter;
use std::sync::atomic::AtomicBool;

use windlull_analysis::{Judge, Recorder};
use windlull_sim::{Fault, Setup, run_within};
use windlull_units::Ending;

use crate::quota::CountedFile;

/// Writes the files of a run.
pub type FileRecorder = Recorder<BufWriter<CountedFile>>;

/// As [`run_within`], each flow watched by a judge: nothing is written.
///
/// # Errors
/// If a stack from elsewhere is at fault.
///
/// # Panics
/// If there are not as many judges as flows.
pub fn judge(
    setup: &Setup<'_>,
    most_events: u64,
    is_unwanted: &AtomicBool,
    judges: &mut [Judge],
) -> Result<Ending, Fault> {
    run_within(setup, most_events, is_unwanted, judges)
}

/// As [`run_within`], each flow watched by a recorder.
///
/// # Errors
/// If a stack from elsewhere is at fault.
///
/// # Panics
/// If there are not as many recorders as flows.
pub fn record(
    setup: &Setup<'_>,
    most_events: u64,
    is_unwanted: &AtomicBool,
    recorders: &mut [FileRecorder],
) -> Result<Ending, Fault> {
    run_within(setup, most_events, is_unwanted, recorders)
}
