//! Explicit congestion notification in the IP header (RFC 3168, section 5).

#[cfg(feature = "schema")]
use schemars::JsonSchema;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// The codepoint in the two low bits of the octet after IPv4's version, or of IPv6's traffic class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub enum Ecn {
    /// Its transport does not know of congestion marks: a queue can only drop it.
    #[default]
    NotEct,
    /// ECN-capable; the other value of RFC 3540's nonce, one.
    Ect1,
    /// ECN-capable; a nonce of zero.
    Ect0,
    /// Congestion experienced: a queue has marked it.
    Ce,
}

impl Ecn {
    /// The codepoint in this octet of an IP header; its six high bits are the differentiated services field.
    pub const fn of_octet(octet: u8) -> Self {
        match octet & 0b11 {
            0b00 => Self::NotEct,
            0b01 => Self::Ect1,
            0b10 => Self::Ect0,
            _ => Self::Ce,
        }
    }

    /// Its two bits, as they stand in the header.
    pub const fn bits(self) -> u8 {
        self as u8
    }

    /// Whether a queue may mark the packet instead of dropping it; one that is marked may be marked again.
    pub const fn is_capable(self) -> bool {
        !matches!(self, Self::NotEct)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codepoints_are_the_low_bits_of_their_octet() {
        for (bits, codepoint) in (0..).zip([Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce]) {
            assert_eq!(codepoint.bits(), bits);
            for octet in [bits, bits | 0xB8] {
                assert_eq!(Ecn::of_octet(octet), codepoint);
            }
            assert_eq!(codepoint.is_capable(), bits != 0);
        }
    }
}
