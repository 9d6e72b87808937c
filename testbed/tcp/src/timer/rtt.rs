//! Measuring round trips: by timestamps (RFC 7323, section 4) or by timing one segment at a time (RFC 6298, section 3).

use windlull_units::{Span, Time};

/// The clock of the timestamps option and of all measurements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StampClock {
    tick: Span,
    offset: u32,
}

/// RFC 7323, section 5.4 wants a timestamp clock between 1 ms and 1 s a tick.
const SHORTEST_TICK: Span = Span::from_ms(1);

impl StampClock {
    pub(crate) fn new(granularity: Span, offset: u32) -> Self {
        Self {
            tick: granularity.max(SHORTEST_TICK),
            offset,
        }
    }

    /// The timestamp of `now`.
    #[expect(clippy::cast_possible_truncation, reason = "the clock wraps at 32 bits")]
    pub(crate) const fn stamp(&self, now: Time) -> u32 {
        self.offset.wrapping_add((now.as_ns() / self.tick.as_ns()) as u32)
    }

    /// Whether `echo` was stamped before `sent`, by at least a tick.
    pub(crate) const fn is_older(&self, echo: u32, sent: Time) -> bool {
        let ticks = self.stamp(sent).wrapping_sub(echo);
        ticks != 0 && ticks < 1 << 31
    }

    /// The time since `echo` was stamped.
    pub(crate) fn since(&self, now: Time, echo: u32) -> Option<Span> {
        let ticks = self.stamp(now).wrapping_sub(echo);
        // An echo from the future is no echo of ours.
        (ticks < 1 << 31).then(|| self.tick.saturating_mul(u64::from(ticks)))
    }
}

/// The time from one moment to a later one, by a clock that ticks so often.
pub(super) const fn ticks_between(tick: Span, from: Time, to: Time) -> Span {
    tick.saturating_mul(to.as_ns() / tick.as_ns() - from.as_ns() / tick.as_ns())
}

/// How round trips are measured on this connection.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RttMeter {
    /// By the echo in every acknowledgement that advances (RFC 7323, section 4.1).
    Echoes(StampClock),
    /// One segment at a time, and never one that was retransmitted (Karn's algorithm, RFC 6298, section 3). Nor does an
    /// acknowledgement count that a retransmission of other octets may have brought about: how long the hole was open is
    /// no round trip. What was delayed and not sent again is measured in full, also after a timeout.
    OneAtATime {
        /// Tick of the clock that measures.
        granularity: Span,
        /// The segment being timed.
        timed: Option<Timed>,
        /// From the first to the last octet that was sent again and is not acknowledged since.
        ambiguous: Option<Octets>,
    },
}

/// Octets of the stream, the last one not included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Octets {
    start: u64,
    end: u64,
}

/// A segment on its way; the acknowledgement that covers its end ends the measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timed {
    octets: Octets,
    sent: Time,
}

impl RttMeter {
    pub(crate) fn one_at_a_time(granularity: Span) -> Self {
        Self::OneAtATime {
            granularity,
            timed: None,
            ambiguous: None,
        }
    }

    /// New data was sent.
    #[inline]
    pub(crate) fn on_sent(&mut self, now: Time, start: u64, end: u64) {
        if let Self::OneAtATime { timed, .. } = self {
            timed.get_or_insert(Timed {
                octets: Octets { start, end },
                sent: now,
            });
        }
    }

    /// These octets were sent again: an acknowledgement of them has become ambiguous.
    pub(crate) fn on_retransmitted(&mut self, start: u64, end: u64) {
        if let Self::OneAtATime { timed, ambiguous, .. } = self {
            timed.take_if(|timed| timed.octets.start < end && start < timed.octets.end);
            let hull = ambiguous.map_or((start, end), |known| (known.start.min(start), known.end.max(end)));
            *ambiguous = Some(Octets {
                start: hull.0,
                end: hull.1,
            });
        }
    }

    /// The handshake's segment was sent again.
    pub(crate) fn on_handshake_repeated(&mut self) {
        if let Self::OneAtATime { timed, .. } = self {
            *timed = None;
        }
    }

    /// All up to `una` is acknowledged, by a segment with this echo.
    #[inline]
    pub(crate) fn on_acknowledged(&mut self, now: Time, una: u64, echo: Option<u32>) -> Option<Span> {
        match self {
            Self::Echoes(clock) => clock.since(now, echo?),
            Self::OneAtATime {
                granularity,
                timed,
                ambiguous,
            } => {
                let is_ambiguous = ambiguous.is_some_and(|again| una > again.start);
                *ambiguous = ambiguous.filter(|again| una < again.end).map(|again| Octets {
                    start: again.start.max(una),
                    ..again
                });
                let done = timed
                    .take_if(|timed| una >= timed.octets.end)
                    .filter(|_| !is_ambiguous)?;
                Some(ticks_between(*granularity, done.sent, now))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Span = Span::from_ms(10);

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    #[test]
    fn half_the_clocks_round_ahead_is_the_future() {
        let clock = StampClock::new(TICK, 0);
        let half = 1_u32 << 31;
        assert_eq!(clock.since(ms(20), 1), Some(TICK));
        assert_eq!(clock.since(ms(0), half), None);
        assert_eq!(
            clock.since(ms(0), half + 1),
            Some(TICK.saturating_mul(u64::from(half) - 1))
        );
        assert!(!clock.is_older(2, ms(20)));
        assert!(clock.is_older(1, ms(20)));
        assert!(!clock.is_older(half, ms(0)));
    }

    #[test]
    fn what_was_sent_again_around_the_timed_segment_does_not_touch_it() {
        let mut meter = RttMeter::one_at_a_time(TICK);
        meter.on_sent(ms(0), 2, 3);
        meter.on_retransmitted(1, 2);
        assert_eq!(meter.on_acknowledged(ms(100), 2, None), None);
        assert_eq!(meter.on_acknowledged(ms(150), 3, None), Some(Span::from_ms(150)));
        meter.on_sent(ms(200), 3, 4);
        meter.on_retransmitted(4, 5);
        assert_eq!(meter.on_acknowledged(ms(300), 4, None), Some(Span::from_ms(100)));
    }

    #[test]
    fn a_timed_segment_sent_again_makes_room_for_the_next() {
        let mut meter = RttMeter::one_at_a_time(TICK);
        meter.on_sent(ms(0), 0, 2);
        meter.on_retransmitted(0, 1);
        meter.on_sent(ms(100), 2, 4);
        assert_eq!(meter.on_acknowledged(ms(200), 2, None), None);
        assert_eq!(meter.on_acknowledged(ms(300), 4, None), Some(Span::from_ms(200)));
    }

    #[test]
    fn what_is_left_of_octets_sent_again_stays_ambiguous() {
        let mut meter = RttMeter::one_at_a_time(TICK);
        meter.on_sent(ms(0), 2, 3);
        meter.on_retransmitted(0, 2);
        assert_eq!(meter.on_acknowledged(ms(100), 1, None), None);
        assert_eq!(meter.on_acknowledged(ms(200), 3, None), None);
    }
}
