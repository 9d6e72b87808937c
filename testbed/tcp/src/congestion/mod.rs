//! The congestion window and how it grows outside of recovery.

mod reno;

/// Congestion state in octets, as RFC 5681 counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Congestion {
    /// Congestion window.
    pub(crate) cwnd: u64,
    /// Slow start threshold; `UNSET` until the first loss.
    pub(crate) ssthresh: u64,
    /// Octets acknowledged since the window last grew in congestion avoidance.
    acknowledged: u64,
}

/// RFC 5681, section 3.1: the first threshold is arbitrarily high.
pub(crate) const UNSET: u64 = u64::MAX;

impl Congestion {
    pub(crate) const fn new(initial_window: u64) -> Self {
        Self {
            cwnd: initial_window,
            ssthresh: UNSET,
            acknowledged: 0,
        }
    }

    pub(crate) const fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// The threshold, if it was ever set.
    pub(crate) fn threshold(&self) -> Option<u64> {
        Some(self.ssthresh).filter(|octets| *octets != UNSET)
    }

    /// Sets the window; what congestion avoidance has counted starts anew.
    pub(crate) const fn set_cwnd(&mut self, octets: u64) {
        self.cwnd = octets;
        self.acknowledged = 0;
    }
}

/// RFC 5681, section 3.1, equation 4: the threshold after a loss.
pub(crate) const fn halved(flight: u64, smss: u64) -> u64 {
    let half = flight / 2;
    if half > 2 * smss { half } else { 2 * smss }
}
