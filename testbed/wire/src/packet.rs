//! Segments as octets on the wire: Ethernet, IPv4 (RFC 791) and IPv6 (RFC 8200), TCP (RFC 9293), UDP (RFC 768).
//!
//! We write Ethernet without tags, and IP without options or extension headers; we read what captures of other people's
//! machines hold.

mod datagram;
mod decode;
mod encode;
mod lower;
mod options;

use std::net::SocketAddr;
use std::ops::Range;

use thiserror::Error;

pub use datagram::{DatagramEncoder, UDP_LEN, datagram_payload_len};
pub use decode::decode;
pub use encode::{Encoder, Payload};
pub use lower::Addresses;
pub use options::{decode_options, encode_options};

use crate::Segment;

/// Octets of an Ethernet header.
pub const ETHERNET_LEN: usize = 14;
const IPV4_LEN: usize = 20;
const IPV6_LEN: usize = 40;
const ETHERTYPE_IPV4: u16 = 0x0800;
const ETHERTYPE_IPV6: u16 = 0x86DD;
/// TCP's protocol number.
const TCP: u8 = 6;

/// What stands before the network layer in a capture's frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkType {
    /// Ethernet II, with or without VLAN tags.
    Ethernet,
    /// Nothing: IPv4 or IPv6 by their version field.
    RawIp,
    /// BSD loopback: four octets of address family.
    Null,
    /// Linux cooked capture (SLL): 16 octets.
    LinuxCooked,
    /// Linux cooked capture version 2 (SLL2): 20 octets.
    LinuxCooked2,
}

impl LinkType {
    /// The link type of this number in capture files (the registry of LINKTYPE_ values), if we read it.
    pub const fn from_number(number: u32) -> Option<Self> {
        match number {
            1 => Some(Self::Ethernet),
            // 12 and 14 are raw IP as some BSDs write it.
            12 | 14 | 101 | 228 | 229 => Some(Self::RawIp),
            0 | 108 => Some(Self::Null),
            113 => Some(Self::LinuxCooked),
            276 => Some(Self::LinuxCooked2),
            _ => None,
        }
    }

    /// Its number in capture files.
    pub const fn number(self) -> u32 {
        match self {
            Self::Ethernet => 1,
            Self::RawIp => 101,
            Self::Null => 0,
            Self::LinuxCooked => 113,
            Self::LinuxCooked2 => 276,
        }
    }
}

/// Whether the checksums of a captured packet are right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// All that there are.
    Right,
    /// At least one is wrong.
    Wrong,
    /// The capture cut the packet, or IPv6 carries it by way of others.
    Unknown,
}

/// A captured TCP packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    pub source: SocketAddr,
    pub destination: SocketAddr,
    /// IPv4's identification; IPv6 has none.
    pub ip_id: Option<u16>,
    pub segment: Segment,
    /// Whether its checksums are right.
    pub checksum: Checksum,
    /// Where in the frame the captured octets of its payload stand.
    pub payload: Range<usize>,
}

impl Packet {
    /// The packet, unless its checksum is known to be wrong.
    ///
    /// # Errors
    /// [`DecodeError::BadChecksum`].
    pub fn verified(self) -> Result<Self, DecodeError> {
        match self.checksum {
            Checksum::Wrong => Err(DecodeError::BadChecksum),
            Checksum::Right | Checksum::Unknown => Ok(self),
        }
    }
}

/// Why a segment has no octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EncodeError {
    /// More options than a header can hold.
    #[error("the options take {len} octets; a TCP header has room for 40")]
    Options {
        /// Octets they would take.
        len: usize,
    },
    /// More payload than a packet can hold.
    #[error("the packet would be {len} octets long; IP's length field counts to 65535")]
    TooLong {
        /// Octets it would take.
        len: u32,
    },
}

/// Why a frame is not a TCP segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// The capture ends within a header.
    #[error("{what}: {needed} octets needed, {captured} captured")]
    Truncated {
        what: &'static str,
        /// Its octets.
        needed: usize,
        /// Those that are there.
        captured: usize,
    },
    /// Neither IPv4 nor IPv6.
    #[error("not an IP packet: EtherType {ethertype:#06x}")]
    NotIp {
        /// What it is instead.
        ethertype: u16,
    },
    /// A version field that is neither 4 nor 6, or not the one the link layer said.
    #[error("not an IP packet: version {version}")]
    IpVersion { version: u8 },
    /// A header that is shorter than its fields or longer than its packet.
    #[error("an IP header of {len} octets does not fit its packet")]
    IpHeaderLength {
        /// Its length as written.
        len: usize,
    },
    #[error("not TCP: protocol {protocol}")]
    NotTcp { protocol: u8 },
    /// A part of a packet.
    #[error("a fragment of an IP packet (offset {offset})")]
    Fragment {
        /// Where in the packet it belongs, octets.
        offset: usize,
    },
    /// A data offset that is too small or leaves the packet.
    #[error("a TCP header of {len} octets does not fit its packet")]
    TcpHeaderLength {
        /// Its length as written.
        len: usize,
    },
    /// A TCP option whose length contradicts its kind or leaves the header.
    #[error("TCP option {kind} cannot be {len} octets long")]
    Option {
        kind: u8,
        /// Its length as written.
        len: u8,
    },
    /// The octets are not those that were sent.
    #[error("wrong checksum")]
    BadChecksum,
}

#[cfg(test)]
mod tests;
