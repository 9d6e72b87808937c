//! A TCP segment as two ends exchange it (RFC 9293, section 3.1; RFC 7323; RFC 2018; RFC 2883).

use serde::{Deserialize, Serialize};
use windlull_units::{Ecn, Network};

use crate::SeqNumber;

/// The control bits of the header; the low nine bits of octets 12 and 13, NS (RFC 3540) at the top.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Flags(pub u16);

impl Flags {
    /// No more data from the sender.
    pub const FIN: Self = Self(0x001);
    /// Synchronise sequence numbers.
    pub const SYN: Self = Self(0x002);
    /// Reset the connection.
    pub const RST: Self = Self(0x004);
    /// Push.
    pub const PSH: Self = Self(0x008);
    /// The acknowledgement field is significant.
    pub const ACK: Self = Self(0x010);
    /// Urgent; never set by us.
    pub const URG: Self = Self(0x020);
    /// ECN echo (RFC 3168).
    pub const ECE: Self = Self(0x040);
    /// Congestion window reduced (RFC 3168).
    pub const CWR: Self = Self(0x080);
    /// Nonce sum (RFC 3540).
    pub const NS: Self = Self(0x100);
    /// Accurate ECN (RFC 9768, section 3.1): the bit that was the nonce sum.
    pub const AE: Self = Self::NS;

    /// Both sets of bits.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all of `other`'s bits are set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The timestamps option (RFC 7323, section 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timestamps {
    /// TSval: the sender's timestamp clock.
    pub value: u32,
    /// TSecr: what it echoes.
    pub echo: u32,
}

/// A block of the SACK option: `[left, right)` (RFC 2018, section 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SackBlock {
    /// First octet of the block.
    pub left: SeqNumber,
    /// The octet after its last.
    pub right: SeqNumber,
}

/// The most blocks that fit beside no other option (RFC 2018, section 3).
pub const MAX_SACK_BLOCKS: usize = 4;

/// The blocks of a SACK option, newest first; a D-SACK block stands first (RFC 2883, section 4).
#[derive(Clone, Copy, Debug, Default)]
pub struct SackBlocks {
    len: u8,
    blocks: [SackBlock; MAX_SACK_BLOCKS],
}

impl SackBlocks {
    /// No blocks: the option is absent.
    pub const NONE: Self = Self {
        len: 0,
        blocks: [SackBlock {
            left: SeqNumber(0),
            right: SeqNumber(0),
        }; MAX_SACK_BLOCKS],
    };

    /// Appends a block; returns false when there is no room.
    pub fn push(&mut self, block: SackBlock) -> bool {
        match self.blocks.get_mut(usize::from(self.len)) {
            Some(place) => {
                *place = block;
                self.len += 1;
                true
            }
            None => false,
        }
    }

    /// The blocks in the option's order.
    pub fn as_slice(&self) -> &[SackBlock] {
        &self.blocks[..usize::from(self.len)]
    }

    /// Whether the option is absent.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl PartialEq for SackBlocks {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for SackBlocks {}

/// The options this product speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Maximum segment size, on SYN alone.
    pub mss: Option<u16>,
    /// Window scale shift, on SYN alone (RFC 7323, section 2).
    pub window_scale: Option<u8>,
    /// SACK permitted, on SYN alone (RFC 2018, section 2).
    pub sack_permitted: bool,
    /// SACK and D-SACK blocks.
    pub sack: SackBlocks,
    pub timestamps: Option<Timestamps>,
}

/// A segment without its payload's bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Sequence number of the first octet (or of SYN).
    pub seq: SeqNumber,
    /// Next octet expected from the peer, if `flags` has ACK.
    pub ack: SeqNumber,
    /// Control bits.
    pub flags: Flags,
    /// The codepoint in the header of the IP packet that carries it.
    pub ecn: Ecn,
    /// The window field as on the wire, not scaled.
    pub window: u16,
    pub options: Options,
    /// Octets of payload.
    pub payload_len: u32,
}

impl Segment {
    /// Octets of sequence space it takes: payload, SYN and FIN.
    pub const fn sequence_len(&self) -> u32 {
        self.payload_len + self.flags.has(Flags::SYN) as u32 + self.flags.has(Flags::FIN) as u32
    }

    /// The sequence number after its last octet.
    pub const fn end(&self) -> SeqNumber {
        self.seq.add(self.sequence_len())
    }

    /// Octets of TCP header: 20 and the options, padded to four with NOPs placed as Linux does
    /// (timestamps `NOP NOP TS` = 12; SACK `NOP NOP SACK` = 4 + 8 a block; window scale `NOP WS` = 4; MSS 4;
    /// SACK-permitted takes timestamps' two NOPs, or two of its own).
    pub const fn header_len(&self) -> u32 {
        let options = &self.options;
        let mut len = 20;
        if options.mss.is_some() {
            len += 4;
        }
        if options.window_scale.is_some() {
            len += 4;
        }
        if options.timestamps.is_some() {
            len += 12;
        } else if options.sack_permitted {
            len += 4;
        }
        if !options.sack.is_empty() {
            len += 4 + 8 * options.sack.len as u32;
        }
        len
    }

    /// Octets of the IP packet that carries it: the IP header without options, the TCP header and the payload.
    pub const fn packet_len(&self, network: Network) -> u32 {
        network.header_len() + self.header_len() + self.payload_len
    }
}
