//! From a segment to an Ethernet frame with right checksums.

use std::net::SocketAddrV4;

use windlull_units::checksum::{folded, sum};

use super::options::encode_options;
use super::{ETHERNET_LEN, ETHERTYPE_IPV4, EncodeError, IPV4_LEN, TCP};
use crate::Segment;
use crate::content::Content;

/// The octets of a segment's payload.
#[derive(Clone, Copy, Debug)]
pub enum Payload<'a> {
    /// A simulated transfer's content from this stream offset (its low 16 bits are enough).
    Stream(u64),
    /// These, as many as the segment's `payload_len`.
    Octets(&'a [u8]),
}

/// Makes the frames of one host of a connection. It counts the host's packets in IPv4's identification field, so
/// that each can be told from its retransmissions.
#[derive(Clone, Debug)]
pub struct Encoder {
    /// What is the same in the headers of all of them; zero where something else follows.
    headers: [u8; HEADERS_LEN],
    /// The sum of the constant parts of the IPv4 header.
    ip: u64,
    /// The sum of the constant parts of the pseudo-header and of the ports.
    tcp: u64,
    next_id: u16,
}

/// A TCP header without options.
const TCP_LEN: usize = 20;
/// All headers without options.
const HEADERS_LEN: usize = ETHERNET_LEN + IPV4_LEN + TCP_LEN;
/// IPv4, and five words of header.
pub(super) const VERSION_AND_LEN: u8 = 0x45;
/// Don't fragment (RFC 791, section 3.1).
pub(super) const DONT_FRAGMENT: u16 = 0x4000;
pub(super) const TTL: u8 = 64;

impl Encoder {
    /// For packets from one socket address to another. The Ethernet addresses are locally administered and end with
    /// the IPv4 addresses.
    pub fn new(from: SocketAddrV4, to: SocketAddrV4) -> Self {
        let mut headers = [0; HEADERS_LEN];
        let (ethernet, rest) = headers.split_at_mut(ETHERNET_LEN);
        let (ip, tcp) = rest.split_at_mut(IPV4_LEN);
        (ethernet[0], ethernet[6]) = (0x02, 0x02);
        ethernet[2..6].copy_from_slice(&to.ip().octets());
        ethernet[8..12].copy_from_slice(&from.ip().octets());
        ethernet[12..].copy_from_slice(&ETHERTYPE_IPV4.to_be_bytes());
        ip[0] = VERSION_AND_LEN;
        ip[6..8].copy_from_slice(&DONT_FRAGMENT.to_be_bytes());
        (ip[8], ip[9]) = (TTL, TCP);
        ip[12..16].copy_from_slice(&from.ip().octets());
        ip[16..20].copy_from_slice(&to.ip().octets());
        tcp[0..2].copy_from_slice(&from.port().to_be_bytes());
        tcp[2..4].copy_from_slice(&to.port().to_be_bytes());
        let addresses = sum(&from.ip().octets()) + sum(&to.ip().octets());
        Self {
            ip: sum(&ip[..IPV4_LEN]),
            tcp: addresses + u64::from(TCP) + u64::from(from.port()) + u64::from(to.port()),
            headers,
            next_id: 1,
        }
    }

    /// The identification that the next packet of this host gets; counts on.
    pub fn take_id(&mut self) -> u16 {
        let id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1);
        id
    }

    /// Appends the frame that carries this segment, cut after `limit` octets, and returns its uncut length in octets.
    /// The same arguments give the same octets, so that a packet looks alike at both ends.
    ///
    /// # Errors
    /// If the options take more than 40 octets or the packet more than 65535; `out` is then as before.
    pub fn encode(
        &self,
        id: u16,
        segment: &Segment,
        payload: Payload<'_>,
        limit: usize,
        out: &mut Vec<u8>,
    ) -> Result<u32, EncodeError> {
        let start = out.len();
        let header_len = segment.header_len();
        let ip_len = segment.ipv4_len();
        let Ok(total_len) = u16::try_from(ip_len) else {
            return Err(EncodeError::TooLong { len: ip_len });
        };
        let mut headers = self.headers;
        let ecn = segment.ecn.bits();
        let ip_sum = self.ip + u64::from(ecn) + u64::from(total_len) + u64::from(id);
        let ip = &mut headers[ETHERNET_LEN..ETHERNET_LEN + IPV4_LEN];
        ip[1] = ecn;
        ip[2..4].copy_from_slice(&total_len.to_be_bytes());
        ip[4..6].copy_from_slice(&id.to_be_bytes());
        ip[10..12].copy_from_slice(&(!folded(ip_sum)).to_be_bytes());

        // The data offset in 32-bit words stands above the nine flags.
        let offset_and_flags = u16::try_from(header_len / 4).unwrap_or(u16::MAX) << 12 | segment.flags.0 & 0x1FF;
        let tcp = &mut headers[ETHERNET_LEN + IPV4_LEN..];
        tcp[4..8].copy_from_slice(&segment.seq.0.to_be_bytes());
        tcp[8..12].copy_from_slice(&segment.ack.0.to_be_bytes());
        tcp[12..14].copy_from_slice(&offset_and_flags.to_be_bytes());
        tcp[14..16].copy_from_slice(&segment.window.to_be_bytes());
        out.extend_from_slice(&headers);
        let tcp_start = start + ETHERNET_LEN + IPV4_LEN;
        if header_len as usize > TCP_LEN {
            if let Err(error) = encode_options(&segment.options, out) {
                out.truncate(start);
                return Err(error);
            }
        }
        debug_assert_eq!(
            out.len() - tcp_start,
            header_len as usize,
            "the layout header_len counts"
        );

        let len = segment.payload_len as usize;
        // The ports are in `self.tcp` already.
        let mut tcp_sum = self.tcp
            + u64::from(header_len)
            + u64::from(segment.payload_len)
            + u64::from(segment.seq.0)
            + u64::from(segment.ack.0)
            + (u64::from(offset_and_flags) << 16 | u64::from(segment.window))
            + sum(&out[tcp_start + TCP_LEN..]);
        let room = limit.saturating_sub(out.len() - start).min(len);
        tcp_sum += match payload {
            Payload::Stream(offset) => {
                let content = Content::shared();
                content.copy_to(offset, room, out);
                content.sum(offset, len)
            }
            Payload::Octets(octets) => {
                assert_eq!(
                    octets.len(),
                    len,
                    "the payload's octets are as many as the segment says"
                );
                out.extend_from_slice(&octets[..room]);
                sum(octets)
            }
        };
        out[tcp_start + 16..tcp_start + 18].copy_from_slice(&(!folded(tcp_sum)).to_be_bytes());
        out.truncate(start + limit);
        Ok(ip_len + u32::try_from(ETHERNET_LEN).unwrap_or(0))
    }
}
