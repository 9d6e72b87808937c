//! The bandwidth probing cycle: section 5.3.3.

use crate::bandwidth::Gain;
use crate::delivery::RateSample;

use super::control::least_window;
use super::probing::{AckPhase, Previous};
use super::signals::is_too_high;
use super::state::{Phase, State, UNBOUNDED, UNITY};
use super::{Bbr, Connection};

/// Section 2.8, `Headroom`.
const HEADROOM: Gain = Gain::percent(15);
/// Section 5.3.3.8.2: round trips that Reno needs no more of.
const RENO_ROUNDS: u64 = 63;
/// `RaiseInflightLongtermSlope`.
const MOST_DOUBLINGS: u32 = 30;

impl Bbr {
    /// `StartProbeBW_DOWN`; `EnterProbeBW` is no more.
    pub(super) fn start_down(&mut self, c: &Connection) {
        self.losses.reset();
        self.probing.acked_per_increase = UNBOUNDED;
        self.probing.pick_wait();
        self.probing.cycle_began = c.now;
        self.probing.stop();
        self.rounds.start(c.delivered);
        self.state = State::ProbeBw(Phase::Down);
    }

    /// `StartProbeBW_CRUISE`.
    pub(super) const fn start_cruise(&mut self) {
        self.state = State::ProbeBw(Phase::Cruise);
    }

    /// `StartProbeBW_REFILL`.
    pub(super) const fn start_refill(&mut self, c: &Connection) {
        self.reset_short_term();
        self.probing.up_rounds = 0;
        self.probing.up_acked = 0;
        self.probing.previous.was_precautionary = false;
        self.probing.ack_phase = AckPhase::Refilling;
        self.rounds.start(c.delivered);
        self.state = State::ProbeBw(Phase::Refill);
    }

    /// `StartProbeBW_UP`.
    fn start_up(&mut self, c: &Connection, sample: &RateSample) {
        self.probing.ack_phase = AckPhase::ProbeStarting;
        self.rounds.start(c.delivered);
        self.full_pipe.look_from(sample.rate);
        self.state = State::ProbeBw(Phase::Up);
        self.raise_slope(c);
    }

    /// `UpdateProbeBWCyclePhase`.
    pub(super) fn update_probe_bw(&mut self, c: &Connection, sample: &RateSample) {
        if !self.full_pipe.was_reached() || self.adapt_long_term(c, sample) {
            return;
        }
        let State::ProbeBw(phase) = self.state else { return };
        match phase {
            Phase::Down if self.is_time_to_probe(c) => self.start_refill(c),
            Phase::Down if self.is_time_to_cruise(c) => self.start_cruise(),
            Phase::Cruise if self.is_time_to_probe(c) => self.start_refill(c),
            Phase::Refill if self.rounds.starts() => {
                self.probing.is_sample = true;
                self.start_up(c, sample);
            }
            Phase::Up if self.is_time_to_go_down(c, sample) => {
                self.probing.previous.was_too_high = false;
                self.start_down(c);
            }
            Phase::Down | Phase::Cruise | Phase::Refill | Phase::Up => {}
        }
    }

    /// `IsTimeToCruise`.
    fn is_time_to_cruise(&self, c: &Connection) -> bool {
        c.inflight <= self.with_headroom(c) && c.inflight <= self.inflight_for(c, self.max_bw.get(), UNITY)
    }

    /// `IsTimeToProbeBW`: by the clock, or by the round trips that Reno would take (section 5.3.3.8).
    fn is_time_to_probe(&self, c: &Connection) -> bool {
        let reno_rounds = (self.target_inflight(c) / c.smss).min(RENO_ROUNDS);
        c.now > self.probing.cycle_began + self.probing.wait || self.probing.rounds_since_up >= reno_rounds
    }

    /// `IsTimeToGoDown`, with precautionary probing (section 5.3.3.6).
    fn is_time_to_go_down(&mut self, c: &Connection, sample: &RateSample) -> bool {
        if self.probing.previous.was_too_high && c.inflight >= self.inflight_longterm {
            self.probing.previous.was_precautionary = true;
            return true;
        }
        if c.is_window_limited && c.cwnd >= self.inflight_longterm {
            // The bandwidth is limited by this bound, and a plateau would tell nothing.
            self.full_pipe.look_from(sample.rate);
            return false;
        }
        self.full_pipe.is_now()
    }

    /// `AdaptLongTermModel`; tells whether it has decided on a state.
    fn adapt_long_term(&mut self, c: &Connection, sample: &RateSample) -> bool {
        let in_turns = self.state.probes_bandwidth_in_turns();
        if self.rounds.starts() {
            match self.probing.ack_phase {
                AckPhase::ProbeStarting => self.probing.ack_phase = AckPhase::ProbeFeedback,
                AckPhase::ProbeStopping => {
                    self.probing.is_sample = false;
                    self.probing.ack_phase = AckPhase::Init;
                    if in_turns && !sample.app_limited {
                        self.max_bw.advance();
                    }
                    let Previous {
                        was_too_high,
                        was_precautionary,
                    } = self.probing.previous;
                    if in_turns && was_precautionary && !was_too_high {
                        self.start_refill(c);
                        return true;
                    }
                }
                AckPhase::Init | AckPhase::Refilling | AckPhase::ProbeFeedback => {}
            }
        }
        if is_too_high(sample.lost, sample.inflight) || self.inflight_longterm == UNBOUNDED {
            return false;
        }
        self.inflight_longterm = self.inflight_longterm.max(sample.inflight);
        if self.state == State::ProbeBw(Phase::Up) {
            self.probe_upward(c, sample);
        }
        false
    }

    /// `ProbeInflightLongtermUpward`.
    fn probe_upward(&mut self, c: &Connection, sample: &RateSample) {
        if !c.is_window_limited || c.cwnd < self.inflight_longterm {
            return;
        }
        let probing = &mut self.probing;
        probing.up_acked += sample.newly_acked;
        let increases = probing.up_acked / probing.acked_per_increase;
        probing.up_acked -= increases * probing.acked_per_increase;
        self.inflight_longterm += increases * c.smss;
        if self.rounds.starts() {
            self.raise_slope(c);
        }
    }

    /// `RaiseInflightLongtermSlope`: 1, 2, 4, 8 segments a round trip.
    fn raise_slope(&mut self, c: &Connection) {
        let growth = 1 << self.probing.up_rounds;
        self.probing.up_rounds = (self.probing.up_rounds + 1).min(MOST_DOUBLINGS);
        self.probing.acked_per_increase = (c.cwnd / growth).max(c.smss);
    }

    /// `TargetInflight`.
    pub(super) fn target_inflight(&self, c: &Connection) -> u64 {
        self.bdp(c, self.bw, UNITY).min(c.cwnd)
    }

    /// `InflightWithHeadroom`: room is left for others (section 5.3.3.1).
    pub(super) fn with_headroom(&self, c: &Connection) -> u64 {
        if self.inflight_longterm == UNBOUNDED {
            return UNBOUNDED;
        }
        let headroom = HEADROOM.octets(self.inflight_longterm).max(c.smss);
        self.inflight_longterm.saturating_sub(headroom).max(least_window(c))
    }
}
