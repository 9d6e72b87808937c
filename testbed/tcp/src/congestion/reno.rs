//! Congestion avoidance of RFC 5681, section 3.1, in whole octets.

use super::{Growth, WindowControl, halved};

/// Counts octets until a window of them is acknowledged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reno {
    /// Octets acknowledged since the window last grew.
    acknowledged: u64,
}

impl Reno {
    pub(crate) const fn new() -> Self {
        Self { acknowledged: 0 }
    }
}

impl WindowControl for Reno {
    fn threshold(&self, flight: u64, _: u64, smss: u64) -> u64 {
        halved(flight, smss)
    }

    /// One segment for each window acknowledged, counted in octets as section 3.1 recommends.
    #[inline]
    fn grow(&mut self, cwnd: u64, growth: &Growth) -> u64 {
        self.acknowledged += growth.octets;
        if self.acknowledged < cwnd {
            return cwnd;
        }
        self.acknowledged -= cwnd;
        cwnd + growth.smss
    }

    fn on_window_set(&mut self) {
        self.acknowledged = 0;
    }

    fn on_loss(&mut self, _: u64, _: bool) {}

    fn on_spurious(&mut self) {}
}
