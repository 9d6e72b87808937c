//! Rate, quantum and window: section 5.6.

use windlull_units::Span;

use crate::bandwidth::{Bandwidth, Gain};

use super::state::{PROBE_RTT_WINDOW, Phase, State, UNBOUNDED};
use super::{Bbr, Connection};

/// Section 2.5, `PacingMarginPercent`: what is left of the rate.
const MARGIN: Gain = Gain::percent(99);
/// Section 2.8, `MinPipeCwnd`, segments.
const LEAST_SEGMENTS: u64 = 4;
/// Section 5.6.3: a quantum is what the rate brings in this time.
const QUANTUM: Span = Span::from_ms(1);
const LARGEST_QUANTUM: u64 = 64 * 1024;
const LEAST_QUANTUM_SEGMENTS: u64 = 2;
/// Section 5.5.8.1: quanta on their way through both hosts.
const OFFLOAD_QUANTA: u64 = 3;
/// Section 5.6.2: a round trip where none was measured.
const NOMINAL_RTT: Span = Span::from_ms(1);

/// `MinPipeCwnd`.
pub(super) const fn least_window(c: &Connection) -> u64 {
    LEAST_SEGMENTS * c.smss
}

impl Bbr {
    /// `InitPacingRate` (section 5.6.2).
    pub(super) fn init_pacing_rate(&mut self, c: &Connection, srtt: Option<Span>) {
        let rtt = srtt.filter(|srtt| !srtt.is_zero()).unwrap_or(NOMINAL_RTT);
        let nominal = Bandwidth::of(self.initial_window, rtt);
        self.pacing_rate = self.state.pacing_gain().bandwidth(nominal);
        self.set_quantum(c);
    }

    /// `SetPacingRateWithGain`.
    pub(super) fn set_pacing_rate(&mut self, gain: Gain) {
        let rate = MARGIN.bandwidth(gain.bandwidth(self.bw));
        if rate > self.pacing_rate || (self.full_pipe.was_reached() && rate > Bandwidth::NONE) {
            self.pacing_rate = rate;
        }
    }

    /// `SetSendQuantum`.
    pub(super) fn set_quantum(&mut self, c: &Connection) {
        let quantum = self.pacing_rate.octets_in(QUANTUM).min(LARGEST_QUANTUM);
        self.quantum = quantum.max(LEAST_QUANTUM_SEGMENTS * c.smss);
    }

    /// `BDPMultiple` (section 5.6.4.2).
    pub(super) fn bdp(&self, _: &Connection, bandwidth: Bandwidth, gain: Gain) -> u64 {
        match self.min_rtt.get() {
            Some(rtt) => gain.octets(bandwidth.octets_in(rtt)),
            None => self.initial_window,
        }
    }

    /// `QuantizationBudget`.
    fn quantized(&self, c: &Connection, inflight: u64) -> u64 {
        let enough = inflight.max(OFFLOAD_QUANTA * self.quantum).max(least_window(c));
        if self.state == State::ProbeBw(Phase::Up) {
            enough + 2 * c.smss
        } else {
            enough
        }
    }

    /// `Inflight`.
    pub(super) fn inflight_for(&self, c: &Connection, bandwidth: Bandwidth, gain: Gain) -> u64 {
        self.quantized(c, self.bdp(c, bandwidth, gain))
    }

    /// `ProbeRTTCwnd` (section 5.6.4.5).
    pub(super) fn probe_rtt_window(&self, c: &Connection) -> u64 {
        self.bdp(c, self.bw, PROBE_RTT_WINDOW).max(least_window(c))
    }

    /// `SetCwnd` (section 5.6.4.6).
    pub(super) fn set_window(&self, c: &mut Connection, newly_acked: u64) {
        let wanted = self.bdp(c, self.bw, self.state.window_gain()) + self.extra_acked.get();
        let most = self.quantized(c, wanted);
        if self.full_pipe.was_reached() {
            c.cwnd = (c.cwnd + newly_acked).min(most);
        } else if c.cwnd < most || c.delivered < self.initial_window {
            c.cwnd += newly_acked;
        }
        c.cwnd = c.cwnd.max(least_window(c));
        if self.state.probes_round_trip() {
            c.cwnd = c.cwnd.min(self.probe_rtt_window(c));
        }
        self.bound_for_model(c);
    }

    /// `BoundCwndForModel` (section 5.6.4.7).
    fn bound_for_model(&self, c: &mut Connection) {
        let bound = match self.state {
            State::ProbeBw(Phase::Cruise) | State::ProbeRtt(_) => self.with_headroom(c),
            State::ProbeBw(_) => self.inflight_longterm,
            State::Startup | State::Drain { .. } => UNBOUNDED,
        };
        let bound = bound.min(self.inflight_shortterm).max(least_window(c));
        c.cwnd = c.cwnd.min(bound);
    }
}
