//! The probe of the round trip: section 5.3.4.

use windlull_units::Span;

use crate::delivery::RateSample;

use super::state::{Hold, State};
use super::{Bbr, Connection};

/// Section 2.16.2, `ProbeRTTDuration`.
const DURATION: Span = Span::from_ms(200);

impl Bbr {
    /// `CheckProbeRTT`.
    pub(super) fn check_probe_rtt(&mut self, c: &mut Connection, sample: &RateSample) {
        if !self.state.probes_round_trip() && self.min_rtt.is_expired() && !self.idle_restart {
            self.state = State::ProbeRtt(Hold::Draining);
            self.save_window(c);
            self.probing.stop();
            self.rounds.start(c.delivered);
        }
        if let State::ProbeRtt(hold) = self.state {
            self.handle_probe_rtt(c, hold);
        }
        if sample.delivered > 0 {
            self.idle_restart = false;
        }
    }

    /// `HandleProbeRTT`.
    fn handle_probe_rtt(&mut self, c: &mut Connection, hold: Hold) {
        c.count_as_app_limited = true;
        match hold {
            Hold::Draining if c.inflight <= self.probe_rtt_window(c) => {
                self.state = State::ProbeRtt(Hold::Until {
                    done: c.now + DURATION,
                    round_done: false,
                });
                self.rounds.start(c.delivered);
            }
            Hold::Draining => {}
            Hold::Until { done, round_done } => {
                let round_done = round_done || self.rounds.starts();
                self.state = State::ProbeRtt(Hold::Until { done, round_done });
                if round_done {
                    self.check_probe_rtt_done(c);
                }
            }
        }
    }

    /// `CheckProbeRTTDone`, and `ExitProbeRTT` (section 5.3.4.4).
    pub(super) fn check_probe_rtt_done(&mut self, c: &mut Connection) {
        let State::ProbeRtt(Hold::Until { done, .. }) = self.state else {
            return;
        };
        if c.now <= done {
            return;
        }
        self.min_rtt.on_probed(c.now);
        self.restore_window(c);
        self.reset_short_term();
        if self.full_pipe.was_reached() {
            self.start_down(c);
            self.start_cruise();
        } else {
            self.enter_startup();
        }
    }
}
