//! DCTCP (RFC 8257): as Reno, but that a mark takes half of the share of the window that was marked lately.

use windlull_units::Span;

use super::reno::Reno;
use super::share::{MarkedShare, Told};
use super::{Growth, WindowControl};

/// Reno and the share of marks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dctcp {
    reno: Reno,
    share: MarkedShare,
}

impl Dctcp {
    pub(crate) const fn new() -> Self {
        Self {
            reno: Reno::new(),
            share: MarkedShare::new(Span::ZERO),
        }
    }
}

impl WindowControl for Dctcp {
    /// A loss is answered as by any other (section 3.5).
    fn threshold(&self, flight: u64, cwnd: u64, smss: u64) -> u64 {
        self.reno.threshold(flight, cwnd, smss)
    }

    fn threshold_by_mark(&self, _: u64, cwnd: u64, smss: u64) -> u64 {
        self.share.reduced(cwnd, smss)
    }

    /// Section 3.4.
    #[inline]
    fn grow(&mut self, cwnd: u64, growth: &Growth) -> u64 {
        self.reno.grow(cwnd, growth)
    }

    fn on_told(&mut self, told: &Told) {
        self.share.on_told(told);
    }

    fn on_window_set(&mut self) {
        self.reno.on_window_set();
    }

    fn on_loss(&mut self, _: u64, _: bool) {}

    fn on_spurious(&mut self) {}
}
