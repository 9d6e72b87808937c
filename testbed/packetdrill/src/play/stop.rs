//! Why playing stops.

use thiserror::Error;
use windlull_units::Time;

/// Why playing stops.
pub(super) enum Stop {
    Difference(Difference),
    Unplayable(Unplayable),
}

pub(super) type Step = Result<(), Stop>;

/// Something that was not as the script says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The script's line.
    pub line: usize,
    /// What was expected and what happened.
    pub what: String,
}

/// Why a script cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{line}: {what}")]
pub struct Unplayable {
    /// The script's line.
    pub line: usize,
    /// What a simulation does not have.
    pub what: String,
}

pub(super) fn differs(line: usize, what: impl Into<String>) -> Stop {
    Stop::Difference(Difference {
        line,
        what: what.into(),
    })
}

pub(super) fn unplayable(line: usize, what: impl Into<String>) -> Stop {
    Stop::Unplayable(Unplayable {
        line,
        what: what.into(),
    })
}

/// A time in seconds, as scripts have it.
pub(super) fn seconds(time: Time) -> String {
    let us = time.as_ns() / 1_000;
    format!("{}.{:06} s", us / 1_000_000, us % 1_000_000)
}
