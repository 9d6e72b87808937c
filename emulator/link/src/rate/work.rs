//! What remains to be sent of a packet.

use windlull_units::{BitRate, Bytes, Span};

const NS: u64 = 1_000_000_000;

/// Bits times nanoseconds a second: what remains of a packet. A rate of r bit/s does r of it in a nanosecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Work(u64);

impl Work {
    pub(crate) const NONE: Self = Self(0);

    /// That of a batch of packets, whose end is fixed when it begins.
    pub(crate) const BATCH: Self = Self(u64::MAX);

    pub(crate) const fn of(amount: Bytes) -> Self {
        Self(amount.bits().saturating_mul(NS))
    }

    /// How long it takes at `rate`, rounded up.
    pub(crate) const fn at(self, rate: BitRate) -> Span {
        Span::from_ns(self.0.div_ceil(rate.as_bps()))
    }

    pub(super) const fn less(self, rate: BitRate, elapsed: Span) -> Self {
        Self(self.0.saturating_sub(rate.as_bps().saturating_mul(elapsed.as_ns())))
    }

    pub(super) const fn octets(self) -> u64 {
        self.0.div_ceil(8 * NS)
    }
}
