//! From a UDP payload to an Ethernet frame with right checksums (RFC 768).

use std::net::SocketAddrV4;

use windlull_units::Ecn;
use windlull_units::checksum::{folded, sum};

use super::lower::{Addresses, Lower, VERSION_AND_LEN};
use super::{ETHERNET_LEN, ETHERTYPE_IPV4, ETHERTYPE_IPV6, IPV4_LEN, IPV6_LEN};

/// UDP's protocol number.
const UDP: u8 = 17;
/// Octets of a UDP header.
pub const UDP_LEN: usize = 8;

/// Makes the frames of one host's UDP datagrams to one other. It counts them in IPv4's identification field.
#[derive(Clone, Debug)]
pub struct DatagramEncoder {
    lower: Lower,
    ports: [u16; 2],
    next_id: u16,
}

impl DatagramEncoder {
    /// For datagrams over IPv4 from one socket address to another. The Ethernet addresses are locally administered and end
    /// with the IPv4 addresses.
    pub fn new(from: SocketAddrV4, to: SocketAddrV4) -> Self {
        Self::between(&Addresses::V4 { from, to })
    }

    /// For datagrams between these. The Ethernet addresses are locally administered and end with the last four octets of the
    /// IP addresses.
    pub fn between(addresses: &Addresses) -> Self {
        Self {
            lower: Lower::new(addresses, UDP),
            ports: addresses.ports(),
            next_id: 1,
        }
    }

    /// The identification that the next packet of this host gets; counts on.
    pub fn take_id(&mut self) -> u16 {
        let id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1);
        id
    }

    /// Appends the frame that carries this payload. The same arguments give the same octets. IPv6 has no place for `id`.
    ///
    /// # Panics
    /// If the packet would have more octets than its length field can say.
    pub fn encode(&self, id: u16, ecn: Ecn, payload: &[u8], out: &mut Vec<u8>) {
        let len = u32::try_from(UDP_LEN + payload.len()).unwrap_or(u32::MAX);
        let length_field = self.lower.length_field(len).expect("a datagram fits into an IP packet");
        let udp_len = u16::try_from(len).unwrap_or(u16::MAX).to_be_bytes();
        let [from, to] = self.ports;
        let mut udp = [0; UDP_LEN];
        udp[0..2].copy_from_slice(&from.to_be_bytes());
        udp[2..4].copy_from_slice(&to.to_be_bytes());
        udp[4..6].copy_from_slice(&udp_len);
        let checksum = !folded(self.lower.pseudo_sum(len) + sum(&udp) + sum(payload));
        // Zero would say that there is no checksum, which IPv6 does not allow (RFC 8200, section 8.1).
        let checksum = if checksum == 0 { u16::MAX } else { checksum };
        udp[6..8].copy_from_slice(&checksum.to_be_bytes());

        self.lower.append(id, ecn, length_field, out);
        out.extend_from_slice(&udp);
        out.extend_from_slice(payload);
    }
}

