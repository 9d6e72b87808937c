//! From captured octets to a segment.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use windlull_units::Ecn;
use windlull_units::checksum::{folded, sum};

use super::options::decode_options;
use super::{
    Checksum, DecodeError, ETHERNET_LEN, ETHERTYPE_IPV4, ETHERTYPE_IPV6, IPV4_LEN, IPV6_LEN, LinkType, Packet, TCP,
};
use crate::{Flags, Segment, SeqNumber};

/// VLAN tags: 802.1Q, 802.1ad, and the older 0x9100.
const VLAN_TAGS: [u16; 3] = [0x8100, 0x88A8, 0x9100];

/// The TCP segment in a captured frame of which `original_len` octets were on the wire (more than `frame` if the
/// capture cut it). Checksums are checked where the whole packet was captured; a wrong one is told in
/// [`Packet::checksum`], because captures of a sender that leaves checksums to its network card have wrong ones.
///
/// # Errors
/// If the frame is no TCP segment or ends before its TCP header does; see [`DecodeError`].
pub fn decode(link: LinkType, frame: &[u8], original_len: usize) -> Result<Packet, DecodeError> {
    let (ethertype, at) = network_layer(link, frame)?;
    let ip = Ip::read(ethertype, frame, at, original_len.max(frame.len()))?;
    let tcp = frame.get(ip.tcp_at..).unwrap_or(&[]);
    // An Ethernet frame may be padded behind the packet.
    let tcp = &tcp[..tcp.len().min(ip.tcp_len)];
    let header = need("TCP header", tcp, 20)?;
    let header_len = usize::from(header[12] >> 4) * 4;
    if header_len < 20 || header_len > ip.tcp_len {
        return Err(DecodeError::TcpHeaderLength { len: header_len });
    }
    let options = decode_options(&tcp[20..header_len.min(tcp.len())], header_len - 20)?;
    let payload_len = ip.tcp_len - header_len;
    let segment = Segment {
        seq: SeqNumber(u32_at(header, 4)),
        ack: SeqNumber(u32_at(header, 8)),
        flags: Flags(u16_at(header, 12) & 0x1FF),
        ecn: ip.ecn,
        window: u16_at(header, 14),
        options,
        payload_len: u32::try_from(payload_len).unwrap_or(u32::MAX),
    };
    let checksum = if ip.header == Checksum::Wrong {
        Checksum::Wrong
    } else {
        match ip.pseudo_header.filter(|_| tcp.len() >= ip.tcp_len) {
            None => Checksum::Unknown,
            Some(pseudo_header) if folded(pseudo_header + sum(tcp)) == 0xFFFF => Checksum::Right,
            Some(_) => Checksum::Wrong,
        }
    };
    let payload_at = frame.len().min(ip.tcp_at + header_len);
    Ok(Packet {
        source: SocketAddr::new(ip.source, u16_at(header, 0)),
        destination: SocketAddr::new(ip.destination, u16_at(header, 2)),
        ip_id: ip.id,
        segment,
        checksum,
        payload: payload_at..frame.len().min(payload_at + payload_len),
    })
}

/// The EtherType of the network layer and where it begins.
fn network_layer(link: LinkType, frame: &[u8]) -> Result<(u16, usize), DecodeError> {
    let (mut ethertype, mut at) = match link {
        LinkType::Ethernet => (u16_at(need("Ethernet header", frame, ETHERNET_LEN)?, 12), ETHERNET_LEN),
        LinkType::LinuxCooked => (u16_at(need("Linux cooked header", frame, 16)?, 14), 16),
        LinkType::LinuxCooked2 => (u16_at(need("Linux cooked header v2", frame, 20)?, 0), 20),
        LinkType::RawIp => (by_version(frame, 0)?, 0),
        LinkType::Null => {
            need("loopback header", frame, 4)?;
            (by_version(frame, 4)?, 4)
        }
    };
    while VLAN_TAGS.contains(&ethertype) {
        let tag = need("VLAN tag", frame.get(at..).unwrap_or(&[]), 4)?;
        ethertype = u16_at(tag, 2);
        at += 4;
    }
    Ok((ethertype, at))
}

fn by_version(frame: &[u8], at: usize) -> Result<u16, DecodeError> {
    match need("IP header", frame.get(at..).unwrap_or(&[]), 1)?[0] >> 4 {
        4 => Ok(ETHERTYPE_IPV4),
        6 => Ok(ETHERTYPE_IPV6),
        version => Err(DecodeError::IpVersion { version }),
    }
}

/// What the network layer says of the segment in it.
struct Ip {
    source: IpAddr,
    destination: IpAddr,
    id: Option<u16>,
    ecn: Ecn,
    tcp_at: usize,
    tcp_len: usize,
    /// Its sum; `None` if the packet does not tell it.
    pseudo_header: Option<u64>,
    header: Checksum,
}

impl Ip {
    fn read(ethertype: u16, frame: &[u8], at: usize, original_len: usize) -> Result<Self, DecodeError> {
        let packet = frame.get(at..).unwrap_or(&[]);
        let on_wire = original_len.saturating_sub(at);
        match ethertype {
            ETHERTYPE_IPV4 => Self::v4(packet, at, on_wire),
            ETHERTYPE_IPV6 => Self::v6(packet, at, on_wire),
            _ => Err(DecodeError::NotIp { ethertype }),
        }
    }

