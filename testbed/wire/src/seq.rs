//! Sequence numbers: 32 bits that wrap (RFC 9293, section 3.4).

use std::fmt;

use serde::{Deserialize, Serialize};

/// A TCP sequence or acknowledgement number. It has no total order: compare through `offset_from`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SeqNumber(pub u32);

impl SeqNumber {
    /// The number `n` octets later.
    #[must_use]
    pub const fn add(self, n: u32) -> Self {
        Self(self.0.wrapping_add(n))
    }

    /// How many octets `self` is after `base` (negative: before), taking the shorter way around.
    #[expect(clippy::cast_possible_wrap, reason = "the wrap is the definition")]
    pub const fn offset_from(self, base: Self) -> i32 {
        self.0.wrapping_sub(base.0) as i32
    }

    /// The 64-bit stream offset nearest to `near` whose low 32 bits, counted from `origin`, are this number's.
    /// `None` if that would be negative.
    pub const fn unwrap_near(self, origin: Self, near: u64) -> Option<u64> {
        #[expect(clippy::cast_possible_truncation, reason = "the low 32 bits are meant")]
        let expected = origin.add(near as u32);
        near.checked_add_signed(self.offset_from(expected) as i64)
    }
}

impl fmt::Display for SeqNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
