//! Proportional rate reduction: RFC 6937, with the slow start reduction bound.

/// The variables of one recovery, in octets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prr {
    /// `prr_delivered`.
    delivered: u64,
    /// `prr_out`.
    out: u64,
    /// `RecoverFS`: what was outstanding when it began.
    flight: u64,
}

impl Prr {
    pub(super) const fn new() -> Self {
        Self::begin(0)
    }

    pub(super) const fn begin(flight: u64) -> Self {
        Self {
            delivered: 0,
            out: 0,
            flight,
        }
    }

    pub(super) const fn on_sent(&mut self, octets: u64) {
        self.out += octets;
    }

    /// Section 3: so many octets were delivered; returns `sndcnt`, what may be sent now.
    pub(super) fn on_delivered(&mut self, delivered: u64, pipe: u64, ssthresh: u64, smss: u64) -> u64 {
        self.delivered += delivered;
        if pipe > ssthresh {
            let in_proportion = (self.delivered * ssthresh).div_ceil(self.flight.max(1));
            in_proportion.saturating_sub(self.out)
        } else {
            let limit = self.delivered.saturating_sub(self.out).max(delivered) + smss;
            limit.min(ssthresh - pipe)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_the_threshold_nothing_is_left_to_send() {
        assert_eq!(Prr::begin(10_000).on_delivered(1000, 5001, 5000, 1000), 500);
        assert_eq!(Prr::begin(10_000).on_delivered(1000, 5000, 5000, 1000), 0);
        assert_eq!(Prr::begin(10_000).on_delivered(1000, 4900, 5000, 1000), 100);
    }
}
