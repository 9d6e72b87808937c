//! Pacing: segments leave no sooner than their time. It comes from an interval or a rate that congestion control sets
//! ([`Spacing`]), or else, where the variant wants it, from Linux's rate (`pacing = "linux"`):
//!
//! ```text
//!   rate = ratio * max(cwnd, flight) / srtt      2 while cwnd < ssthresh / 2, else 1.2
//!
//!    quantum      | its octets / rate |
//!   --||||--------------------------------||||------------>  time
//!       leave at once                  `next`
//! ```
//!
//! Linux: net/ipv4/tcp_input.c, `tcp_update_pacing_rate`; tcp_output.c, `tcp_update_skb_after_send` and `tcp_tso_autosize`.

use windlull_units::{BitRate, Bytes, Span, Time};

use crate::congestion::{Congestion, PacingRate, Spacing};
use crate::registry::Pacing;

/// `sk_gso_max_size`: no quantum is larger.
const LARGEST_QUANTUM: u64 = 65_536;

/// What makes a rate of a window.
#[derive(Clone, Copy, Debug)]
struct Rule {
    /// Segments with data that leave before the rate holds.
    unpaced: u32,
    /// Of the window in a round trip, in slow start and in congestion avoidance.
    slow_start_percent: u64,
    avoidance_percent: u64,
    /// A quantum is what the rate brings in this part of a second,
    quanta_a_second: u64,
    /// but so many segments at least.
    least_segments: u64,
    /// Whether a quantum that left late has less time after it.
    makes_up: bool,
}

/// `tcp_update_skb_after_send`; `tcp_pacing_ss_ratio` and `tcp_pacing_ca_ratio`; `sk_pacing_shift`, but what the kernel adds to a
/// quantum for round trips below some milliseconds is left out; `tcp_min_tso_segs`.
const LINUX: Rule = Rule {
    unpaced: 10,
    slow_start_percent: 200,
    avoidance_percent: 120,
    quanta_a_second: 1024,
    least_segments: 2,
    makes_up: true,
};

/// Prague's draft, section 2.5: at the rate of the window, in bursts of a quarter of a millisecond, which a queue of low latency takes
/// without marks. Twice the rate in slow start is Linux's.
const PRAGUE: Rule = Rule {
    unpaced: 0,
    slow_start_percent: 200,
    avoidance_percent: 100,
    quanta_a_second: 4000,
    least_segments: 1,
    makes_up: false,
};

/// When the next segment may leave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// The rate of the window, where one is asked for.
    by_window: Option<ByWindow>,
    /// When the next quantum may leave.
    next: Time,
    /// Whether a segment may be waiting for it.
    waiting: bool,
    quantum: Quantum,
}

/// A rate of the window, once it holds.
#[derive(Clone, Copy, Debug)]
struct ByWindow {
    rule: Rule,
    /// Segments with data that left, counted until it holds.
    segments: u32,
    rate: Option<PacingRate>,
}

/// The segments that leave at one instant.
#[derive(Clone, Copy, Debug, Default)]
struct Quantum {
    began: Time,
    /// Octets that it may still take.
    left: u64,
    /// How late it left, as far as that is not made up for yet.
    late: Span,
}

impl Pace {
    /// Of a connection that stands, if anything spreads its segments.
    pub(super) fn new(choice: Pacing, congestion: &Congestion) -> Option<Self> {
        let rule = match choice {
            _ if congestion.is_prague() => Some(PRAGUE),
            Pacing::None => None,
            Pacing::Linux => Some(LINUX),
        };
        let by_window = rule.map(|rule| ByWindow {
            rule,
            segments: 0,
            rate: None,
        });
        (by_window.is_some() || congestion.spacing().is_some()).then_some(Self {
            by_window,
            next: Time::ZERO,
            waiting: false,
            quantum: Quantum::default(),
        })
    }

    /// Whether a segment must wait at `now`.
    pub(super) fn holds(&mut self, now: Time) -> bool {
        self.waiting = now < self.next && !(self.quantum.began == now && self.quantum.left > 0);
        self.waiting
    }

    /// The window or the round trip has changed: Linux computes its rate at each acknowledgement.
    pub(super) fn update(&mut self, congestion: &Congestion, flight: u64, srtt: Option<Span>, smss: u64) {
        if let Some(by_window) = &mut self.by_window {
            let rule = &by_window.rule;
            by_window.rate = srtt.and_then(|srtt| rate_of(rule, congestion, flight, srtt, smss));
        }
    }

    /// A segment left; `set` is what congestion control wants between it and the next one.
    pub(super) fn on_sent(&mut self, now: Time, octets: u64, set: Option<Spacing>) {
        match (set, &mut self.by_window) {
            (Some(Spacing::Interval(interval)), _) => self.next = now + interval,
            (Some(Spacing::Rate(rate)), _) => {
                self.enter_quantum(now, octets, rate.quantum, false);
                self.wait_for(octets, rate.rate);
            }
            (None, Some(by_window)) => {
                by_window.segments = by_window.segments.saturating_add(u32::from(octets > 0));
                let makes_up = by_window.rule.makes_up;
                let rate = by_window.rate.filter(|_| by_window.segments >= by_window.rule.unpaced);
                self.enter_quantum(now, octets, rate.map_or(0, |rate| rate.quantum), makes_up);
                if let Some(rate) = rate {
                    self.wait_for(octets, rate.rate);
                }
            }
            (None, None) => {}
        }
    }

    /// The segment is the first of a quantum once the one before has had its time.
    fn enter_quantum(&mut self, now: Time, octets: u64, size: u64, makes_up: bool) {
        if now >= self.next {
            self.quantum = Quantum {
                began: now,
                left: size,
                late: if makes_up { now.since(self.next) } else { Span::ZERO },
            };
            self.next = now;
        }
        self.quantum.left = self.quantum.left.saturating_sub(octets);
    }

    /// What left late has less time after it, where lateness is made up for: half of it at least.
    fn wait_for(&mut self, octets: u64, rate: BitRate) {
        let whole = rate.time_for(Bytes::new(octets));
        let made_up = whole.div(2).min(self.quantum.late);
        self.quantum.late = self.quantum.late.saturating_sub(made_up);
        self.next += whole.saturating_sub(made_up);
    }

    /// It is due: nothing waits any more.
    pub(super) fn on_timer(&mut self, now: Time) {
        self.waiting &= now < self.next;
    }

    /// When a segment that had to wait may leave.
    pub(super) fn due(&self) -> Option<Time> {
        self.waiting.then_some(self.next)
    }
}

/// `tcp_update_pacing_rate`; none while a round trip is below a tick of its clock.
fn rate_of(rule: &Rule, congestion: &Congestion, flight: u64, srtt: Span, smss: u64) -> Option<PacingRate> {
    let percent = if congestion.cwnd < congestion.ssthresh / 2 {
        rule.slow_start_percent
    } else {
        rule.avoidance_percent
    };
    let octets = congestion.cwnd.max(flight);
    let rate = bits_a_second(u128::from(octets) * u128::from(percent) / 100, srtt)?;
    let quantum = (rate.as_bps() / 8 / rule.quanta_a_second).min(LARGEST_QUANTUM) / smss;
    Some(PacingRate {
        rate,
        quantum: quantum.max(rule.least_segments) * smss,
    })
}

/// So many octets in such a time; none if the time is none.
fn bits_a_second(octets: u128, time: Span) -> Option<BitRate> {
    let bps = (octets * 8_000_000_000).checked_div(u128::from(time.as_ns()))?;
    BitRate::from_bps(u64::try_from(bps).unwrap_or(u64::MAX))
}
