//! Ctrl-C: no run begins any more, those under way are finished.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;

/// Whether somebody asked to stop.
#[derive(Clone, Debug)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Whether to begin no further run.
    pub(crate) fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// From now on SIGINT and SIGTERM ask to stop.
pub(crate) fn watch() -> Result<Stop, Failure> {
    let stop = Stop(Arc::default());
    let flag = Arc::clone(&stop.0);
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))
        .map_err(|error| Failure::Machine(format!("cannot watch for Ctrl-C: {error}")))?;
    Ok(stop)
}
