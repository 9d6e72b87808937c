//! BBR version 3: draft-ietf-ccwg-bbr-06. A model of the path, its bandwidth and its round trip, tells how fast to send and how
//! much may be outstanding; losses bound both. Section numbers here are the draft's.
//!
//! - `state`: where it stands, and the gains that follow (sections 2.5, 2.6, 5.1.1, 5.6.1);
//! - `filters`: bandwidth, round trip and aggregation, and how long they are remembered (5.5.2 to 5.5.9);
//! - `rounds`: round trips by packets (5.5.1);
//! - `full_pipe`: whether all bandwidth was found (5.3.1.2);
//! - `startup`: Startup and Drain (5.3.1, 5.3.2);
//! - `probe_bw`, `probing`: the bandwidth probing cycle (5.3.3), and what it keeps;
//! - `probe_rtt`: the probe of the round trip (5.3.4);
//! - `losses`, `signals`: what losses change in the model (5.5.10), and what they are judged by;
//! - `undo`: what is kept for a recovery that proves spurious (5.5.11);
//! - `control`: rate, quantum and window (5.6).
//!
//! The draft leaves the response to congestion marks open (3.7): none is offered with BBR. Every recovery must tell each loss, so
//! that `C.has_selective_acks` holds.

mod control;
mod filters;
mod full_pipe;
mod losses;
mod probe_bw;
mod probe_rtt;
mod probing;
mod rounds;
mod signals;
mod startup;
mod state;
mod undo;

use windlull_units::{Seed, Span, Time};

use crate::bandwidth::Bandwidth;
use crate::delivery::RateSample;

use super::{Growth, PacingRate, Spacing, UNSET, WindowControl};
use filters::{Aggregated, ExtraAcked, MaxBandwidth, MinRtt};
use full_pipe::FullPipe;
use probing::Probing;
use rounds::Rounds;
use signals::Losses;
use state::{State, UNBOUNDED};
use undo::Undo;

/// The connection as BBR sees it: the draft's C (section 2.2). What BBR decides of it, it writes here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Connection {
    pub(crate) now: Time,
    /// `C.SMSS`.
    pub(crate) smss: u64,
    /// `C.cwnd`, octets.
    pub(crate) cwnd: u64,
    /// `C.inflight`, octets.
    pub(crate) inflight: u64,
    /// `C.delivered`, octets.
    pub(crate) delivered: u64,
    /// `C.is_cwnd_limited`.
    pub(crate) is_window_limited: bool,
    /// Whether it recovers from losses.
    pub(crate) recovers: bool,
    /// BBR asks that what follows count as limited by the application (section 5.3.4.3).
    pub(crate) count_as_app_limited: bool,
}

/// BBR's state (sections 2.5 to 2.16).
#[derive(Clone, Debug)]
pub(crate) struct Bbr {
    state: State,
    rounds: Rounds,
    max_bw: MaxBandwidth,
    min_rtt: MinRtt,
    extra_acked: ExtraAcked,
    full_pipe: FullPipe,
    probing: Probing,
    losses: Losses,
    undo: Undo,
    /// `BBR.bw`.
    bw: Bandwidth,
    /// `BBR.bw_shortterm`.
    bw_shortterm: Bandwidth,
    /// `BBR.inflight_shortterm`.
    inflight_shortterm: u64,
    /// `BBR.inflight_longterm`.
    inflight_longterm: u64,
    /// `BBR.prior_cwnd`.
    prior_cwnd: u64,
    /// Whether the connection recovered when it was last asked.
    recovers: bool,
    /// The recovery proved spurious, which the next acknowledgement answers.
    is_spurious: bool,
    /// `BBR.idle_restart`.
    idle_restart: bool,
    /// `C.InitialCwnd`, octets.
    initial_window: u64,
    /// `C.pacing_rate`.
    pacing_rate: Bandwidth,
    /// `C.send_quantum`, octets.
    quantum: u64,
}

