//! Slow start and congestion avoidance of RFC 5681, section 3.1, in whole octets.

use super::Congestion;

impl Congestion {
    /// `octets` were newly acknowledged while the window was the limit.
    #[inline]
    pub(crate) const fn grow(&mut self, octets: u64, smss: u64) {
        if self.in_slow_start() {
            // Equation 2: at most one segment an acknowledgement.
            self.cwnd += if octets < smss { octets } else { smss };
        } else {
            // One segment for each window acknowledged, counted in octets as section 3.1 recommends.
            self.acknowledged += octets;
            if self.acknowledged >= self.cwnd {
                self.acknowledged -= self.cwnd;
                self.cwnd += smss;
            }
        }
    }
}