    fn v4(packet: &[u8], at: usize, on_wire: usize) -> Result<Self, DecodeError> {
        let header = need("IPv4 header", packet, IPV4_LEN)?;
        if header[0] >> 4 != 4 {
            return Err(DecodeError::IpVersion {
                version: header[0] >> 4,
            });
        }
        let header_len = usize::from(header[0] & 0xF) * 4;
        // Zero: a packet longer than 65535 octets, as segmentation offload hands to the capture.
        let total_len = match usize::from(u16_at(header, 2)) {
            0 => on_wire,
            len => len,
        };
        if header_len < IPV4_LEN || header_len > total_len {
            return Err(DecodeError::IpHeaderLength { len: header_len });
        }
        if header[9] != TCP {
            return Err(DecodeError::NotTcp { protocol: header[9] });
        }
        let fragment = u16_at(header, 6);
        // More fragments, or not the first one.
        if fragment & 0x3FFF != 0 {
            return Err(DecodeError::Fragment {
                offset: usize::from(fragment & 0x1FFF) * 8,
            });
        }
        let whole_header = need("IPv4 header", packet, header_len)?;
        let tcp_len = total_len - header_len;
        let pseudo_header = sum(&header[12..20]) + u64::from(TCP) + tcp_len as u64;
        let is_right = folded(sum(whole_header)) == 0xFFFF;
        Ok(Self {
            source: IpAddr::V4(Ipv4Addr::new(header[12], header[13], header[14], header[15])),
            destination: IpAddr::V4(Ipv4Addr::new(header[16], header[17], header[18], header[19])),
            id: Some(u16_at(header, 4)),
            ecn: Ecn::of_octet(header[1]),
            tcp_at: at + header_len,
            tcp_len,
            pseudo_header: Some(pseudo_header),
            header: if is_right { Checksum::Right } else { Checksum::Wrong },
        })
    }

    fn v6(packet: &[u8], at: usize, on_wire: usize) -> Result<Self, DecodeError> {
        let header = need("IPv6 header", packet, IPV6_LEN)?;
        if header[0] >> 4 != 6 {
            return Err(DecodeError::IpVersion {
                version: header[0] >> 4,
            });
        }
        let payload_len = match usize::from(u16_at(header, 4)) {
            0 => on_wire.saturating_sub(IPV6_LEN),
            len => len,
        };
        let mut next = header[6];
        let mut offset = IPV6_LEN;
        let mut goes_further = false;
        while let Some(extension) = Extension::of(next) {
            let octets = need("IPv6 extension header", packet.get(offset..).unwrap_or(&[]), 8)?;
            next = octets[0];
            let units = usize::from(octets[1]);
            offset += match extension {
                Extension::Options => 8 * (units + 1),
                Extension::Routing => {
                    goes_further |= octets[3] > 0;
                    8 * (units + 1)
                }
                Extension::Authentication => 4 * (units + 2),
                Extension::Fragment => {
                    let place = u16_at(octets, 2);
                    // The first and only one of its packet is an atomic fragment (RFC 6946): it is whole.
                    if place & 0xFFF9 != 0 {
                        return Err(DecodeError::Fragment {
                            offset: usize::from(place & 0xFFF8),
                        });
                    }
                    8
                }
            };
        }
        if next != TCP {
            return Err(DecodeError::NotTcp { protocol: next });
        }
        let Some(tcp_len) = (IPV6_LEN + payload_len).checked_sub(offset) else {
            return Err(DecodeError::IpHeaderLength { len: offset });
        };
        let pseudo_header = sum(&header[8..40]) + u64::from(TCP) + tcp_len as u64;
        Ok(Self {
            source: IpAddr::V6(v6_address(&header[8..24])),
            destination: IpAddr::V6(v6_address(&header[24..40])),
            id: None,
            // RFC 8200, section 3: the traffic class lies across the first two octets, its low half in the second.
            ecn: Ecn::of_octet(header[1] >> 4),
            tcp_at: at + offset,
            tcp_len,
            // The checksum was made with the address of the last destination, which stands in the routing header
            // (RFC 8200, section 8.1).
            pseudo_header: (!goes_further).then_some(pseudo_header),
            header: Checksum::Unknown,
        })
    }
}

/// Headers that may stand between those of IPv6 and TCP (RFC 7045, section 2), by how their length is told. What an
/// encapsulating security payload (50) holds nobody else can read.
#[derive(Clone, Copy, Debug)]
enum Extension {
    /// Hop-by-hop and destination options, mobility, host identity, shim6: octets in eights, without the first eight.
    Options,
    /// As options; segments that are left tell that the address in the IPv6 header is not the last.
    Routing,
    /// Octets in fours, without the first eight (RFC 4302, section 2.2).
    Authentication,
    /// Eight octets (RFC 8200, section 4.5).
    Fragment,
}

impl Extension {
    const fn of(next_header: u8) -> Option<Self> {
        match next_header {
            0 | 60 | 135 | 139 | 140 => Some(Self::Options),
            43 => Some(Self::Routing),
            44 => Some(Self::Fragment),
            51 => Some(Self::Authentication),
            _ => None,
        }
    }
}

fn v6_address(octets: &[u8]) -> Ipv6Addr {
    let mut address = [0; 16];
    address.copy_from_slice(octets);
    Ipv6Addr::from(address)
}

/// The first `len` octets, or what is missing.
fn need<'a>(what: &'static str, octets: &'a [u8], len: usize) -> Result<&'a [u8], DecodeError> {
    octets.get(..len).ok_or(DecodeError::Truncated {
        what,
        needed: len,
        captured: octets.len(),
    })
}

/// The big-endian number at this place of a header whose length was checked.
fn u16_at(header: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([header[at], header[at + 1]])
}

fn u32_at(header: &[u8], at: usize) -> u32 {
    u32::from(u16_at(header, at)) << 16 | u32::from(u16_at(header, at + 2))
}
