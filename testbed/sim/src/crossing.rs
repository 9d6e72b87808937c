//! What crosses the link besides the flows: packets at a constant rate.

use windlull_units::{ConstantRate, Time};

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

    /// When the next packet goes.
    pub(crate) fn next(&self) -> Time {
        self.stream.sends(self.sent)
    }

    /// It went.
    pub(crate) fn sent(&mut self) {
        self.sent += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windlull_units::{BitRate, Bytes, Direction, Span};

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
