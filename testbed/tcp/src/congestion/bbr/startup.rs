//! Startup and Drain: sections 5.3.1 and 5.3.2.

use crate::delivery::RateSample;

use super::signals::is_too_high;
use super::state::{State, UNITY};
use super::undo::Left;
use super::{Bbr, Connection};

/// Section 5.3.1.3, `BBRStartupFullLossCnt`.
const LOST_RANGES: u32 = 6;
/// Section 5.3.2: Drain lasts no longer, in round trips.
const DRAIN_ROUNDS: u64 = 3;

impl Bbr {
    /// `EnterStartup`.
    pub(super) const fn enter_startup(&mut self) {
        self.state = State::Startup;
    }

    /// `CheckStartupDone`.
    pub(super) fn check_startup_done(&mut self, c: &Connection, sample: &RateSample) {
        self.check_startup_high_loss(c, sample);
        if self.state == State::Startup && self.full_pipe.was_reached() {
            self.state = State::Drain {
                since_round: self.rounds.count(),
            };
        }
    }

    /// Section 5.3.1.3: a round trip of recovery has passed, with a loss rate too high and in ranges enough.
    fn check_startup_high_loss(&mut self, c: &Connection, sample: &RateSample) {
        if !self.losses.round_ends {
            return;
        }
        let ranges = self.losses.take_ranges();
        let is_high = c.recovers && ranges >= LOST_RANGES && is_too_high(sample.lost, sample.inflight);
        if self.state == State::Startup && !self.full_pipe.was_reached() && is_high {
            self.undo.left = Some(Left::Startup);
            self.full_pipe.set_reached(true);
            self.inflight_longterm = self.bdp(c, self.bw, UNITY).max(self.losses.inflight_latest);
        }
    }

    /// `CheckDrainDone`.
    pub(super) fn check_drain_done(&mut self, c: &Connection) {
        if let State::Drain { since_round } = self.state {
            if c.inflight <= self.inflight_for(c, self.bw, UNITY) || self.rounds.count() > since_round + DRAIN_ROUNDS {
                self.start_down(c);
            }
        }
    }
}
