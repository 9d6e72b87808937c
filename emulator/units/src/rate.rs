//! Rates of data.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Bytes, Span};

/// A rate in bits per second; never zero (a link that delivers nothing is a hold or a drop).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
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
        let bps = self.as_bps();
        for (unit, scale) in [("Gbit/s", 1_000_000_000_u64), ("Mbit/s", 1_000_000), ("kbit/s", 1_000)] {
            if bps >= scale {
                let (whole, rest) = (bps / scale, bps % scale);
                if rest == 0 {
                    return write!(f, "{whole} {unit}");
                }
                let digits = scale.ilog10() as usize;
                return write!(f, "{whole}.{} {unit}", format!("{rest:0digits$}").trim_end_matches('0'));
            }
        }
        write!(f, "{bps} bit/s")
    }
}
