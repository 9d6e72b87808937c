//! Amounts of data.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub, SubAssign};

#[cfg(feature = "schema")]
use schemars::JsonSchema;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// An amount of data in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(transparent))]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(inline))]
pub struct Bytes(u64);

impl Bytes {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// So many bytes.
    pub const fn new(n: u64) -> Self {
        Self(n)
    }

    /// Their number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The number of bits; saturates.
    pub const fn bits(self) -> u64 {
        self.0.saturating_mul(8)
    }
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Bytes {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl SubAssign for Bytes {
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} B", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_add_up() {
        let mut size = Bytes::new(256) + Bytes::new(40);
        assert_eq!(size.get(), 296);
        size += Bytes::new(4);
        size -= Bytes::new(100);
        assert_eq!(size - Bytes::new(200), Bytes::ZERO);
        assert_eq!([296, 40].map(Bytes::new).into_iter().sum::<Bytes>(), Bytes::new(336));
    }

    #[test]
    fn bits_saturate() {
        assert_eq!(Bytes::new(296).bits(), 2_368);
        assert_eq!(Bytes::new(u64::MAX).bits(), u64::MAX);
    }

    #[test]
    fn sizes_are_written_as_they_read() {
        assert_eq!(Bytes::new(1_776).to_string(), "1776 B");
        assert_eq!(crate::parse_bytes("1776 B"), Ok(Bytes::new(1_776)));
    }
}
