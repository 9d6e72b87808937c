//! One live run, from the namespaces to the certificate.

use std::path::Path;

use windlull_capture::Observer;

use crate::{LiveError, Outcome, Setup};

/// Runs one connection in real time and tells the observer what happened, afterwards and in order of time.
/// `scratch` is a directory of this run alone for what the captures spool.
///
/// To be called while the process has one thread: namespaces are entered.
///
/// # Errors
/// [`LiveError`]: the machine would not.
pub fn run(setup: &Setup<'_>, scratch: &Path, observer: &mut impl Observer) -> Result<Outcome, LiveError> {
    let _ = (setup, scratch, observer);
    Err(LiveError::Lab("not built yet".to_owned()))
}
