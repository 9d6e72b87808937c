//! By what a packet is known again, at either host and in the router.

use serde::{Deserialize, Serialize};
use windlull_units::{Ecn, Network};

/// Octets of a packet that a fingerprint looks at: its IP header without options or extension headers and a TCP header without
/// options. What is behind them speaks through the lengths and the TCP checksum.
const fn octets_of(network: Network) -> usize {
    const TCP_LEN: usize = 20;
    network.header_len() as usize + TCP_LEN
}

/// The most octets of a packet that a fingerprint looks at.
pub const FINGERPRINT_OCTETS: usize = octets_of(Network::Ipv6);

/// What stays the same of an IP packet from one host to the other. Two transmissions of the same data differ in their
/// identification over IPv4, and over IPv6, which has none, only in what their transport says, such as TCP's timestamps. Where
/// two packets have equal fingerprints all the same, the first to leave is the first to arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(pub u64);

/// The fingerprint of a packet that starts with its IP header.
///
/// All of its first octets count, 40 of IPv4 and 60 of IPv6, but what routers change: the time to live or hop limit, the
/// congestion mark and the checksum of IPv4's header. The packet may have been cut behind them.
pub fn fingerprint(ip_packet: &[u8]) -> Fingerprint {
    let network = match ip_packet.first() {
        Some(first) if first >> 4 == 6 => Network::Ipv6,
        _ => Network::Ipv4,
    };
    let mut octets = [0; FINGERPRINT_OCTETS];
    let present = ip_packet.len().min(octets_of(network));
    octets[..present].copy_from_slice(&ip_packet[..present]);
    match network {
        Network::Ipv4 => {
            octets[TTL] = 0;
            octets[SERVICES] &= !Ecn::Ce.bits();
            octets[CHECKSUM].fill(0);
        }
        Network::Ipv6 => {
            octets[HOP_LIMIT] = 0;
            octets[TRAFFIC_CLASS] &= !(Ecn::Ce.bits() << 4);
        }
    }
    let mut hash = present as u64;
    for chunk in octets[..octets_of(network)].chunks(size_of::<u64>()) {
        let mut word = [0; size_of::<u64>()];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = mix(hash ^ u64::from_ne_bytes(word));
    }
    Fingerprint(hash)
}

/// RFC 791, section 3.1; RFC 3168, section 5.
const SERVICES: usize = 1;
const TTL: usize = 8;
const CHECKSUM: std::ops::Range<usize> = 10..12;
/// RFC 8200, section 3: the two low bits of the traffic class, which lies across two octets, are the congestion mark.
const TRAFFIC_CLASS: usize = 1;
const HOP_LIMIT: usize = 7;

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

    /// A packet of this version of IP and of so many octets, whatever they are.
    fn packet(network: Network, octets: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u8>> {
        let first = match network {
            Network::Ipv4 => 0x45,
            Network::Ipv6 => 0x60,
        };
        prop::collection::vec(any::<u8>(), octets).prop_map(move |mut packet| {
            packet[0] = first;
            packet
        })
    }

    /// Bits of the octets that routers change.
    fn routers_change(network: Network, place: usize) -> u8 {
        match (network, place) {
            (Network::Ipv4, 8 | 10 | 11) | (Network::Ipv6, 7) => 0xFF,
            (Network::Ipv4, 1) => 0x03,
            (Network::Ipv6, 1) => 0x30,
            _ => 0,
        }
    }

    proptest! {
        #[test]
        fn what_routers_change_does_not_matter(
            four in packet(Network::Ipv4, 20..1_500), six in packet(Network::Ipv6, 40..1_500), other: u8,
        ) {
            for (network, packet) in [(Network::Ipv4, four), (Network::Ipv6, six)] {
                let before = fingerprint(&packet);
                let mut changed = packet.clone();
                for (place, octet) in changed.iter_mut().enumerate().take(20) {
                    let bits = routers_change(network, place);
                    *octet = *octet & !bits | other & bits;
                }
                prop_assert_eq!(fingerprint(&changed), before);
            }
        }

        #[test]
        fn every_other_bit_of_the_headers_matters(
            four in packet(Network::Ipv4, 40..1_500), six in packet(Network::Ipv6, 60..1_500),
            place in 0..60_usize, bit in 0..8_u32,
        ) {
            for (network, mut packet) in [(Network::Ipv4, four), (Network::Ipv6, six)] {
                if place >= octets_of(network) || routers_change(network, place) & 1 << bit != 0 {
                    continue;
                }
                let before = fingerprint(&packet);
                packet[place] ^= 1 << bit;
                prop_assert_ne!(fingerprint(&packet), before);
            }
        }

        #[test]
        fn a_cut_behind_the_headers_does_not_matter(
            four in packet(Network::Ipv4, 40..1_500), six in packet(Network::Ipv6, 60..1_500),
        ) {
            prop_assert_eq!(fingerprint(&four[..40]), fingerprint(&four));
            prop_assert_eq!(fingerprint(&six[..FINGERPRINT_OCTETS]), fingerprint(&six));
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
