//! Where BBR stands, and what follows from it for rate and window (section 5.6.1).

use windlull_units::Time;

use crate::bandwidth::Gain;

/// Section 2.5, `StartupPacingGain`: 4 ln 2, to two digits.
const STARTUP_PACING: Gain = Gain::percent(277);
/// Section 2.5, `DrainPacingGain`.
const DRAIN_PACING: Gain = Gain::percent(50);
/// Section 5.3.3.1.
const DOWN_PACING: Gain = Gain::percent(90);
/// Section 5.3.3.5.
const UP_PACING: Gain = Gain::percent(125);
/// Section 2.6, `DefaultCwndGain`.
const DEFAULT_WINDOW: Gain = Gain::percent(200);
/// Section 5.3.3.5.
const UP_WINDOW: Gain = Gain::percent(225);
/// Section 2.16.2, `ProbeRTTCwndGain`.
pub(super) const PROBE_RTT_WINDOW: Gain = Gain::percent(50);
/// As it is.
pub(super) const UNITY: Gain = Gain::percent(100);

/// No bound on what is outstanding.
pub(super) const UNBOUNDED: u64 = u64::MAX;

/// The state machine (section 5.1.1).
///
/// ```text
///   Startup --> Drain --> Down --> Cruise --> Refill --> Up --+
///     ^                   ^ ^                   ^             |
///     |                   | +-------------------|-------------+
///     |                   +---- time to probe --+
///     +--- the pipe was never filled --- ProbeRtt <--- from anywhere, every five seconds
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Section 5.3.1: the rate doubles each round trip.
    Startup,
    /// Section 5.3.2: the queue that this has built is drained.
    Drain {
        /// `BBR.drain_start_round`.
        since_round: u64,
    },
    /// Section 5.3.3.
    ProbeBw(Phase),
    /// Section 5.3.4.
    ProbeRtt(Hold),
}

/// A part of the bandwidth probing cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Section 5.3.3.1: slower than the path delivers.
    Down,
    /// Section 5.3.3.2: as fast.
    Cruise,
    /// Section 5.3.3.3: as fast, without the short-term bounds, for a round trip.
    Refill,
    /// Section 5.3.3.4: faster.
    Up,
}

/// How far a probe of the round trip is (section 5.3.4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// More is outstanding than it wants.
    Draining,
    /// Little is outstanding.
    Until {
        /// `BBR.probe_rtt_done_stamp`.
        done: Time,
        /// `BBR.probe_rtt_round_done`.
        round_done: bool,
    },
}

impl State {
    pub(super) const fn pacing_gain(self) -> Gain {
        match self {
            Self::Startup => STARTUP_PACING,
            Self::Drain { .. } => DRAIN_PACING,
            Self::ProbeBw(Phase::Down) => DOWN_PACING,
            Self::ProbeBw(Phase::Up) => UP_PACING,
            Self::ProbeBw(Phase::Cruise | Phase::Refill) | Self::ProbeRtt(_) => UNITY,
        }
    }

    pub(super) const fn window_gain(self) -> Gain {
        match self {
            Self::Startup | Self::Drain { .. } | Self::ProbeBw(Phase::Down | Phase::Cruise | Phase::Refill) => {
                DEFAULT_WINDOW
            }
            Self::ProbeBw(Phase::Up) => UP_WINDOW,
            Self::ProbeRtt(_) => PROBE_RTT_WINDOW,
        }
    }

    /// `IsInAProbeBWState`.
    pub(super) const fn probes_bandwidth_in_turns(self) -> bool {
        matches!(self, Self::ProbeBw(_))
    }

    /// `IsProbingBW` (section 5.3.3.9): it accelerates, or is about to.
    pub(super) const fn accelerates(self) -> bool {
        matches!(self, Self::Startup | Self::ProbeBw(Phase::Refill | Phase::Up))
    }

    pub(super) const fn probes_round_trip(self) -> bool {
        matches!(self, Self::ProbeRtt(_))
    }
}
