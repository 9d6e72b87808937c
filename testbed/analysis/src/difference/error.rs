//! Why a run's files do not show what its sender did.

use thiserror::Error;
use windlull_capture::{EventError, QlogError, SeenError};
use windlull_fates::FateError;

/// Why a run cannot be read for its difference from another one.
#[derive(Debug, Error)]
pub enum RecordedError {
    #[error(transparent)]
    Capture(#[from] SeenError),
    #[error(transparent)]
    Qlog(#[from] QlogError),
    #[error("the qlog tells of no packet with octets of a stream that this end sent")]
    NoStream,
    #[error("fates: {0}")]
    Fates(#[from] FateError),
    #[error(transparent)]
    Events(#[from] EventError),
}