/// Octets of the payload in an Ethernet frame, if it carries a datagram from one of these socket addresses to the other, without
/// options or extension headers; their values do not matter, and may have been cut off.
pub fn datagram_payload_len(addresses: &Addresses, frame: &[u8]) -> Option<usize> {
    let (ethertype, ip_len) = match addresses {
        Addresses::V4 { .. } => (ETHERTYPE_IPV4, IPV4_LEN),
        Addresses::V6 { .. } => (ETHERTYPE_IPV6, IPV6_LEN),
    };
    let (ethernet, packet) = frame.split_at_checked(ETHERNET_LEN)?;
    let (ip, datagram) = packet.split_at_checked(ip_len)?;
    let (udp, _) = datagram.split_at_checked(UDP_LEN)?;
    let is_udp_between_hosts = match addresses {
        Addresses::V4 { from, to } => {
            ip[0] == VERSION_AND_LEN && ip[9] == UDP && ip[12..16] == from.ip().octets() && ip[16..] == to.ip().octets()
        }
        // Of the first octet four bits are the version; traffic class and flow label may be any (RFC 8200, section 3).
        Addresses::V6 { from, to } => {
            ip[0] >> 4 == 6 && ip[6] == UDP && ip[8..24] == from.ip().octets() && ip[24..] == to.ip().octets()
        }
    };
    let [from, to] = addresses.ports();
    let ports = udp[..2] == from.to_be_bytes() && udp[2..4] == to.to_be_bytes();
    let length = usize::from(u16::from_be_bytes([udp[4], udp[5]]));
    (length.checked_sub(UDP_LEN)).filter(|_| ethernet[12..] == ethertype.to_be_bytes() && is_udp_between_hosts && ports)
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr, SocketAddrV6};

    use super::*;

    #[test]
    fn all_sums_come_to_nothing() {
        let from = SocketAddrV4::new(Ipv4Addr::new(198, 18, 0, 1), 49_152);
        let to = SocketAddrV4::new(Ipv4Addr::new(198, 18, 0, 2), 443);
        let encoder = DatagramEncoder::new(from, to);
        let (there, back) = (Addresses::V4 { from, to }, Addresses::V4 { from: to, to: from });
        for payload in [&b"windlull"[..], b"odd", b""] {
            let mut frame = Vec::new();
            encoder.encode(0x1234, Ecn::Ect0, payload, &mut frame);
            let (ip, udp) = frame[ETHERNET_LEN..].split_at(IPV4_LEN);
            assert_eq!(folded(sum(ip)), 0xFFFF);
            assert_eq!(ip[1] & 0b11, Ecn::Ect0.bits());
            let pseudo = sum(&ip[12..]) + u64::from(UDP) + udp.len() as u64;
            assert_eq!(folded(pseudo + sum(udp)), 0xFFFF);
            assert_eq!(&udp[UDP_LEN..], payload);
            assert_eq!(datagram_payload_len(&there, &frame), Some(payload.len()));
            assert_eq!(datagram_payload_len(&there, &frame[..42]), Some(payload.len()));
            assert_eq!(datagram_payload_len(&back, &frame), None);
            assert_eq!(datagram_payload_len(&there, &frame[..41]), None);
        }
    }

    /// RFC 8200, section 8.1: the pseudo-header has both addresses, the length in 32 bits, and the protocol.
    #[test]
    fn over_ipv6_all_sums_come_to_nothing() {
        let at = |last, port| SocketAddrV6::new(Ipv6Addr::new(0x2001, 2, 0, 0, 0, 0, 0, last), port, 0, 0);
        let (from, to) = (at(1, 49_152), at(2, 443));
        let (there, back) = (Addresses::V6 { from, to }, Addresses::V6 { from: to, to: from });
        let encoder = DatagramEncoder::between(&there);
        for payload in [&b"windlull"[..], b"odd", b""] {
            let mut frame = Vec::new();
            encoder.encode(0x1234, Ecn::Ce, payload, &mut frame);
            let (ip, udp) = frame[ETHERNET_LEN..].split_at(40);
            assert_eq!(frame[12..14], [0x86, 0xDD]);
            assert_eq!(ip[..4], [0x60, Ecn::Ce.bits() << 4, 0, 0], "flow label zero");
            assert_eq!(usize::from(u16::from_be_bytes([ip[4], ip[5]])), udp.len());
            assert_eq!(ip[6..8], [UDP, 64]);
            let pseudo = sum(&ip[8..]) + u64::from(UDP) + udp.len() as u64;
            assert_eq!(folded(pseudo + sum(udp)), 0xFFFF);
            assert_eq!(&udp[UDP_LEN..], payload);
            assert_eq!(datagram_payload_len(&there, &frame), Some(payload.len()));
            assert_eq!(datagram_payload_len(&there, &frame[..62]), Some(payload.len()));
            assert_eq!(datagram_payload_len(&back, &frame), None);
            assert_eq!(datagram_payload_len(&there, &frame[..61]), None);
            // A kernel's flow label, and another protocol.
            (frame[15], frame[17]) = (frame[15] | 0x0A, 0xBC);
            assert_eq!(datagram_payload_len(&there, &frame), Some(payload.len()));
            frame[20] = 6;
            assert_eq!(datagram_payload_len(&there, &frame), None);
        }
    }
}
