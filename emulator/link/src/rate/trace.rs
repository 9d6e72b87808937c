//! Rates recorded as opportunities to send: Mahimahi's packet delivery traces.
//!
//! A trace is a text with one whole number a line: the milliseconds after which one packet of 1504 octets could be
//! sent, in order; the same number twice is two opportunities. The trace starts again after its last instant. At an
//! opportunity as many octets go as fit; a packet may need several, and what nobody uses is lost.

use std::fmt;
use std::sync::Arc;

use windlull_units::{BitRate, Bytes, Span, Time};

use crate::model::RateModel;

/// Octets of one opportunity, as Mahimahi counts them.
pub const OPPORTUNITY: Bytes = Bytes::new(1504);

/// The window over which the rate of a trace is told to observers.
pub const RATE_WINDOW: Span = Span::from_ms(500);

const NS_PER_MS: u64 = 1_000_000;

/// Why a text is not a trace; lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceError {
    /// A line is not a whole number of milliseconds.
    NotANumber { line: usize, text: String },
    /// A line is a number that no run reaches.
    TooLate { line: usize, ms: u64 },
    /// A line is earlier than the one before.
    GoesBack { line: usize, ms: u64, before: u64 },
    /// No line at all.
    Empty,
    /// All lines are zero.
    NoLength,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotANumber { line, text } => write!(f, "line {line}: `{text}` is not a whole number of milliseconds"),
            Self::TooLate { line, ms } => write!(f, "line {line}: {ms} ms is more than 100 hours"),
            Self::GoesBack { line, ms, before } => {
                write!(f, "line {line}: {ms} ms is earlier than {before} ms on the line before")
            }
            Self::Empty => f.write_str("the trace has no opportunities"),
            Self::NoLength => f.write_str("the trace has no duration: its last line must be above 0 ms"),
        }
    }
}

impl std::error::Error for TraceError {}

/// Reads a trace in Mahimahi's format; blank lines are skipped.
///
/// # Errors
/// If a line is no number, goes back or lies beyond 100 hours; if there are no lines, or the last one is zero.
pub fn parse_trace(text: &str) -> Result<RateModel, TraceError> {
    const MOST_MS: u64 = 100 * 3_600_000;
    let mut opportunities = Vec::new();
    let mut before = 0;
    for (index, written) in text.lines().enumerate() {
        let (line, written) = (index + 1, written.trim());
        if written.is_empty() {
            continue;
        }
        // `parse` alone would take a plus sign.
        let digits = written.bytes().all(|octet| octet.is_ascii_digit());
        let ms: u64 = match written.parse() {
            Ok(ms) if digits => ms,
            _ => {
                let text = written.chars().take(40).collect();
                return Err(TraceError::NotANumber { line, text });
            }
        };
        if ms > MOST_MS {
            return Err(TraceError::TooLate { line, ms });
        }
        if ms < before {
            return Err(TraceError::GoesBack { line, ms, before });
        }
        before = ms;
        opportunities.push(Time::from_ns(ms * NS_PER_MS));
    }
    if opportunities.is_empty() {
        return Err(TraceError::Empty);
    }
    if before == 0 {
        return Err(TraceError::NoLength);
    }
    let period = Span::from_ms(before);
    Ok(RateModel::Trace { opportunities, period })
}

/// A trace being used up. A copy of it is a bookmark.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    instants: Arc<[u64]>,
    period: u64,
    next: Cursor,
}

/// The opportunity that is used next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cursor {
    cycle: u64,
    index: usize,
    /// What earlier packets have taken of it.
    taken: u64,
}

/// How a packet was served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Served {
    /// The first opportunity it had, if any.
    pub(crate) first: Option<Time>,
    /// The last one it had, or `NEVER` if it had none.
    pub(crate) last: Time,
    /// How many octets of it went.
    pub(crate) octets: u64,
}

