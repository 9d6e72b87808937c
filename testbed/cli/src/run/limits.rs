//! What one run may use: events, virtual time, disk. Each limit ends the run that exceeds it, and no other.

use std::env;
use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::Serialize;
use windlull_record::DISK_BYTES;
use windlull_units::Span;

use crate::failure::Failure;

/// The variables that set other limits.
const EVENTS: &str = "WINDLULL_RUN_EVENTS";
const VIRTUAL_S: &str = "WINDLULL_RUN_VIRTUAL_S";

/// What one run may use.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "RunLimits")]
pub(crate) struct Limits {
    /// Of a simulated run: instants at which something happens, and packets that are sent.
    pub(crate) events: u64,
    /// Of a simulated run, in its own time.
    pub(crate) virtual_s: u64,
    /// Octets that all files of the run take together, at any time.
    pub(crate) disk_bytes: u64,
}

impl Limits {
    /// Some hours of one core.
    const EVENTS: u64 = 5_000_000_000;
    /// Thirty days.
    const VIRTUAL_S: u64 = 30 * 24 * 3600;
    /// As much as one file may have by default.
    const DISK_BYTES: u64 = 16 << 30;

    pub(crate) fn here() -> Result<Self, Failure> {
        Ok(Self {
            events: set(EVENTS)?.unwrap_or(Self::EVENTS),
            virtual_s: set(VIRTUAL_S)?.unwrap_or(Self::VIRTUAL_S),
            disk_bytes: set(DISK_BYTES)?.unwrap_or(Self::DISK_BYTES),
        })
    }

    /// How long a run may last that is given up after `time_limit`.
    pub(crate) fn virtual_time(self, time_limit: Span) -> Span {
        time_limit.min(Span::from_secs(self.virtual_s))
    }

    pub(crate) fn too_many_events(self) -> Failure {
        let most = self.events;
        Failure::Limit(format!("it needs more than {most} events; {EVENTS} sets another limit"))
    }

    pub(crate) fn too_long(self) -> Failure {
        let most = self.virtual_s;
        Failure::Limit(format!(
            "it needs more than {most} s of virtual time; {VIRTUAL_S} sets another limit"
        ))
    }
}

fn set(variable: &str) -> Result<Option<u64>, Failure> {
    let Some(text) = env::var_os(variable).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let number = text.to_str().and_then(|text| text.parse::<NonZeroU64>().ok());
    number.map(|number| Some(number.get())).ok_or_else(|| {
        let text = text.to_string_lossy();
        Failure::input(format!("{variable}={text}: write a whole number above zero"))
    })
}
