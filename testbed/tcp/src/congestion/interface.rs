//! What controls the congestion window is told, and what it says.

use ambassador::delegatable_trait;
use windlull_units::{BitRate, Span, Time};

use crate::timer::Sample;

use super::share::Told;

/// What was acknowledged, for a window that may grow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growth {
    /// Octets newly acknowledged.
    pub(crate) octets: u64,
    /// Octets of a full segment.
    pub(crate) smss: u64,
    pub(crate) now: Time,
    /// The smoothed round-trip time.
    pub(crate) rtt: Span,
}

/// What spreads segments over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spacing {
    /// So long after each segment, whatever its size.
    Interval(Span),
    /// Quanta at a rate.
    Rate(PacingRate),
}

/// A rate at which quanta leave; what is in one leaves at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PacingRate {
    pub(crate) rate: BitRate,
    /// Octets after which a quantum is full: the segment that fills it is its last.
    pub(crate) quantum: u64,
}

/// One way to avoid congestion.
#[delegatable_trait]
pub(crate) trait WindowControl {
    /// The threshold after a loss with so much outstanding and this window, in octets.
    fn threshold(&self, flight: u64, cwnd: u64, smss: u64) -> u64;

    /// The same after a congestion mark, where that is answered by how much was marked.
    fn threshold_by_mark(&self, flight: u64, cwnd: u64, smss: u64) -> u64 {
        self.threshold(flight, cwnd, smss)
    }

    /// An acknowledgement came, with or without marks, where the connection has them.
    fn on_told(&mut self, _told: &Told) {}

    /// Whether a mark that asks for a reduction gets it now; if so, it is made.
    fn may_answer(&mut self, _now: Time) -> bool {
        true
    }

    /// The window in congestion avoidance, once something was acknowledged while it was the limit.
    fn grow(&mut self, cwnd: u64, growth: &Growth) -> u64;

    /// The window was set to something else: what was counted for its growth starts anew.
    fn on_window_set(&mut self);

    /// A loss was found with this window, by duplicates or by the timer.
    fn on_loss(&mut self, cwnd: u64, by_timer: bool);

    /// The timer fired for a loss in a window of data that a mark has reduced already (RFC 3168, section 6.1.2).
    fn on_spared_timeout(&mut self) {}

    /// The last timeout was spurious.
    fn on_spurious(&mut self);

    /// The window was not the limit for so long, until now.
    fn on_application_limited(&mut self, _lasted: Span) {}

    /// A round trip was measured.
    fn on_sample(&mut self, _sample: &Sample) {}

    /// The connection stands; its first round trip took so long.
    fn on_established(&mut self, _rtt: Span) {}

    /// What it wants between two segments, if anything.
    fn spacing(&self) -> Option<Spacing> {
        None
    }

    /// A segment left that had to keep it.
    fn on_paced(&mut self) {}
}

/// RFC 5681, section 3.1: the first threshold is arbitrarily high.
pub(crate) const UNSET: u64 = u64::MAX;

/// RFC 5681, section 3.1, equation 4: the threshold after a loss.
pub(crate) const fn halved(flight: u64, smss: u64) -> u64 {
    let half = flight / 2;
    if half > 2 * smss { half } else { 2 * smss }
}
