//! The clock of a live run: nanoseconds since its start, by the kernel's monotonic clock.

use nix::time::{ClockId, clock_gettime};
use windlull_units::Time;

/// The instant at which a live run's time is zero. All that measures or acts in a run shares one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epoch {
    monotonic_ns: u64,
}

impl Epoch {
    /// A run that starts now.
    ///
    /// # Panics
    /// If the machine has no monotonic clock.
    pub fn begin() -> Self {
        Self {
            monotonic_ns: monotonic_ns(),
        }
    }

    /// The run's time now.
    pub fn now(self) -> Time {
        Time::from_ns(monotonic_ns().saturating_sub(self.monotonic_ns))
    }

    /// This time of the run on the kernel's monotonic clock, ns.
    pub const fn to_monotonic_ns(self, at: Time) -> u64 {
        self.monotonic_ns + at.as_ns()
    }

    /// This reading of the monotonic clock in the run's time; what was before the start is zero.
    pub const fn from_monotonic_ns(self, ns: u64) -> Time {
        Time::from_ns(ns.saturating_sub(self.monotonic_ns))
    }
}

fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("every Linux has a monotonic clock");
    now.tv_sec().unsigned_abs() * 1_000_000_000 + now.tv_nsec().unsigned_abs()
}
