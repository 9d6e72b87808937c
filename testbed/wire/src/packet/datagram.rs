//! From a UDP payload to an Ethernet frame with right checksums (RFC 768).

use std::net::SocketAddrV4;

use windlull_units::Ecn;
use windlull_units::checksum::{folded, sum};

use super::encode::{DONT_FRAGMENT, TTL, VERSION_AND_LEN};
use super::{ETHERNET_LEN, ETHERTYPE_IPV4, IPV4_LEN};

/// UDP's protocol number.
const UDP: u8 = 17;
/// A UDP header.
const UDP_LEN: usize = 8;

/// Octets of the headers of IPv4 and UDP.
pub const UDP_OVER_IPV4_LEN: usize = IPV4_LEN + UDP_LEN;

/// Makes the frames of one host's UDP datagrams to one other. It counts them in IPv4's identification field.
#[derive(Clone, Debug)]
pub struct DatagramEncoder {
    from: SocketAddrV4,
    to: SocketAddrV4,
    next_id: u16,
}

impl DatagramEncoder {
    /// For datagrams from one socket address to another. The Ethernet addresses are locally administered and end with the
    /// IPv4 addresses.
    pub const fn new(from: SocketAddrV4, to: SocketAddrV4) -> Self {
        Self { from, to, next_id: 1 }
    }

    /// The identification that the next packet of this host gets; counts on.
    pub fn take_id(&mut self) -> u16 {
        let id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1);
        id
    }

    /// Appends the frame that carries this payload. The same arguments give the same octets.
    ///
    /// # Panics
    /// If the packet would have more than 65,535 octets.
    pub fn encode(&self, id: u16, ecn: Ecn, payload: &[u8], out: &mut Vec<u8>) {
        let (from, to) = (self.from.ip().octets(), self.to.ip().octets());
        let length = |octets: usize| {
            u16::try_from(octets)
                .expect("a datagram fits into an IPv4 packet")
                .to_be_bytes()
        };
        let udp_len = length(UDP_LEN + payload.len());

        let mut ethernet = [0; ETHERNET_LEN];
        (ethernet[0], ethernet[6]) = (0x02, 0x02);
        ethernet[2..6].copy_from_slice(&to);
        ethernet[8..12].copy_from_slice(&from);
        ethernet[12..].copy_from_slice(&ETHERTYPE_IPV4.to_be_bytes());

        let mut ip = [0; IPV4_LEN];
        (ip[0], ip[1]) = (VERSION_AND_LEN, ecn.bits());
        ip[2..4].copy_from_slice(&length(UDP_OVER_IPV4_LEN + payload.len()));
        ip[4..6].copy_from_slice(&id.to_be_bytes());
        ip[6..8].copy_from_slice(&DONT_FRAGMENT.to_be_bytes());
        (ip[8], ip[9]) = (TTL, UDP);
        ip[12..16].copy_from_slice(&from);
        ip[16..].copy_from_slice(&to);
        let ip_checksum = !folded(sum(&ip));
        ip[10..12].copy_from_slice(&ip_checksum.to_be_bytes());

        let mut udp = [0; UDP_LEN];
        udp[0..2].copy_from_slice(&self.from.port().to_be_bytes());
        udp[2..4].copy_from_slice(&self.to.port().to_be_bytes());
        udp[4..6].copy_from_slice(&udp_len);
        // The pseudo-header: addresses, protocol, and the length once more.
        let pseudo = sum(&ip[12..]) + u64::from(UDP) + sum(&udp_len);
        let checksum = !folded(pseudo + sum(&udp) + sum(payload));
        // Zero would say that there is no checksum.
        let checksum = if checksum == 0 { u16::MAX } else { checksum };
        udp[6..8].copy_from_slice(&checksum.to_be_bytes());

        out.extend_from_slice(&ethernet);
        out.extend_from_slice(&ip);
        out.extend_from_slice(&udp);
        out.extend_from_slice(payload);
    }
}

/// Octets of the payload in an Ethernet frame, if it carries a datagram from one socket address to another; their values do not
/// matter, and may have been cut off.
pub fn datagram_payload_len(from: SocketAddrV4, to: SocketAddrV4, frame: &[u8]) -> Option<usize> {
    let (ethernet, packet) = frame.split_at_checked(ETHERNET_LEN)?;
    let (ip, datagram) = packet.split_at_checked(IPV4_LEN)?;
    let (udp, _) = datagram.split_at_checked(UDP_LEN)?;
    let is_udp = ethernet[12..] == ETHERTYPE_IPV4.to_be_bytes() && ip[0] == VERSION_AND_LEN && ip[9] == UDP;
    let hosts = ip[12..16] == from.ip().octets() && ip[16..] == to.ip().octets();
    let ports = udp[..2] == from.port().to_be_bytes() && udp[2..4] == to.port().to_be_bytes();
    let length = usize::from(u16::from_be_bytes([udp[4], udp[5]]));
    length.checked_sub(UDP_LEN).filter(|_| is_udp && hosts && ports)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn all_sums_come_to_nothing() {
        let from = SocketAddrV4::new(Ipv4Addr::new(198, 18, 0, 1), 49_152);
        let to = SocketAddrV4::new(Ipv4Addr::new(198, 18, 0, 2), 443);
        let encoder = DatagramEncoder::new(from, to);
        for payload in [&b"windlull"[..], b"odd", b""] {
            let mut frame = Vec::new();
            encoder.encode(0x1234, Ecn::Ect0, payload, &mut frame);
            let (ip, udp) = frame[ETHERNET_LEN..].split_at(IPV4_LEN);
            assert_eq!(folded(sum(ip)), 0xFFFF);
            assert_eq!(ip[1] & 0b11, Ecn::Ect0.bits());
            let pseudo = sum(&ip[12..]) + u64::from(UDP) + udp.len() as u64;
            assert_eq!(folded(pseudo + sum(udp)), 0xFFFF);
            assert_eq!(&udp[UDP_LEN..], payload);
            assert_eq!(datagram_payload_len(from, to, &frame), Some(payload.len()));
            assert_eq!(datagram_payload_len(from, to, &frame[..42]), Some(payload.len()));
            assert_eq!(datagram_payload_len(to, from, &frame), None);
            assert_eq!(datagram_payload_len(from, to, &frame[..41]), None);
        }
    }
}
