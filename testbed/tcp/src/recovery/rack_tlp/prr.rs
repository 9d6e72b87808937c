//! Proportional rate reduction: RFC 6937, with the slow start reduction bound; or Linux's, `tcp_cwnd_reduction`.

use crate::registry::RateReduction;

/// The variables of one recovery, in octets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prr {
    reduction: RateReduction,
    /// `prr_delivered`.
    delivered: u64,
    /// `prr_out`.
    out: u64,
    /// `RecoverFS`: what was outstanding when it began; Linux's `prior_cwnd`, the window.
    flight: u64,
}

impl Prr {
    pub(super) const fn new(reduction: RateReduction) -> Self {
        Self {
            reduction,
            delivered: 0,
            out: 0,
            flight: 0,
        }
    }

    /// A recovery begins, with so many octets outstanding and this window.
    pub(super) const fn begin(&mut self, flight: u64, cwnd: u64) {
        self.delivered = 0;
        self.out = 0;
        self.flight = match self.reduction {
            RateReduction::Rfc6937 => flight,
            RateReduction::Linux => cwnd,
        };
    }

    /// Whether it is Linux's: what is reported to have arrived twice was delivered, and a timeout reduces no further.
    pub(super) fn is_linux(&self) -> bool {
        self.reduction == RateReduction::Linux
    }

    pub(super) const fn on_sent(&mut self, octets: u64) {
        self.out += octets;
    }

    /// Section 3: so many octets were delivered; returns `sndcnt`, what may be sent now. It is `safe` to send a segment more if
    /// the acknowledgement advanced and no further loss was found.
    pub(super) fn on_delivered(&mut self, delivered: u64, safe: bool, pipe: u64, ssthresh: u64, smss: u64) -> u64 {
        self.delivered += delivered;
        if pipe > ssthresh {
            let in_proportion = (self.delivered * ssthresh).div_ceil(self.flight.max(1));
            in_proportion.saturating_sub(self.out)
        } else {
            let spare = if safe || self.reduction == RateReduction::Rfc6937 {
                smss
            } else {
                0
            };
            let limit = self.delivered.saturating_sub(self.out).max(delivered) + spare;
            limit.min(ssthresh - pipe)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(reduction: RateReduction) -> Prr {
        let mut prr = Prr::new(reduction);
        prr.begin(10_000, 12_000);
        prr
    }

    #[test]
    fn at_the_threshold_nothing_is_left_to_send() {
        let allowed = |pipe| begun(RateReduction::Rfc6937).on_delivered(1000, false, pipe, 5000, 1000);
        assert_eq!(allowed(5001), 500);
        assert_eq!(allowed(5000), 0);
        assert_eq!(allowed(4900), 100);
    }

    #[test]
    fn linux_sends_a_segment_more_only_on_a_safe_acknowledgement() {
        for (reduction, safe, allowed) in [
            (RateReduction::Rfc6937, false, 2000),
            (RateReduction::Rfc6937, true, 2000),
            (RateReduction::Linux, false, 1000),
            (RateReduction::Linux, true, 2000),
        ] {
            assert_eq!(begun(reduction).on_delivered(1000, safe, 2000, 5000, 1000), allowed);
        }
    }

    #[test]
    fn linux_reduces_in_proportion_to_the_window_of_before() {
        assert_eq!(
            begun(RateReduction::Rfc6937).on_delivered(2000, true, 9000, 6000, 1000),
            1200
        );
        assert_eq!(
            begun(RateReduction::Linux).on_delivered(2000, true, 9000, 6000, 1000),
            1000
        );
    }
}
