//! What BBR keeps of its probes for bandwidth: section 2.14.

use windlull_units::{Seed, Span, Time};

use super::state::UNBOUNDED;

/// Section 5.3.3.8.2, `T_bbr`: two seconds and up to one more.
const LEAST_WAIT: Span = Span::from_secs(2);
const RANDOM_WAIT_NS: u64 = 1_000_000_000;
/// What the acknowledgements at hand tell of: section 2.14, `BBR.ack_phase`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// How the last probe went: `BBR.prev_probe_too_high` and `BBR.prev_probe_precautionary`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Previous {
    pub(super) was_too_high: bool,
    pub(super) was_precautionary: bool,
}

/// The state of probing (section 2.14).
#[derive(Clone, Copy, Debug)]
pub(super) struct Probing {
    pub(super) ack_phase: AckPhase,
    /// `BBR.is_bw_probe_sample`.
    pub(super) is_sample: bool,
    pub(super) previous: Previous,
    /// `BBR.bw_probe_up_acked`.
    pub(super) up_acked: u64,
    /// `BBR.probe_up_acked_per_inc`.
    pub(super) acked_per_increase: u64,
    /// `BBR.bw_probe_up_rounds`.
    pub(super) up_rounds: u32,
    /// `BBR.rounds_since_probe_up`.
    pub(super) rounds_since_up: u64,
    /// `BBR.bw_probe_wait`.
    pub(super) wait: Span,
    /// `BBR.cycle_stamp`.
    pub(super) cycle_began: Time,
    /// What the waits are drawn from, and how many were.
    seed: Seed,
    draws: u64,
}

impl Probing {
    pub(super) const fn new() -> Self {
        Self {
            ack_phase: AckPhase::Init,
            is_sample: false,
            previous: Previous {
                was_too_high: false,
                was_precautionary: false,
            },
            up_acked: 0,
            acked_per_increase: UNBOUNDED,
            up_rounds: 0,
            rounds_since_up: 0,
            wait: Span::ZERO,
            cycle_began: Time::ZERO,
            seed: Seed::new(0),
            draws: 0,
        }
    }

    /// Waits are drawn by the name `bbr/probe-wait` under the connection's seed.
    pub(super) fn begin(&mut self, seed: Seed) {
        self.seed = seed.child("bbr/probe-wait");
    }

    /// A round trip began.
    pub(super) const fn count_round(&mut self) {
        self.rounds_since_up += 1;
    }

    /// The samples of the last probe are to be taken as they come in (section 5.3.4.3).
    pub(super) const fn stop(&mut self) {
        self.ack_phase = AckPhase::ProbeStopping;
    }

    /// The probe went too high: that is told once.
    pub(super) const fn on_too_high(&mut self) {
        self.previous.was_too_high = true;
        self.is_sample = false;
    }

    /// `PickProbeWait`.
    pub(super) fn pick_wait(&mut self) {
        self.draws += 1;
        let drawn = self.seed.child(&self.draws.to_string()).get();
        self.rounds_since_up = drawn & 1;
        self.wait = LEAST_WAIT + Span::from_ns((drawn >> 1) % RANDOM_WAIT_NS);
    }
}