impl Trace {
    /// A trace that begins so far into its period.
    pub(crate) fn new(opportunities: &[Time], period: Span, offset: Span) -> Self {
        let offset = offset.as_ns();
        // An opportunity at the end of the period comes with the next one's first: it is this one's last still.
        let later = opportunities.partition_point(|at| at.as_ns() <= offset);
        let (again, rest) = opportunities.split_at(if offset == 0 { 0 } else { later });
        let rest = rest.iter().map(|at| at.as_ns() - offset);
        let again = again.iter().map(|at| at.as_ns() + period.as_ns() - offset);
        Self {
            instants: rest.chain(again).collect(),
            period: period.as_ns(),
            next: Cursor::default(),
        }
    }

    pub(crate) const fn bookmark(&self) -> Cursor {
        self.next
    }

    pub(crate) const fn rewind(&mut self, bookmark: Cursor) {
        self.next = bookmark;
    }

    /// Serves a packet of `octets` from `from` on, by opportunities before `before`.
    pub(crate) fn serve(&mut self, from: Time, octets: u64, before: Time) -> Served {
        let mut served = Served {
            first: None,
            last: Time::NEVER,
            octets: 0,
        };
        if self.instants.is_empty() || self.period == 0 {
            return served;
        }
        self.seek(from);
        while served.octets < octets {
            let at = self.instant();
            if at >= before {
                break;
            }
            let taken = (octets - served.octets).min(OPPORTUNITY.get() - self.next.taken);
            served.octets += taken;
            served.first = served.first.or(Some(at));
            served.last = at;
            self.next.taken += taken;
            if self.next.taken == OPPORTUNITY.get() {
                self.step();
            }
        }
        served
    }

    /// The rate over the window that begins at `from`; `None` without opportunities.
    pub(crate) fn rate_from(&self, from: Time) -> Option<BitRate> {
        if self.instants.is_empty() || self.period == 0 {
            return None;
        }
        let count = self.count_before(from + RATE_WINDOW) - self.count_before(from);
        let bits = count.saturating_mul(OPPORTUNITY.bits());
        BitRate::from_bps(bits.saturating_mul(1_000_000_000) / RATE_WINDOW.as_ns())
    }

    /// How many octets the opportunities from `from` on, within `span`, take.
    pub(crate) fn octets_in(&self, from: Time, span: Span) -> u64 {
        if self.instants.is_empty() || self.period == 0 {
            return 0;
        }
        (self.count_before(from + span) - self.count_before(from)).saturating_mul(OPPORTUNITY.get())
    }

    /// When the window after that of `from` begins.
    pub(crate) fn next_window(from: Time) -> Time {
        from + RATE_WINDOW
    }

    fn count_before(&self, time: Time) -> u64 {
        let (time, count) = (time.as_ns(), self.instants.len() as u64);
        let within = |cycle: u64| {
            let start = cycle * self.period;
            self.instants.partition_point(|&at| start + at < time) as u64
        };
        // The last instants of a cycle coincide with the start of the next one.
        match time / self.period {
            0 => within(0),
            cycle => (cycle - 1) * count + within(cycle - 1) + within(cycle),
        }
    }

    fn instant(&self) -> Time {
        let start = self.next.cycle.saturating_mul(self.period);
        Time::from_ns(start.saturating_add(self.instants[self.next.index]))
    }

    /// Goes on to the first opportunity at or after `from`.
    fn seek(&mut self, from: Time) {
        if self.instant() >= from {
            return;
        }
        let cycle = (from.as_ns() / self.period).saturating_sub(1).max(self.next.cycle);
        let start = cycle.saturating_mul(self.period);
        let index = self
            .instants
            .partition_point(|&at| start.saturating_add(at) < from.as_ns());
        self.next = Cursor { cycle, index, taken: 0 };
        if index == self.instants.len() {
            self.next = Cursor {
                cycle: cycle + 1,
                index: 0,
                taken: 0,
            };
            if self.instant() < from {
                self.seek(from);
            }
        }
    }

