//! What stands before TCP and UDP in the frames that a host sends: Ethernet, and IPv4 or IPv6.

use std::net::{SocketAddrV4, SocketAddrV6};

use windlull_units::checksum::{folded, sum};
use windlull_units::{Ecn, Network};

use super::{ETHERNET_LEN, ETHERTYPE_IPV4, ETHERTYPE_IPV6, IPV4_LEN, IPV6_LEN};

/// From where to where packets go; both are of one version of IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    V4 { from: SocketAddrV4, to: SocketAddrV4 },
    V6 { from: SocketAddrV6, to: SocketAddrV6 },
}

impl Addresses {
    /// The ports, source first.
    pub(super) const fn ports(&self) -> [u16; 2] {
        match self {
            Self::V4 { from, to } => [from.port(), to.port()],
            Self::V6 { from, to } => [from.port(), to.port()],
        }
    }
}

/// IPv4, and five words of header.
pub(super) const VERSION_AND_LEN: u8 = 0x45;
/// Version 6; traffic class and flow label are zero (RFC 8200, section 3; RFC 6437, section 2: no flow label is set).
const VERSION_6: u8 = 0x60;
/// Don't fragment (RFC 791, section 3.1).
const DONT_FRAGMENT: u16 = 0x4000;
/// Time to live, and hop limit.
const TTL: u8 = 64;
/// Octets of the longest of them.
const MOST: usize = ETHERNET_LEN + IPV6_LEN;

/// The headers below the transport of all packets of one host to one other.
#[derive(Clone, Debug)]
pub(super) struct Lower {
    /// What is the same in all of them; zero where something else follows.
    octets: [u8; MOST],
    network: Network,
    /// The sum of the constant parts of the IPv4 header.
    header_sum: u64,
    /// The sum of the constant parts of the pseudo-header.
    pseudo_sum: u64,
}

impl Lower {
    /// For packets of this protocol. The Ethernet addresses are locally administered and end with the last four octets of
    /// the IP addresses.
    pub(super) fn new(addresses: &Addresses, protocol: u8) -> Self {
        match addresses {
            Addresses::V4 { from, to } => {
                let (from, to) = (from.ip().octets(), to.ip().octets());
                let mut octets = ethernet(&from, &to, ETHERTYPE_IPV4);
                let ip = &mut octets[ETHERNET_LEN..ETHERNET_LEN + IPV4_LEN];
                ip[0] = VERSION_AND_LEN;
                ip[6..8].copy_from_slice(&DONT_FRAGMENT.to_be_bytes());
                (ip[8], ip[9]) = (TTL, protocol);
                ip[12..16].copy_from_slice(&from);
                ip[16..20].copy_from_slice(&to);
                Self {
                    network: Network::Ipv4,
                    header_sum: sum(ip),
                    pseudo_sum: sum(&from) + sum(&to) + u64::from(protocol),
                    octets,
                }
            }
            Addresses::V6 { from, to } => {
                let (from, to) = (from.ip().octets(), to.ip().octets());
                let mut octets = ethernet(&from[12..], &to[12..], ETHERTYPE_IPV6);
                let ip = &mut octets[ETHERNET_LEN..];
                (ip[0], ip[6], ip[7]) = (VERSION_6, protocol, TTL);
                ip[8..24].copy_from_slice(&from);
                ip[24..40].copy_from_slice(&to);
                Self {
                    network: Network::Ipv6,
                    header_sum: 0,
                    pseudo_sum: sum(&from) + sum(&to) + u64::from(protocol),
                    octets,
                }
            }
        }
    }

    pub(super) const fn network(&self) -> Network {
        self.network
    }

    /// Octets of these headers.
    pub(super) const fn len(&self) -> usize {
        ETHERNET_LEN + self.network.header_len() as usize
    }

    /// The sum of the pseudo-header of a packet with so many octets above IP (RFC 9293, section 3.1; RFC 8200, section 8.1).
    pub(super) fn pseudo_sum(&self, transport_len: u32) -> u64 {
        self.pseudo_sum + u64::from(transport_len)
    }

    /// What the header's length field says of a packet with so many octets above IP; `None` if it has no room for that.
    pub(super) fn length_field(&self, transport_len: u32) -> Option<u16> {
        let counted = match self.network {
            Network::Ipv4 => transport_len.checked_add(self.network.header_len())?,
            Network::Ipv6 => transport_len,
        };
        u16::try_from(counted).ok()
    }

    /// Appends the headers of a packet. IPv6 has no identification.
    pub(super) fn append(&self, id: u16, ecn: Ecn, length_field: u16, out: &mut Vec<u8>) {
        let mut octets = self.octets;
        let ip = &mut octets[ETHERNET_LEN..];
        match self.network {
            Network::Ipv4 => {
                let ip_sum = self.header_sum + u64::from(ecn.bits()) + u64::from(length_field) + u64::from(id);
                ip[1] = ecn.bits();
                ip[2..4].copy_from_slice(&length_field.to_be_bytes());
                ip[4..6].copy_from_slice(&id.to_be_bytes());
                ip[10..12].copy_from_slice(&(!folded(ip_sum)).to_be_bytes());
            }
            Network::Ipv6 => {
                // The traffic class lies across the first two octets; its two low bits are the codepoint.
                ip[1] = ecn.bits() << 4;
                ip[4..6].copy_from_slice(&length_field.to_be_bytes());
            }
        }
        out.extend_from_slice(&octets[..self.len()]);
    }
}

/// The Ethernet header, and room for the IP header.
fn ethernet(from: &[u8], to: &[u8], ethertype: u16) -> [u8; MOST] {
    let mut octets = [0; MOST];
    (octets[0], octets[6]) = (0x02, 0x02);
    octets[2..6].copy_from_slice(to);
    octets[8..12].copy_from_slice(from);
    octets[12..14].copy_from_slice(&ethertype.to_be_bytes());
    octets
}
