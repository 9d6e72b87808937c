//! The variables of recovery as a transport says them, as those of a sender.

use windlull_transport::{CongestionState, Metrics};
use windlull_units::{Span, Time};
use windlull_wire::{Phase, SenderEvent, SenderState};

/// kGranularity (RFC 9002, section 6.1.2).
const GRANULARITY: Span = Span::from_ms(1);
/// The default of max_ack_delay (RFC 9000, section 18.2).
const MAX_ACK_DELAY: Span = Span::from_ms(25);
/// kInitialRtt (RFC 9002, section 6.2.2).
const INITIAL_RTT: Span = Span::from_ms(333);

/// What is known of the sender.
#[derive(Debug, Default)]
pub(super) struct State {
    known: Metrics,
    phase: Option<Phase>,
    timeouts: u32,
    last_timeout: Option<Time>,
}

impl State {
    /// The congestion window, octets, if the stack says it.
    pub(super) const fn cwnd(&self) -> Option<u64> {
        self.known.congestion_window
    }

    /// Some of the variables changed.
    pub(super) fn changed(&mut self, metrics: &Metrics) -> Vec<SenderEvent> {
        let known = &mut self.known;
        known.congestion_window = metrics.congestion_window.or(known.congestion_window);
        known.ssthresh = metrics.ssthresh.or(known.ssthresh);
        known.bytes_in_flight = metrics.bytes_in_flight.or(known.bytes_in_flight);
        known.smoothed_rtt = metrics.smoothed_rtt.or(known.smoothed_rtt);
        known.min_rtt = metrics.min_rtt.or(known.min_rtt);
        known.rtt_variance = metrics.rtt_variance.or(known.rtt_variance);
        known.pto_count = metrics.pto_count.or(known.pto_count);
        let mut events = Vec::new();
        events.extend(metrics.latest_rtt.map(|rtt| SenderEvent::RttSample { rtt }));
        events.extend(self.state().map(SenderEvent::State));
        events
    }

    /// Congestion control is in another state.
    pub(super) fn congestion(&mut self, congestion: CongestionState, una: u64) -> Vec<SenderEvent> {
        let phase = match congestion {
            CongestionState::SlowStart => Phase::SlowStart,
            CongestionState::CongestionAvoidance | CongestionState::ApplicationLimited => Phase::CongestionAvoidance,
            CongestionState::Recovery => Phase::FastRecovery,
        };
        let before = self.phase.replace(phase);
        let mut events = Vec::new();
        if before == Some(Phase::FastRecovery) && phase != Phase::FastRecovery {
            events.push(SenderEvent::RecoveryEnded { una });
        }
        events.extend(self.state().map(SenderEvent::State));
        events
    }

    /// The probe timeout fired; octets from `una` to `max` are outstanding.
    pub(super) fn timed_out(&mut self, now: Time, una: u64, max: u64) -> SenderEvent {
        self.timeouts += 1;
        self.last_timeout = Some(now);
        // The count rises with the timeout that is told.
        let backoff = self.known.pto_count.unwrap_or(0).saturating_sub(1);
        SenderEvent::Timeout {
            ordinal: self.timeouts,
            una,
            max,
            rto: self.probe_timeout().saturating_mul(1 << backoff.min(20)),
            backoff,
            rule: None,
        }
    }

    /// The same of a timeout that shows in what follows it; `None` if one was told at this instant.
    pub(super) fn timed_out_untold(&mut self, now: Time, una: u64, max: u64) -> Option<SenderEvent> {
        (self.last_timeout != Some(now)).then(|| self.timed_out(now, una, max))
    }

    /// The probe timeout before back-off (RFC 9002, section 6.2.1), with the delay of acknowledgements that is the default.
    fn probe_timeout(&self) -> Span {
        let rtt = self.known.smoothed_rtt.unwrap_or(INITIAL_RTT);
        let variance = self.known.rtt_variance.unwrap_or(Span::from_ns(rtt.as_ns() / 2));
        rtt.saturating_add(variance.saturating_mul(4).max(GRANULARITY))
            .saturating_add(MAX_ACK_DELAY)
    }

    fn state(&self) -> Option<SenderState> {
        let known = &self.known;
        let cwnd_bytes = known.congestion_window?;
        let backoff = known.pto_count.unwrap_or(0);
        let in_slow_start = known.ssthresh.is_none_or(|threshold| cwnd_bytes < threshold);
        let by_threshold = if in_slow_start {
            Phase::SlowStart
        } else {
            Phase::CongestionAvoidance
        };
        Some(SenderState {
            cwnd_bytes,
            ssthresh_bytes: known.ssthresh,
            flight_bytes: known.bytes_in_flight.unwrap_or(0),
            srtt: known.smoothed_rtt,
            rttvar: known.rtt_variance,
            rto: self.probe_timeout().saturating_mul(1 << backoff.min(20)),
            estimated_rto: None,
            minimum_rto: None,
            backoff,
            phase: self.phase.unwrap_or(by_threshold),
        })
    }
}