    fn step(&mut self) {
        let (cycle, index) = match self.next.index + 1 {
            index if index == self.instants.len() => (self.next.cycle + 1, 0),
            index => (self.next.cycle, index),
        };
        self.next = Cursor { cycle, index, taken: 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(text: &str) -> Trace {
        match parse_trace(text) {
            Ok(RateModel::Trace { opportunities, period }) => Trace::new(&opportunities, period, Span::ZERO),
            other => panic!("not a trace: {other:?}"),
        }
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    #[test]
    fn a_trace_reads_as_written() {
        assert_eq!(
            parse_trace("0\n5\n5\n\n12\n"),
            Ok(RateModel::Trace {
                opportunities: vec![ms(0), ms(5), ms(5), ms(12)],
                period: Span::from_ms(12),
            })
        );
    }

    #[test]
    fn a_wrong_trace_says_which_line() {
        let wrong = |line, text: &str| {
            Err(TraceError::NotANumber {
                line,
                text: text.into(),
            })
        };
        assert_eq!(parse_trace("1\nsoon\n"), wrong(2, "soon"));
        assert_eq!(parse_trace("1\n+2\n"), wrong(2, "+2"));
        assert_eq!(parse_trace("1.5"), wrong(1, "1.5"));
        assert_eq!(
            parse_trace("3\n\n2"),
            Err(TraceError::GoesBack {
                line: 3,
                ms: 2,
                before: 3
            })
        );
        assert_eq!(
            parse_trace("360000001"),
            Err(TraceError::TooLate {
                line: 1,
                ms: 360_000_001
            })
        );
        assert_eq!(parse_trace(" \n"), Err(TraceError::Empty));
        assert_eq!(parse_trace("0\n0\n"), Err(TraceError::NoLength));
    }

    #[test]
    fn a_packet_takes_as_many_opportunities_as_it_needs() {
        let mut trace = trace("10\n20\n30\n");
        let served = trace.serve(ms(1), 3000, Time::NEVER);
        assert_eq!(
            served,
            Served {
                first: Some(ms(10)),
                last: ms(20),
                octets: 3000
            }
        );
        // Eight octets of the one at 20 ms are left for a packet that waits, not for one that comes later.
        let mut later = trace.clone();
        assert_eq!(trace.serve(ms(20), 9, Time::NEVER).first, Some(ms(20)));
        assert_eq!(later.serve(ms(21), 9, Time::NEVER).first, Some(ms(30)));
    }

    #[test]
    fn a_trace_starts_again_after_its_last_instant() {
        let mut trace = trace("0\n10\n");
        // 0, 10 and, as the next cycle's first, 10 again; then 20 twice.
        assert_eq!(trace.serve(ms(0), 3 * 1504, Time::NEVER).last, ms(10));
        assert_eq!(trace.serve(ms(10), 1504, Time::NEVER).last, ms(20));
        assert_eq!(trace.serve(ms(995), 1504, Time::NEVER).last, ms(1000));
        assert_eq!(trace.serve(ms(1000), 1504, Time::NEVER).last, ms(1000));
        assert_eq!(trace.serve(ms(1000), 1504, Time::NEVER).last, ms(1010));
    }

    #[test]
    fn the_rate_told_is_that_of_half_a_second() {
        let trace = trace("10\n20\n30\n2000\n");
        let rate = |from| trace.rate_from(ms(from)).map(BitRate::as_bps);
        assert_eq!(rate(0), Some(3 * 1504 * 8 * 2));
        assert_eq!(rate(500), None);
        assert_eq!(rate(2000), Some(4 * 1504 * 8 * 2));
        assert_eq!(rate(4000), Some(4 * 1504 * 8 * 2));
    }

    #[test]
    fn a_trace_may_begin_in_the_middle_of_its_period() {
        let Ok(RateModel::Trace { opportunities, period }) = parse_trace("10\n20\n30\n100\n") else {
            panic!("not a trace");
        };
        let mut trace = Trace::new(&opportunities, period, Span::from_ms(20));
        let mut next = |from| trace.serve(ms(from), 1504, Time::NEVER).last;
        // 30 and 100 of the first period, then 10 and 20 of the next one, which end this one.
        assert_eq!(
            [next(0), next(10), next(80), next(90)],
            [ms(10), ms(80), ms(90), ms(100)]
        );
        assert_eq!([next(100), next(200)], [ms(110), ms(200)]);
        let at_once = Trace::new(&opportunities, period, Span::ZERO);
        assert_eq!(at_once.instants.len(), 4);
    }
}
