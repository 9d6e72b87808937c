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

/// Segments with data that leave before Linux's rate holds (`tcp_update_skb_after_send`).
const UNPACED: u32 = 10;
/// `tcp_pacing_ss_ratio` and `tcp_pacing_ca_ratio`, percent.
const SLOW_START_PERCENT: u64 = 200;
const AVOIDANCE_PERCENT: u64 = 120;
/// `sk_pacing_shift`: a quantum is what the rate brings in 1/1024 of a second (`tcp_tso_autosize`). What the kernel adds to
/// it for round trips below some milliseconds is left out.
const QUANTA_A_SECOND: u64 = 1024;
/// `sk_gso_max_size`: no quantum is larger.
const LARGEST_QUANTUM: u64 = 65_536;
/// `tcp_min_tso_segs`.
const LEAST_SEGMENTS: u64 = 2;

/// When the next segment may leave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Linux's rate, where it is asked for.
    linux: Option<Linux>,
    /// When the next quantum may leave.
    next: Time,
    /// Whether a segment may be waiting for it.
    waiting: bool,
    quantum: Quantum,
}

/// Linux's own rate, once it holds.
#[derive(Clone, Copy, Debug, Default)]
struct Linux {
    /// Segments with data that left, counted up to `UNPACED`.
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
        let linux = match choice {
            Pacing::None => None,
            Pacing::Linux => Some(Linux::default()),
        };
        (linux.is_some() || congestion.spacing().is_some()).then_some(Self {
            linux,
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
        if let Some(linux) = &mut self.linux {
            linux.rate = srtt.and_then(|srtt| linux_rate(congestion, flight, srtt, smss));
        }
    }

    /// A segment left; `set` is what congestion control wants between it and the next one.
    pub(super) fn on_sent(&mut self, now: Time, octets: u64, set: Option<Spacing>) {
        match (set, &mut self.linux) {
            (Some(Spacing::Interval(interval)), _) => self.next = now + interval,
            (Some(Spacing::Rate(rate)), _) => {
                self.enter_quantum(now, octets, rate.quantum, false);
                self.wait_for(octets, rate.rate);
            }
            (None, Some(linux)) => {
                linux.segments = linux.segments.saturating_add(u32::from(octets > 0));
                let rate = linux.rate.filter(|_| linux.segments >= UNPACED);
                self.enter_quantum(now, octets, rate.map_or(0, |rate| rate.quantum), true);
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
fn linux_rate(congestion: &Congestion, flight: u64, srtt: Span, smss: u64) -> Option<PacingRate> {
    let percent = if congestion.cwnd < congestion.ssthresh / 2 {
        SLOW_START_PERCENT
    } else {
        AVOIDANCE_PERCENT
    };
    let octets = congestion.cwnd.max(flight);
    let rate = bits_a_second(u128::from(octets) * u128::from(percent) / 100, srtt)?;
    let quantum = (rate.as_bps() / 8 / QUANTA_A_SECOND).min(LARGEST_QUANTUM) / smss;
    Some(PacingRate {
        rate,
        quantum: quantum.max(LEAST_SEGMENTS) * smss,
    })
}

/// So many octets in such a time; none if the time is none.
fn bits_a_second(octets: u128, time: Span) -> Option<BitRate> {
    let bps = (octets * 8_000_000_000).checked_div(u128::from(time.as_ns()))?;
    BitRate::from_bps(u64::try_from(bps).unwrap_or(u64::MAX))
}
