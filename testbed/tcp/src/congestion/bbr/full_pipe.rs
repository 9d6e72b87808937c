//! Whether all the bandwidth there is was found: sections 2.13 and 5.3.1.2.

use crate::bandwidth::{Bandwidth, Gain};
use crate::delivery::RateSample;

/// Growth that is worth looking on.
const GROWTH: Gain = Gain::percent(125);
/// Round trips without it.
const ROUNDS: u32 = 3;

/// Looks for a plateau of the delivery rate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullPipe {
    /// `BBR.full_bw`.
    baseline: Bandwidth,
    /// `BBR.full_bw_count`.
    rounds: u32,
    /// `BBR.full_bw_now`.
    now: bool,
    /// `BBR.full_bw_reached`.
    reached: bool,
}

impl FullPipe {
    pub(super) const NEVER: Self = Self {
        baseline: Bandwidth::NONE,
        rounds: 0,
        now: false,
        reached: false,
    };

    /// Whether the bandwidth is full since it last began to look.
    pub(super) const fn is_now(&self) -> bool {
        self.now
    }

    /// Whether it ever was.
    pub(super) const fn was_reached(&self) -> bool {
        self.reached
    }

    pub(super) const fn set_reached(&mut self, reached: bool) {
        self.reached = reached;
    }

    /// `ResetFullBW`, with this as the first baseline.
    pub(super) const fn look_from(&mut self, baseline: Bandwidth) {
        self.baseline = baseline;
        self.rounds = 0;
        self.now = false;
    }

    /// `CheckFullBWReached`. A sample without a rate says nothing of a plateau.
    pub(super) fn check(&mut self, round_start: bool, sample: &RateSample) {
        if self.now || !round_start || sample.app_limited || sample.rate == Bandwidth::NONE {
            return;
        }
        if sample.rate >= GROWTH.bandwidth(self.baseline) {
            self.look_from(sample.rate);
            return;
        }
        self.rounds += 1;
        self.now = self.rounds >= ROUNDS;
        self.reached |= self.now;
    }
}
