//! Rates of data.

use std::fmt;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use crate::time::write_in;
use crate::{Bytes, Span};

/// A rate in bits per second; never zero (a link that delivers nothing is a hold or a drop).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(transparent))]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(inline))]
pub struct BitRate(std::num::NonZeroU64);

impl BitRate {
    /// `bps` bits per second, or `None` for zero.
    pub const fn from_bps(bps: u64) -> Option<Self> {
        match std::num::NonZeroU64::new(bps) {
            Some(bps) => Some(Self(bps)),
            None => None,
        }
    }

    /// Bits per second.
    pub const fn as_bps(self) -> u64 {
        self.0.get()
    }

    /// How long `amount` takes to serialise, rounded up to the nanosecond, so that the rate is never exceeded.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the slow path saturates; the quick one fits by its guard"
    )]
    pub fn time_for(self, amount: Bytes) -> Span {
        const NS: u64 = 1_000_000_000;
        match amount.bits().checked_mul(NS) {
            Some(bit_ns) => Span::from_ns(bit_ns.div_ceil(self.as_bps())),
            None => {
                let ns = (u128::from(amount.get()) * 8 * u128::from(NS)).div_ceil(u128::from(self.as_bps()));
                Span::from_ns(ns.min(u128::from(u64::MAX)) as u64)
            }
        }
    }
}

impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_in(f, self.as_bps(), ["bit/s", "kbit/s", "Mbit/s", "Gbit/s"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(bps: u64) -> BitRate {
        BitRate::from_bps(bps).expect("above zero")
    }

    #[test]
    fn no_rate_is_zero() {
        assert_eq!(BitRate::from_bps(0), None);
        assert_eq!(rate(1).as_bps(), 1);
    }

    #[test]
    fn serialisation_rounds_up_to_the_nanosecond() {
        // 296 octets at 28.8 kbit/s: 82.222... ms (sarolahti2003, section 5.1).
        assert_eq!(rate(28_800).time_for(Bytes::new(296)), Span::from_ns(82_222_223));
        assert_eq!(rate(1_000_000_000).time_for(Bytes::new(1_500)), Span::from_us(12));
        assert_eq!(rate(3).time_for(Bytes::new(3)), Span::from_secs(8));
        assert_eq!(rate(16_000_000_000).time_for(Bytes::new(1)), Span::from_ns(1));
        assert_eq!(rate(28_800).time_for(Bytes::ZERO), Span::ZERO);
    }

    #[test]
    fn the_rate_is_never_exceeded_nor_missed_by_a_nanosecond() {
        for bps in [1, 7, 9_600, 28_800, 2_000_000, 999_999_937, 1_000_000_000_000] {
            for octets in [1, 40, 296, 1_500, 65_535, 1_000_000] {
                let ns = u128::from(rate(bps).time_for(Bytes::new(octets)).as_ns());
                let bits = u128::from(octets) * 8 * 1_000_000_000;
                assert!(ns * u128::from(bps) >= bits, "{octets} B at {bps} bit/s are too quick");
                assert!(
                    (ns - 1) * u128::from(bps) < bits,
                    "{octets} B at {bps} bit/s are too slow"
                );
            }
        }
    }

    #[test]
    fn amounts_beyond_64_bits_of_work_are_right_or_saturate() {
        // 10 GB are 8e19 bit-nanoseconds.
        assert_eq!(
            rate(8_000_000_000).time_for(Bytes::new(10_000_000_000)),
            Span::from_secs(10)
        );
        assert_eq!(rate(1).time_for(Bytes::new(u64::MAX)), Span::MAX);
    }

    #[test]
    fn rates_are_written_as_they_read() {
        let written = [
            (1, "1 bit/s"),
            (999, "999 bit/s"),
            (9_600, "9.6 kbit/s"),
            (28_800, "28.8 kbit/s"),
            (2_000_000, "2 Mbit/s"),
            (1_000_001, "1.000001 Mbit/s"),
            (1_000_000_000, "1 Gbit/s"),
        ];
        for (bps, text) in written {
            assert_eq!(rate(bps).to_string(), text);
            assert_eq!(crate::parse_bit_rate(text), Ok(rate(bps)));
        }
    }
}
