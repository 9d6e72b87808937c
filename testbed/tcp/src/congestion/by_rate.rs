//! Congestion avoidance by the interval between segments in place of the window (jacobson1988, footnote 13): each segment
//! shortens it, each loss doubles it.
//!
//! The paper gives neither the first interval nor the step. Here both are parts of the first round trip, R: an eighth of it
//! to begin with, and steps that are the same for both rules at eight segments a round trip; and it is never longer than R.

use windlull_units::Span;

use super::{Growth, Spacing, WindowControl};

/// Segments of a round trip to begin with.
const FIRST: u64 = 8;
/// The paper's alpha, in round trips: each segment adds 1/alpha to the rate.
const ALPHA: u64 = 16;
/// A constant step of the interval, as a part of a round trip: alpha's step at `FIRST` segments a round trip.
const STEP: u64 = ALPHA * FIRST * FIRST;
/// The largest window that can be advertised (RFC 7323, section 2.3): none of ours.
const NO_WINDOW: u64 = 1 << 30;

/// What each segment sent changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The rate by a constant, as the paper has it.
    Rate,
    /// The interval by a constant, which the paper warns of.
    Interval,
}

/// The interval, once a round trip is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByRate {
    step: Step,
    first_rtt: Span,
    interval: Option<Span>,
    /// What it was before the last timeout.
    before_timeout: Option<Span>,
}

impl ByRate {
    pub(crate) const fn new(step: Step) -> Self {
        Self {
            step,
            first_rtt: Span::ZERO,
            interval: None,
            before_timeout: None,
        }
    }

    /// The interval after one more segment, at least a nanosecond.
    fn shortened(&self, interval: Span) -> Span {
        let shorter = match self.step {
            Step::Rate => {
                let alpha = u128::from(self.first_rtt.saturating_mul(ALPHA).as_ns());
                let now = u128::from(interval.as_ns());
                u64::try_from(alpha * now / (alpha + now).max(1)).expect("it is below the interval")
            }
            Step::Interval => interval.as_ns().saturating_sub(self.first_rtt.div(STEP).as_ns()),
        };
        Span::from_ns(shorter.max(1))
    }
}

impl WindowControl for ByRate {
    fn threshold(&self, _: u64, _: u64, _: u64) -> u64 {
        NO_WINDOW
    }

    fn grow(&mut self, cwnd: u64, _: &Growth) -> u64 {
        cwnd
    }

    fn on_window_set(&mut self) {}

    fn on_loss(&mut self, _: u64, by_timer: bool) {
        if by_timer {
            self.before_timeout = self.interval;
        }
        // As a window is of one segment at least, so no less than one leaves a round trip.
        let longest = self.first_rtt;
        self.interval = self.interval.map(|interval| interval.saturating_mul(2).min(longest));
    }

    fn on_spurious(&mut self) {
        if let Some(before) = self.before_timeout.take() {
            self.interval = Some(before);
        }
    }

    fn on_established(&mut self, rtt: Span) {
        self.first_rtt = rtt;
        // A round trip below a tick of the clock sets no rate.
        self.interval = Some(rtt.div(FIRST)).filter(|interval| !interval.is_zero());
    }

    fn spacing(&self) -> Option<Spacing> {
        self.interval.map(Spacing::Interval)
    }

    fn on_paced(&mut self) {
        self.interval = self.interval.map(|interval| self.shortened(interval));
    }
}
