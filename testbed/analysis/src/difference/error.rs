//! Why a run's files do not show what its sender did.

use thiserror::Error;
use windlull_capture::{EventError, ReadError};
use windlull_fates::FateError;
use windlull_wire::packet::DecodeError;

/// Why a run cannot be read for its difference from another one.
#[derive(Debug, Error)]
pub enum RecordedError {
    #[error(transparent)]
    Capture(#[from] ReadError),
    #[error("packet {number}: {source}")]
    Packet {
        /// Its place in the capture, from 1.
        number: u64,
        source: DecodeError,
    },
    #[error("packet {number} does not say which way it passed; only captures of runs do")]
    NoDirection {
        /// Its place in the capture, from 1.
        number: u64,
    },
    #[error("the capture has no TCP in it")]
    NoTcp,
    #[error("fates: {0}")]
    Fates(#[from] FateError),
    #[error(transparent)]
    Events(#[from] EventError),
}
