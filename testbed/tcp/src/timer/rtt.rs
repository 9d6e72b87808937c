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
                let ticks = |at: Time| at.as_ns() / granularity.as_ns();
                Some(granularity.saturating_mul(ticks(now) - ticks(done.sent)))
            }
        }
    }
}
