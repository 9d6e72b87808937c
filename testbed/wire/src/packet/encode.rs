//! From a segment to an Ethernet frame with right checksums.

use std::net::SocketAddrV4;

use windlull_units::checksum::{folded, sum};

use super::lower::{Addresses, Lower};
use super::options::encode_options;
use super::{ETHERNET_LEN, EncodeError, TCP};
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
    lower: Lower,
    ports: [u16; 2],
    next_id: u16,
}

/// A TCP header without options.
const TCP_LEN: usize = 20;

impl Encoder {
    /// For packets of IPv4 from one socket address to another. The Ethernet addresses are locally administered and end with
    /// the IPv4 addresses.
    pub fn new(from: SocketAddrV4, to: SocketAddrV4) -> Self {
        Self::between(&Addresses::V4 { from, to })
    }

    /// For packets between these. The Ethernet addresses are locally administered and end with the last four octets of the
    /// IP addresses.
    pub fn between(addresses: &Addresses) -> Self {
        Self {
            lower: Lower::new(addresses, TCP),
            ports: addresses.ports(),
            next_id: 1,
        }
    }

    /// Octets of a frame before its TCP header.
    pub const fn lower_len(&self) -> usize {
        self.lower.len()
    }

    /// The identification that the next packet of this host gets; counts on.
    pub fn take_id(&mut self) -> u16 {
        let id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1);
        id
    }

    /// Appends the frame that carries this segment, cut after `limit` octets, and returns its uncut length in octets.
    /// The same arguments give the same octets, so that a packet looks alike at both ends. IPv6 has no place for `id`.
    ///
    /// # Errors
    /// If the options take more than 40 octets or the packet more than its length field can say; `out` is then as before.
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
        let ip_len = segment.packet_len(self.lower.network());
        let Some(length_field) = self.lower.length_field(header_len.saturating_add(segment.payload_len)) else {
            return Err(EncodeError::TooLong { len: ip_len });
        };
        self.lower.append(id, segment.ecn, length_field, out);

        // The data offset in 32-bit words stands above the nine flags.
        let offset_and_flags = u16::try_from(header_len / 4).unwrap_or(u16::MAX) << 12 | segment.flags.0 & 0x1FF;
        let [from, to] = self.ports;
        let mut tcp = [0; TCP_LEN];
        tcp[0..2].copy_from_slice(&from.to_be_bytes());
        tcp[2..4].copy_from_slice(&to.to_be_bytes());
        tcp[4..8].copy_from_slice(&segment.seq.0.to_be_bytes());
        tcp[8..12].copy_from_slice(&segment.ack.0.to_be_bytes());
        tcp[12..14].copy_from_slice(&offset_and_flags.to_be_bytes());
        tcp[14..16].copy_from_slice(&segment.window.to_be_bytes());
        let tcp_start = out.len();
        out.extend_from_slice(&tcp);
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
        let mut tcp_sum = self.lower.pseudo_sum(header_len + segment.payload_len)
            + u64::from(from)
            + u64::from(to)
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
