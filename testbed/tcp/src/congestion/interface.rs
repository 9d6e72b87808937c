//! What controls the congestion window is told, and what it says.

use ambassador::delegatable_trait;
use windlull_units::{Span, Time};

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

/// One way to avoid congestion.
#[delegatable_trait]
pub(crate) trait WindowControl {
    /// The threshold after a loss with so much outstanding, in octets.
    fn threshold(&self, flight: u64, smss: u64) -> u64;

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

    /// The connection stands; its first round trip took so long.
    fn on_established(&mut self, _rtt: Span) {}

    /// The least time between two segments, if there is one.
    fn interval(&self) -> Option<Span> {
        None
    }

    /// A segment left that had to keep the interval.
    fn on_paced(&mut self) {}
}

/// RFC 5681, section 3.1, equation 4: the threshold after a loss.
pub(crate) const fn halved(flight: u64, smss: u64) -> u64 {
    let half = flight / 2;
    if half > 2 * smss { half } else { 2 * smss }
}
