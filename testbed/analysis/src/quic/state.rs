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
    backoff: Backoff,
}

/// By how many probe timeouts in a row the next one is backed off (RFC 9002, section 6.2.1).
#[derive(Debug, Default)]
struct Backoff {
    count: u32,
    /// Whether the stack tells it. Else it is the number of timeouts since something new was acknowledged.
    is_told: bool,
    /// When the stack told that it had risen, until the timeout is told that it rose with.
    rose: Option<Time>,
}

impl Backoff {
    fn told(&mut self, now: Time, count: u32) {
        *self = Self {
            count,
            is_told: true,
            rose: (count > self.count).then_some(now),
        };
    }

    /// A probe timeout fired: how far it had been backed off.
    fn timed_out(&mut self, now: Time) -> u32 {
        if self.rose.take() == Some(now) {
            return self.count - 1;
        }
        self.count += 1;
        self.count - 1
    }

    const fn acknowledged(&mut self) {
        if !self.is_told {
            self.count = 0;
        }
    }
}

impl State {
    /// The congestion window, octets, if the stack says it.
    pub(super) const fn cwnd(&self) -> Option<u64> {
        self.known.congestion_window
    }

    /// Something was acknowledged that had not been.
    pub(super) const fn acknowledged(&mut self) {
        self.backoff.acknowledged();
    }

    /// Some of the variables changed.
    pub(super) fn changed(&mut self, now: Time, metrics: &Metrics) -> Vec<SenderEvent> {
        let known = &mut self.known;
        known.congestion_window = metrics.congestion_window.or(known.congestion_window);
        known.ssthresh = metrics.ssthresh.or(known.ssthresh);
        known.bytes_in_flight = metrics.bytes_in_flight.or(known.bytes_in_flight);
        known.smoothed_rtt = metrics.smoothed_rtt.or(known.smoothed_rtt);
        known.min_rtt = metrics.min_rtt.or(known.min_rtt);
        known.rtt_variance = metrics.rtt_variance.or(known.rtt_variance);
        if let Some(count) = metrics.pto_count {
            self.backoff.told(now, count);
        }
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
        let backoff = self.backoff.timed_out(now);
        SenderEvent::Timeout {
            ordinal: self.timeouts,
            una,
            max,
            rto: self.backed_off(backoff),
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

    fn backed_off(&self, backoff: u32) -> Span {
        self.probe_timeout().saturating_mul(1 << backoff.min(20))
    }

    fn state(&self) -> Option<SenderState> {
        let known = &self.known;
        let cwnd_bytes = known.congestion_window?;
        let backoff = self.backoff.count;
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
            rto: self.backed_off(backoff),
            estimated_rto: None,
            minimum_rto: None,
            backoff,
            phase: self.phase.unwrap_or(by_threshold),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn counted(pto_count: u32) -> Metrics {
        Metrics {
            pto_count: Some(pto_count),
            ..Metrics::default()
        }
    }

    /// How far a timeout had been backed off, and after how many milliseconds it fired.
    fn timeout(state: &mut State, at: Time) -> (u32, u64) {
        let SenderEvent::Timeout { backoff, rto, .. } = state.timed_out(at, 1, 2) else {
            unreachable!("it is one");
        };
        (backoff, rto.as_ns() / 1_000_000)
    }

    #[test]
    fn a_timeout_is_backed_off_by_those_before_it() {
        let known = Metrics {
            smoothed_rtt: Some(Span::from_ms(40)),
            rtt_variance: Some(Span::from_ms(6)),
            ..Metrics::default()
        };
        // The stack tells its count after each timeout, before it, or not at all.
        for (before, after) in [(false, true), (true, false), (false, false)] {
            let mut state = State::default();
            state.changed(ms(0), &known);
            let mut seen = Vec::new();
            for (number, at) in (1..).zip([100, 189, 367]) {
                if before {
                    state.changed(ms(at), &counted(number));
                }
                seen.push(timeout(&mut state, ms(at)));
                if after {
                    state.changed(ms(at), &counted(number));
                }
            }
            assert_eq!(
                seen,
                [(0, 89), (1, 178), (2, 356)],
                "told before {before}, after {after}"
            );
            state.acknowledged();
            if before || after {
                state.changed(ms(400), &counted(0));
            }
            assert_eq!(timeout(&mut state, ms(500)), (0, 89));
        }
    }

    #[test]
    fn what_a_stack_tells_of_its_count_holds() {
        let mut state = State::default();
        state.changed(ms(5), &counted(1));
        timeout(&mut state, ms(5));
        // A client that is not sure that its address is known does not begin anew (RFC 9002, section 6.2.2.1).
        state.acknowledged();
        assert_eq!(timeout(&mut state, ms(9)).0, 1);
    }
}
