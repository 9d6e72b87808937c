//! The simulator with those who watch it.

use std::io::BufWriter;
use std::sync::atomic::AtomicBool;

use windlull_analysis::{Analyzer, Recorder};
use windlull_sim::{Setup, run_within};
use windlull_units::Ending;

use crate::quota::CountedFile;

/// Writes the files of a run.
pub type FileRecorder = Recorder<BufWriter<CountedFile>>;

/// As [`run_within`], each flow watched by an analyser: nothing is written.
///
/// # Panics
/// If there are not as many analysers as flows.
pub fn judge(setup: &Setup<'_>, most_events: u64, is_unwanted: &AtomicBool, analyzers: &mut [Analyzer]) -> Ending {
    run_within(setup, most_events, is_unwanted, analyzers)
}

/// As [`run_within`], each flow watched by a recorder.
///
/// # Panics
/// If there are not as many recorders as flows.
pub fn record(setup: &Setup<'_>, most_events: u64, is_unwanted: &AtomicBool, recorders: &mut [FileRecorder]) -> Ending {
    run_within(setup, most_events, is_unwanted, recorders)
}