impl Bbr {
    /// As `OnInit` has it (section 5.2.1), but for what only the connection knows.
    pub(crate) const fn new() -> Self {
        Self {
            state: State::Startup,
            rounds: Rounds::NONE,
            max_bw: MaxBandwidth::NONE,
            min_rtt: MinRtt::begin(Time::ZERO),
            extra_acked: ExtraAcked::NONE,
            full_pipe: FullPipe::NEVER,
            probing: Probing::new(),
            losses: Losses::NONE,
            undo: Undo::NOTHING,
            bw: Bandwidth::NONE,
            bw_shortterm: Bandwidth::UNLIMITED,
            inflight_shortterm: UNBOUNDED,
            inflight_longterm: UNBOUNDED,
            prior_cwnd: 0,
            recovers: false,
            is_spurious: false,
            idle_restart: false,
            initial_window: 0,
            pacing_rate: Bandwidth::NONE,
            quantum: 0,
        }
    }

    /// The connection stands (section 5.2.1, `OnInit`); `srtt` is what the handshake took. `BBR.min_rtt` waits for data, which is
    /// timed more finely. `seed` is the connection's own.
    pub(crate) fn begin(&mut self, c: &Connection, srtt: Option<Span>, seed: Seed) {
        self.min_rtt = MinRtt::begin(c.now);
        self.extra_acked.restart(c.now);
        self.probing.begin(seed);
        self.initial_window = c.cwnd;
        self.init_pacing_rate(c, srtt);
    }

    /// Whether it still looks for the bandwidth that there is.
    pub(crate) const fn is_in_startup(&self) -> bool {
        matches!(self.state, State::Startup)
    }

    /// Section 5.2.2, `OnTransmit` with `HandleRestartFromIdle` (5.4.1): something is sent while nothing is outstanding, and the
    /// application had left the path idle.
    pub(crate) fn on_restart_from_idle(&mut self, c: &mut Connection) {
        self.idle_restart = true;
        self.extra_acked.restart(c.now);
        if self.state.probes_bandwidth_in_turns() {
            self.set_pacing_rate(state::UNITY);
        } else {
            self.check_probe_rtt_done(c);
        }
    }

    /// Section 5.2.3, `UpdateOnACK`.
    pub(crate) fn on_ack(&mut self, c: &mut Connection, sample: &RateSample) {
        self.follow_recovery(c);
        self.update_latest_signals(c, sample);
        self.update_congestion_signals(c, sample);
        self.extra_acked.update(&Aggregated {
            now: c.now,
            bandwidth: self.bw,
            newly_acked: sample.newly_acked,
            cwnd: c.cwnd,
            round: self.rounds.count(),
            full_bandwidth_reached: self.full_pipe.was_reached(),
        });
        self.full_pipe.check(self.rounds.starts(), sample);
        self.check_startup_done(c, sample);
        self.check_drain_done(c);
        self.update_probe_bw(c, sample);
        self.min_rtt.update(c.now, sample.rtt);
        self.check_probe_rtt(c, sample);
        self.advance_latest_signals(sample);
        self.bw = self.max_bw.get().min(self.bw_shortterm);
        self.set_pacing_rate(self.state.pacing_gain());
        self.set_quantum(c);
        self.set_window(c, sample.newly_acked);
    }

    /// `UpdateMaxBw` (section 5.5.5).
    fn update_max_bw(&mut self, c: &Connection, sample: &RateSample) {
        self.rounds.update(sample.prior_delivered, c.delivered);
        if self.rounds.starts() {
            self.probing.count_round();
        }
        if sample.rate >= self.max_bw.get() || !sample.app_limited {
            self.max_bw.update(sample.rate);
        }
    }

    /// `ResetShortTermModel` (section 5.5.10.3).
    const fn reset_short_term(&mut self) {
        self.bw_shortterm = Bandwidth::UNLIMITED;
        self.inflight_shortterm = UNBOUNDED;
    }
}

/// It sets the window by itself: what others ask of a window does not change it.
impl WindowControl for Bbr {
    fn threshold(&self, _: u64, _: u64, _: u64) -> u64 {
        UNSET
    }

    fn grow(&mut self, cwnd: u64, _: &Growth) -> u64 {
        cwnd
    }

    fn on_window_set(&mut self) {}

    fn on_loss(&mut self, _: u64, _: bool) {}

    fn on_spurious(&mut self) {
        self.is_spurious = true;
    }

    fn spacing(&self) -> Option<Spacing> {
        self.pacing_rate.as_rate().map(|rate| {
            Spacing::Rate(PacingRate {
                rate,
                quantum: self.quantum,
            })
        })
    }
}
