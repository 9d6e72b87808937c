//! The blocks of pcapng.

use std::io::Read;

use super::{Captured, Format, Interface, LONGEST, Order, PacketReader, ReadError, Record, Resolution, malformed};
use crate::pcapng::{
    APPLICATION, BYTE_ORDER_MAGIC, Crossing, ENHANCED_PACKET, INTERFACE_DESCRIPTION, SECTION_HEADER, option,
};

/// A block's packet: its stamp and where its parts are.
struct PacketBlock {
    interface: usize,
    ticks: Option<u64>,
    original_len: u32,
    data: std::ops::Range<usize>,
    options: usize,
}

/// A block, its body read.
enum Block {
    Packet(PacketBlock),
    Section,
    Other,
}

impl<R: Read> PacketReader<R> {
    pub(super) fn pcapng_packet(&mut self) -> Result<Option<Captured<'_>>, ReadError> {
        loop {
            let start = self.offset;
            match self.block_of_any_kind()? {
                None => return Ok(None),
                Some(Block::Packet(packet)) => return self.captured(start, packet).map(Some),
                Some(Block::Section | Block::Other) => {}
            }
        }
    }

    pub(super) fn pcapng_record(&mut self) -> Result<Option<Record>, ReadError> {
        let start = self.offset;
        Ok(match self.block_of_any_kind()? {
            None => None,
            Some(Block::Packet(packet)) => Some(Record::Packet {
                at_ns: self.captured(start, packet)?.at_ns,
            }),
            Some(Block::Section) => Some(Record::Section),
            Some(Block::Other) => Some(Record::Other),
        })
    }

    fn block_of_any_kind(&mut self) -> Result<Option<Block>, ReadError> {
        let start = self.offset;
        if !self.begin("a block", 8)? {
            return Ok(None);
        }
        let (kind, len) = (self.u32_at(0), self.u32_at(4));
        if kind == SECTION_HEADER {
            // Its byte order is told inside: the length just read may be in another one.
            let block = self.block();
            let len = [block[4], block[5], block[6], block[7]];
            self.section_from(start, len)?;
            return Ok(Some(Block::Section));
        }
        self.block_body(start, len, 8)?;
        Ok(Some(match kind {
            INTERFACE_DESCRIPTION => {
                let interface = self.interface(start)?;
                if let Format::Pcapng { interfaces } = &mut self.format {
                    interfaces.push(interface);
                }
                Block::Other
            }
            ENHANCED_PACKET => Block::Packet(self.enhanced(start)?),
            2 => Block::Packet(self.old_packet(start)?),
            3 => Block::Packet(self.simple(start)?),
            _ => Block::Other,
        }))
    }

    fn captured(&self, start: u64, packet: PacketBlock) -> Result<Captured<'_>, ReadError> {
        let Format::Pcapng { interfaces } = &self.format else {
            unreachable!("blocks are read from pcapng alone");
        };
        let Some(interface) = interfaces.get(packet.interface) else {
            return Err(malformed("a packet of an interface that is not described", start));
        };
        let mut captured = Captured {
            at_ns: packet.ticks.map(|ticks| interface.to_ns(ticks)),
            link_type: interface.link_type,
            interface: u32::try_from(packet.interface).unwrap_or(u32::MAX),
            original_len: packet.original_len,
            octets: &self.block()[packet.data],
            way: None,
            packet_id: None,
            comment: None,
        };
        self.options(start, packet.options, |code, value| match (code, value.len()) {
            (option::COMMENT, _) if captured.comment.is_none() => captured.comment = std::str::from_utf8(value).ok(),
            (option::EPB_FLAGS, 4) => captured.way = Crossing::from_bits(self.number(value)),
            (option::EPB_PACKET_ID, 8) => captured.packet_id = Some(self.long_number(value)),
            _ => {}
        })?;
        Ok(captured)
    }

    fn enhanced(&self, start: u64) -> Result<PacketBlock, ReadError> {
        self.at_least(start, 20)?;
        let ticks = u64::from(self.u32_at(4)) << 32 | u64::from(self.u32_at(8));
        let data = self.data(start, 20, self.u32_at(12))?;
        Ok(PacketBlock {
            interface: self.u32_at(0) as usize,
            ticks: Some(ticks),
            original_len: self.u32_at(16),
            options: data.end.next_multiple_of(4),
            data,
        })
    }

    /// The packet block that the enhanced one replaced.
    fn old_packet(&self, start: u64) -> Result<PacketBlock, ReadError> {
        let mut packet = self.enhanced(start)?;
        packet.interface = match self.order {
            Order::Little => packet.interface & 0xFFFF,
            Order::Big => packet.interface >> 16 & 0xFFFF,
        };
        Ok(packet)
    }

    fn simple(&self, start: u64) -> Result<PacketBlock, ReadError> {
        self.at_least(start, 4)?;
        let original_len = self.u32_at(0);
        let snaplen = match &self.format {
            Format::Pcapng { interfaces } => interfaces.first().map_or(0, |interface| interface.snaplen),
            Format::Pcap { .. } => 0,
        };
        let captured = if snaplen == 0 {
            original_len
        } else {
            original_len.min(snaplen)
        };
        let data = self.data(start, 4, captured)?;
        Ok(PacketBlock {
            interface: 0,
            ticks: None,
            original_len,
            options: self.block().len(),
            data,
        })
    }

    fn data(&self, start: u64, at: usize, captured: u32) -> Result<std::ops::Range<usize>, ReadError> {
        let end = at.saturating_add(captured as usize);
        if end > self.block().len() {
            return Err(malformed("a packet longer than its block", start));
        }
        Ok(at..end)
    }

    fn interface(&self, start: u64) -> Result<Interface, ReadError> {
        self.at_least(start, 8)?;
        let mut interface = Interface {
            link_type: u32::from(self.u16_at(0)),
            snaplen: self.u32_at(4),
            resolution: Resolution::Decimal(6),
            offset_secs: 0,
        };
        self.options(start, 8, |code, value| match (code, value) {
            (option::IF_TSRESOL, [resolution]) => {
                interface.resolution = match resolution >> 7 {
                    0 => Resolution::Decimal(*resolution),
                    _ => Resolution::Binary(resolution & 0x7F),
                };
            }
            (option::IF_TSOFFSET, value) if value.len() == 8 => {
                interface.offset_secs = i64::from_ne_bytes(self.long_number(value).to_ne_bytes());
            }
            _ => {}
        })?;
        Ok(interface)
    }

    /// Calls `each` with the options from this place of the block on.
    fn options<'a>(&'a self, start: u64, from: usize, mut each: impl FnMut(u16, &'a [u8])) -> Result<(), ReadError> {
        let mut at = from;
        while at + 4 <= self.block().len() {
            let (code, len) = (self.u16_at(at), usize::from(self.u16_at(at + 2)));
            if code == option::END {
                break;
            }
            let Some(value) = self.block().get(at + 4..at + 4 + len) else {
                return Err(malformed("an option longer than its block", start));
            };
            each(code, value);
            at += 4 + len.next_multiple_of(4);
        }
        Ok(())
    }

    /// Reads the rest of the file's first block, of which the kind is read.
    pub(super) fn section(&mut self) -> Result<(), ReadError> {
        self.need("a section header", 0, 4)?;
        let block = self.block();
        let len = [block[0], block[1], block[2], block[3]];
        self.section_from(0, len)
    }

    /// Reads the rest of a section header after its length and forgets the section before.
    fn section_from(&mut self, start: u64, len: [u8; 4]) -> Result<(), ReadError> {
        self.need("a section header", start, 4)?;
        let block = self.block();
        let magic = [block[0], block[1], block[2], block[3]];
        self.order = if magic == BYTE_ORDER_MAGIC.to_le_bytes() {
            Order::Little
        } else if magic == BYTE_ORDER_MAGIC.to_be_bytes() {
            Order::Big
        } else {
            return Err(malformed("a section header without byte order", start));
        };
        let len = self.number(&len);
        self.block_body(start, len, 12)?;
        self.at_least(start, 12)?;
        if self.u16_at(0) != 1 {
            return Err(malformed("a section of another major version than 1", start));
        }
        self.format = Format::Pcapng { interfaces: Vec::new() };
        self.ours = self.is_ours(start);
        Ok(())
    }

    /// Whether the section header just read names us as its writer; one with broken options does not.
    fn is_ours(&self, start: u64) -> bool {
        let mut ours = false;
        let read = self.options(start, 12, |code, value| {
            ours |= code == option::SHB_USERAPPL && value.starts_with(APPLICATION.as_bytes());
        });
        ours && read.is_ok()
    }

    /// Reads the rest of a block of `len` octets, its second length included, of which `read` are read.
    fn block_body(&mut self, start: u64, len: u32, read: usize) -> Result<(), ReadError> {
        if !(12..=LONGEST).contains(&len) || len % 4 != 0 || (len as usize) < read + 4 {
            return Err(malformed("a block whose length cannot be", start));
        }
        self.need("a block", start, len as usize - read)?;
        let body = self.block().len() - 4;
        if self.u32_at(body) != len {
            return Err(malformed("a block whose two lengths differ", start));
        }
        self.block.end -= 4;
        Ok(())
    }
}

impl Interface {
    fn to_ns(self, ticks: u64) -> u64 {
        let offset = i128::from(self.offset_secs) * 1_000_000_000;
        let ns = i128::from(self.resolution.to_ns(ticks)) + offset;
        u64::try_from(ns.max(0)).unwrap_or(u64::MAX)
    }
}
