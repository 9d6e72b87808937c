//! What crosses the link besides the flows: packets at a constant rate.

use windlull_units::{ConstantRate, Span, Time};

/// A source of such packets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub(crate) stream: ConstantRate,
    sent: u64,
}

impl Source {
    pub(crate) const fn new(stream: ConstantRate) -> Self {
        Self { stream, sent: 0 }
    }

    /// When the next packet goes. Worked out from the start each time, so that rounding never adds up.
    pub(crate) fn next(&self) -> Time {
        let bits = u128::from(self.stream.packet.bits()) * u128::from(self.sent);
        let ns = bits * 1_000_000_000 / u128::from(self.stream.rate.as_bps());
        let since_start = Span::from_ns(u64::try_from(ns).unwrap_or(u64::MAX));
        Time::ZERO + self.stream.start.saturating_add(since_start)
    }

    /// It went.
    pub(crate) fn sent(&mut self) {
        self.sent += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windlull_units::{BitRate, Bytes, Direction};

    #[test]
    fn the_rate_is_kept_over_millions_of_packets() {
        let rate = BitRate::from_bps(3_000_000).expect("not zero");
        let mut source = Source::new(ConstantRate {
            rate,
            packet: Bytes::new(1_000),
            direction: Direction::Down,
            start: Span::from_secs(1),
        });
        assert_eq!(source.next(), Time::ZERO + Span::from_secs(1));
        for _ in 0..3_000_000 {
            source.sent();
        }
        assert_eq!(source.next(), Time::ZERO + Span::from_secs(8_001));
    }
}
