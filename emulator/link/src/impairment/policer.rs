//! A policer: a token bucket that lets through or loses, and delays nothing (RFC 2697 without its excess bucket: what the
//! committed one has no room for is red, and lost). Carriers enforce plans so (Flach and others 2016).

use windlull_units::{BitRate, Bytes, Time};

/// Tokens are counted in bits times nanoseconds in a second, so that no time between packets is rounded.
const NS: u128 = 1_000_000_000;

/// The bucket of one direction.
#[derive(Clone, Debug)]
pub(crate) struct Policer {
    rate: BitRate,
    /// What it holds when it is full.
    most: u128,
    tokens: u128,
    /// Up to when it was filled.
    filled: Time,
}

impl Policer {
    /// A bucket that is full at the start of the run (RFC 2697, section 3).
    pub(crate) fn new(rate: BitRate, burst: Bytes) -> Self {
        let most = tokens_for(burst);
        Self {
            rate,
            most,
            tokens: most,
            filled: Time::ZERO,
        }
    }

    /// Whether a packet that arrives now may go on. One that may not takes no tokens (RFC 2697, section 3, "red").
    pub(crate) fn passes(&mut self, now: Time, size: Bytes) -> bool {
        let elapsed = u128::from(now.since(self.filled).as_ns());
        let gained = elapsed * u128::from(self.rate.as_bps());
        self.tokens = self.most.min(self.tokens.saturating_add(gained));
        self.filled = now;
        match self.tokens.checked_sub(tokens_for(size)) {
            Some(left) => {
                self.tokens = left;
                true
            }
            None => false,
        }
    }
}

fn tokens_for(size: Bytes) -> u128 {
    u128::from(size.bits()) * NS
}

#[cfg(test)]
mod tests {
    use windlull_units::Span;

    use super::*;

    fn policer(bps: u64, burst: u64) -> Policer {
        let rate = BitRate::from_bps(bps).expect("a rate above zero");
        Policer::new(rate, Bytes::new(burst))
    }

    fn at(ns: u64) -> Time {
        Time::from_ns(ns)
    }

    /// At 3 bit/s an octet takes 8/3 s: no whole number of nanoseconds.
    #[test]
    fn a_token_is_there_at_its_instant_and_not_before() {
        let mut policer = policer(3, 1);
        assert!(policer.passes(at(0), Bytes::new(1)));
        let mut later = policer.clone();
        assert!(!policer.passes(at(2_666_666_666), Bytes::new(1)));
        assert!(later.passes(at(2_666_666_667), Bytes::new(1)));
        // Eight octets take 64/3 s, however often it was asked before.
        let mut counting = self::policer(3, 8);
        assert!(counting.passes(at(0), Bytes::new(8)));
        for asked in 1..=21 {
            assert!(!counting.passes(at(asked * 1_000_000_000), Bytes::new(8)));
        }
        assert!(!counting.passes(at(21_333_333_333), Bytes::new(8)));
        assert!(counting.passes(at(21_333_333_334), Bytes::new(8)));
    }

    #[test]
    fn a_bucket_holds_no_more_than_its_burst_and_gives_no_more() {
        let mut policer = policer(8_000, 300);
        assert!(!policer.passes(at(0), Bytes::new(301)), "it is larger than the bucket");
        let an_hour = Time::ZERO + Span::from_secs(3_600);
        let passed = [100; 4].map(|size| policer.passes(an_hour, Bytes::new(size)));
        assert_eq!(passed, [true, true, true, false]);
    }

    #[test]
    fn nothing_overflows() {
        let mut policer = policer(u64::MAX, u64::MAX);
        assert!(policer.passes(Time::from_ns(u64::MAX - 1), Bytes::new(u64::MAX)));
        assert!(!policer.passes(Time::from_ns(u64::MAX - 1), Bytes::new(u64::MAX)));
    }
}
