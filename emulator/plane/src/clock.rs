//! The clocks of a live run: nanoseconds since its start by the kernel's monotonic clock, and the wall clock beside it.

use nix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use windlull_units::{Span, Time};

/// The instant at which a live run's time is zero. All that measures or acts in a run shares one,
/// processes that share the kernel's clock too: it is written as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Epoch {
    monotonic_ns: u64,
}

/// How the wall clock, by which the kernel stamps packets, reads beside the run's own, at one moment.
///
/// Both clocks are slewed alike; they drift apart if somebody sets the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WallClock {
    /// What it showed at the run's time zero, as of this measurement.
    zero_ns: u64,
}

impl Epoch {
    /// A run that starts now.
    ///
    /// # Panics
    /// If the machine has no monotonic clock.
    pub fn begin() -> Self {
        Self {
            monotonic_ns: read_ns(ClockId::CLOCK_MONOTONIC),
        }
    }

    /// A run that starts so much later: what it needs is made ready until then.
    ///
    /// # Panics
    /// If the machine has no monotonic clock.
    pub fn begin_in(delay: Span) -> Self {
        Self {
            monotonic_ns: read_ns(ClockId::CLOCK_MONOTONIC) + delay.as_ns(),
        }
    }

    /// A run that starts when the monotonic clock next shows a multiple of `grid`, but at least so much later: each such
    /// run meets the kernel's ticks alike.
    ///
    /// # Panics
    /// If the machine has no monotonic clock, or `grid` is zero.
    pub fn begin_on(grid: Span, delay: Span) -> Self {
        let earliest = read_ns(ClockId::CLOCK_MONOTONIC) + delay.as_ns();
        Self {
            monotonic_ns: earliest.next_multiple_of(grid.as_ns()),
        }
    }

    /// How long until the run starts; zero once it has.
    pub fn until_start(self) -> Span {
        Span::from_ns(self.monotonic_ns.saturating_sub(read_ns(ClockId::CLOCK_MONOTONIC)))
    }

    /// The run's time now; zero until it starts.
    pub fn now(self) -> Time {
        self.from_monotonic_ns(read_ns(ClockId::CLOCK_MONOTONIC))
    }

    /// This time of the run on the kernel's monotonic clock, ns.
    pub const fn to_monotonic_ns(self, at: Time) -> u64 {
        self.monotonic_ns + at.as_ns()
    }

    /// This reading of the monotonic clock in the run's time; what was before the start is zero.
    pub const fn from_monotonic_ns(self, ns: u64) -> Time {
        Time::from_ns(ns.saturating_sub(self.monotonic_ns))
    }

    /// Compares the wall clock with the run's, to about the time that one reading takes (well below a microsecond).
    pub fn wall_clock(self) -> WallClock {
        /// Of so many readings the one counts that nothing came between.
        const READINGS: usize = 16;
        let reading = |_| {
            let before = read_ns(ClockId::CLOCK_MONOTONIC);
            let wall = read_ns(ClockId::CLOCK_REALTIME);
            let took = read_ns(ClockId::CLOCK_MONOTONIC) - before;
            (took, wall.saturating_sub(before + took / 2))
        };
        let best = (0..READINGS).map(reading).min();
        let ahead_ns = best.map_or(0, |(_, ahead)| ahead);
        WallClock {
            zero_ns: ahead_ns + self.monotonic_ns,
        }
    }
}

impl WallClock {
    /// A stamp of the wall clock (`CLOCK_REALTIME`, ns since 1970) in the run's time; what was before the start is zero.
    pub const fn to_run(self, wall_ns: u64) -> Time {
        Time::from_ns(wall_ns.saturating_sub(self.zero_ns))
    }

    /// A time of the run on the wall clock, ns since 1970.
    pub const fn from_run(self, at: Time) -> u64 {
        self.zero_ns + at.as_ns()
    }

    /// By how much the wall clock has gone ahead of the run's since `earlier`, ns; below zero if it fell behind.
    pub const fn drift_since_ns(self, earlier: Self) -> i64 {
        self.zero_ns.wrapping_sub(earlier.zero_ns) as i64
    }
}

fn read_ns(clock: ClockId) -> u64 {
    let now = clock_gettime(clock).expect("every Linux has these clocks");
    now.tv_sec().unsigned_abs() * 1_000_000_000 + now.tv_nsec().unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_the_run_convert_both_ways() {
        let epoch = Epoch { monotonic_ns: 5_000 };
        let at = Time::from_ns(77);
        assert_eq!(epoch.to_monotonic_ns(at), 5_077);
        assert_eq!(epoch.from_monotonic_ns(5_077), at);
        assert_eq!(epoch.from_monotonic_ns(4_999), Time::ZERO);
        let wall = WallClock { zero_ns: 1_000_000 };
        assert_eq!(wall.from_run(at), 1_000_077);
        assert_eq!(wall.to_run(1_000_077), at);
        assert_eq!(wall.to_run(999_999), Time::ZERO);
    }

    #[test]
    fn drift_has_a_sign() {
        let (earlier, later) = (WallClock { zero_ns: 1_000 }, WallClock { zero_ns: 1_250 });
        assert_eq!(later.drift_since_ns(earlier), 250);
        assert_eq!(earlier.drift_since_ns(later), -250);
    }

    #[test]
    fn the_wall_clock_is_read_within_the_readings_around_it() {
        let epoch = Epoch::begin();
        let wall = epoch.wall_clock();
        let before = epoch.now();
        let stamp = wall.to_run(read_ns(ClockId::CLOCK_REALTIME));
        let after = epoch.now();
        // Half a reading's uncertainty at either side; a second is far more, and far less than a clock that is wrong.
        assert!(stamp + Span::from_secs(1) >= before);
        assert!(stamp <= after + Span::from_secs(1));
    }
}
