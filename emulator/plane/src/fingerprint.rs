//! By what a packet is known again, at either host and in the router.

use serde::{Deserialize, Serialize};
use windlull_units::Ecn;

/// Octets of a packet that a fingerprint looks at: an IPv4 header without options and a TCP header without options.
/// What is behind them speaks through the lengths and the TCP checksum.
pub const FINGERPRINT_OCTETS: usize = 40;

/// What stays the same of an IPv4 packet from one host to the other. Two transmissions of the same data differ in their
/// IP identification; where two packets have equal fingerprints all the same, the first to leave is the first to arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(pub u64);

/// The fingerprint of a packet that starts with its IPv4 header.
///
/// All of the first [`FINGERPRINT_OCTETS`] count but what routers change: the time to live, the congestion mark and the
/// header's checksum. The packet may have been cut behind them.
pub fn fingerprint(ip_packet: &[u8]) -> Fingerprint {
    let mut octets = [0; FINGERPRINT_OCTETS];
    let present = ip_packet.len().min(FINGERPRINT_OCTETS);
    octets[..present].copy_from_slice(&ip_packet[..present]);
    octets[TTL] = 0;
    octets[SERVICES] &= !Ecn::Ce.bits();
    octets[CHECKSUM].fill(0);
    let mut hash = present as u64;
    for chunk in octets.chunks_exact(size_of::<u64>()) {
        let mut word = [0; size_of::<u64>()];
        word.copy_from_slice(chunk);
        hash = mix(hash ^ u64::from_ne_bytes(word));
    }
    Fingerprint(hash)
}

/// RFC 791, section 3.1; RFC 3168, section 5.
const SERVICES: usize = 1;
const TTL: usize = 8;
const CHECKSUM: std::ops::Range<usize> = 10..12;

/// Steele, Lea and Flood's finaliser (SplitMix64, OOPSLA 2014): every bit in changes half of those out, and no two
/// inputs meet.
const fn mix(mut word: u64) -> u64 {
    word = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ROUTERS_CHANGE: [usize; 3] = [8, 10, 11];

    proptest! {
        #[test]
        fn what_routers_change_does_not_matter(
            mut packet in prop::collection::vec(any::<u8>(), 20..1_500), ttl: u8, checksum: [u8; 2],
        ) {
            let before = fingerprint(&packet);
            packet[1] |= 3;
            packet[8] = ttl;
            packet[10..12].copy_from_slice(&checksum);
            prop_assert_eq!(fingerprint(&packet), before);
        }

        #[test]
        fn every_other_bit_of_the_headers_matters(
            mut packet in prop::collection::vec(any::<u8>(), 40..1_500), place in 0..40_usize, bit in 0..8_u32,
        ) {
            prop_assume!(!ROUTERS_CHANGE.contains(&place));
            prop_assume!(place != 1 || bit > 1);
            let before = fingerprint(&packet);
            packet[place] ^= 1 << bit;
            prop_assert_ne!(fingerprint(&packet), before);
        }

        #[test]
        fn a_cut_behind_the_headers_does_not_matter(packet in prop::collection::vec(any::<u8>(), 40..1_500)) {
            prop_assert_eq!(fingerprint(&packet[..FINGERPRINT_OCTETS]), fingerprint(&packet));
        }
    }

    #[test]
    fn short_packets_have_one_too() {
        let of = |packet: &[u8]| fingerprint(packet);
        assert_ne!(of(&[0; 28]), of(&[0; 29]));
        assert_ne!(of(&[]), of(&[0]));
        assert_eq!(of(&[7; 28]), of(&[7; 28]));
    }
}
