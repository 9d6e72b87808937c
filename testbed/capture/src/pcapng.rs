//! Writing pcapng (IETF draft-ietf-opsawg-pcapng): one section, one Ethernet interface, nanosecond stamps.
//!
//! Every packet carries its direction (`epb_flags`) and its number in the run (`epb_packetid`, as in `fates.csv`).
//! A packet may wait for its comment; all that follow wait with it, so that the file stays in order.

use std::collections::VecDeque;
use std::io::{self, Write};

use windlull_units::{PacketId, Time};
use windlull_wire::packet::EncodeError;

use crate::Provenance;
use crate::sink::Sink;

pub(crate) const SECTION_HEADER: u32 = 0x0A0D_0D0A;
pub(crate) const BYTE_ORDER_MAGIC: u32 = 0x1A2B_3C4D;
pub(crate) const INTERFACE_DESCRIPTION: u32 = 1;
pub(crate) const ENHANCED_PACKET: u32 = 6;
pub(crate) const DECRYPTION_SECRETS: u32 = 0x0A;
/// The type of a block of secrets that holds lines of a TLS key log: `TLSK`.
const TLS_KEY_LOG: u32 = 0x544C_534B;
const LINKTYPE_ETHERNET: u32 = 1;

/// How the name of the application begins that writes our captures; its version follows.
pub(crate) const APPLICATION: &str = "windlull ";

pub(crate) mod option {
    //! Option codes of the blocks we write and read.
    pub(crate) const END: u16 = 0;
    pub(crate) const COMMENT: u16 = 1;
    pub(crate) const EPB_FLAGS: u16 = 2;
    pub(crate) const EPB_PACKET_ID: u16 = 5;
    pub(crate) const IF_NAME: u16 = 2;
    pub(crate) const IF_TSRESOL: u16 = 9;
    pub(crate) const IF_TSOFFSET: u16 = 14;
    pub(crate) const SHB_USERAPPL: u16 = 4;
}

/// Which way a packet passed the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossing {
    Inbound,
    Outbound,
}

/// A packet as it passed an interface.
#[derive(Clone, Copy, Debug)]
pub struct InterfacePacket<'a> {
    /// Which interface, from 0, in the order in which the file was begun with them.
    pub interface: u32,
    /// Nanoseconds, as the file's [`Stamps`] count them.
    pub stamp_ns: u64,
    pub way: Crossing,
    /// Octets of the frame as it passed.
    pub len: u32,
    /// The frame from its Ethernet header on, as much as is kept.
    pub octets: &'a [u8],
}

impl Crossing {
    /// The low two bits of `epb_flags`.
    const fn bits(self) -> u32 {
        match self {
            Self::Inbound => 1,
            Self::Outbound => 2,
        }
    }

    pub(crate) const fn from_bits(flags: u32) -> Option<Self> {
        match flags & 3 {
            1 => Some(Self::Inbound),
            2 => Some(Self::Outbound),
            _ => None,
        }
    }
}

/// What is said of a packet beside its octets.
#[derive(Clone, Copy, Debug)]
pub struct PacketRecord<'a> {
    /// When it passed the interface.
    pub at: Time,
    pub way: Crossing,
    /// Its number in the run.
    pub id: PacketId,
    pub comment: Comment<'a>,
}

#[derive(Clone, Copy, Debug)]
pub enum Comment<'a> {
    /// None.
    Absent,
    Text(&'a str),
    /// It will be known later: [`PcapngWriter::settle`].
    Awaited,
}

/// What a run's start is called in captures: 2 January 1970, 00:00 UTC, so that the time of day is the time of the
/// run. (A stamp of zero would be no stamp to some readers.)
pub const RUN_START_NS: u64 = 86_400_000_000_000;

/// Octets that may wait for a comment. A verdict is known about a round-trip time after the packet; this is the
/// traffic of 0.1 s at 1 Gbit/s, or of an hour at 28.8 kbit/s.
const WAITING_LIMIT: usize = 16 << 20;

/// What a packet is told by whose comment did not come in time.
const OVERDUE: &str = "windlull: retransmission, verdict not known when this packet had to be written";

/// A packet that waits for its comment.
#[derive(Debug)]
struct Held {
    id: PacketId,
    /// Where its block begins in `waiting`.
    start: usize,
    /// Where its comment will stand.
    end: usize,
    /// The comment, once it is known that there is one or none.
    settled: Option<Option<Box<str>>>,
}

/// Writes a pcapng file.
#[derive(Debug)]
pub struct PcapngWriter<W> {
    ready: Sink<W>,
    /// Blocks from the first held packet on. Held packets lack their comment and all behind it.
    waiting: Vec<u8>,
    /// Octets at the front of `waiting` that were handed on already.
    gone: usize,
    held: VecDeque<Held>,
    /// Whether all packets wait for secrets, which stand before the packets that they decrypt.
    awaits_secrets: bool,
    limit: usize,
}

impl<W: Write> PcapngWriter<W> {
    /// Begins the file. `interface` names the end at which it is captured, `snaplen` the octets kept of each packet
    /// (zero: all).
    pub fn new(out: W, provenance: &Provenance, interface: &str, snaplen: u32) -> Self {
        let mut ready = Sink::new(out);
        let application = format!("{APPLICATION}{}", provenance.version);
        section_header(&mut ready.buffer, &provenance.to_string(), &application);
        interface_description(&mut ready.buffer, interface, snaplen);
        Self {
            ready,
            waiting: Vec::new(),
            gone: 0,
            held: VecDeque::new(),
            awaits_secrets: false,
            limit: WAITING_LIMIT,
        }
    }

    /// Writes a packet whose octets `encode` appends to the buffer it is given; it returns the uncut length.
    pub fn packet(&mut self, record: &PacketRecord<'_>, encode: impl FnOnce(&mut Vec<u8>) -> Result<u32, EncodeError>) {
        let awaited = matches!(record.comment, Comment::Awaited);
        let direct = self.held.is_empty() && !awaited && !self.awaits_secrets;
        let out = if direct {
            &mut self.ready.buffer
        } else {
            &mut self.waiting
        };
        let start = out.len();
        if let Err(error) = packet_body(out, record, encode) {
            out.truncate(start);
            self.ready.fail(io::Error::new(io::ErrorKind::InvalidInput, error));
            return;
        }
        match record.comment {
            Comment::Absent => finish_packet(out, start, None),
            Comment::Text(text) => finish_packet(out, start, Some(text)),
            Comment::Awaited => {
                let end = out.len();
                self.held.push_back(Held {
                    id: record.id,
                    start,
                    end,
                    settled: None,
                });
            }
        }
        if direct {
            self.ready.spill();
        } else if self.waiting.len() - self.gone > self.limit {
            self.awaits_secrets = false;
            if let Some(first) = self.held.front_mut() {
                first.settled.get_or_insert_with(|| Some(OVERDUE.into()));
            }
            self.drain();
        }
    }

    /// Lets all packets wait until [`PcapngWriter::has_secrets`].
    pub fn await_secrets(&mut self) {
        self.awaits_secrets = true;
    }

    /// Writes a line of a TLS key log, before all packets that wait.
    pub fn secret(&mut self, line: &str) {
        decryption_secrets(&mut self.ready.buffer, line);
        self.ready.spill();
    }

    /// No packet waits for secrets any more.
    pub fn has_secrets(&mut self) {
        self.awaits_secrets = false;
        self.drain();
    }

    /// The comment that the held packets of this number waited for, or that they get none. Without such packets
    /// nothing happens.
    pub fn settle(&mut self, id: PacketId, comment: Option<&str>) {
        let mut found = false;
        for held in self.held.iter_mut().filter(|held| held.id == id) {
            held.settled.get_or_insert_with(|| comment.map(Into::into));
            found = true;
        }
        if found {
            self.drain();
        }
    }

    /// The first error, after which nothing is written any more.
    pub const fn error(&self) -> Option<&io::Error> {
        self.ready.error()
    }

    /// Writes what is left; packets that still wait get no comment.
    ///
    /// # Errors
    /// The first error of the underlying writer, or that a packet could not be encoded.
    pub fn finish(mut self) -> io::Result<W> {
        for held in &mut self.held {
            held.settled.get_or_insert(None);
        }
        self.has_secrets();
        self.ready.finish()
    }

    /// Moves what waits for nothing any more to the writer.
    fn drain(&mut self) {
        // What stands before the first of those held waits for nothing but secrets.
        let waits = self.held.front().map_or(self.waiting.len() == self.gone, |first| {
            first.settled.is_none() && first.start == self.gone
        });
        if waits || self.awaits_secrets {
            return;
        }
        let mut from = self.gone;
        while let Some(Held {
            settled: Some(comment),
            start,
            end,
            ..
        }) = self.held.front()
        {
            let out = &mut self.ready.buffer;
            out.extend_from_slice(&self.waiting[from..*start]);
            let block = out.len();
            out.extend_from_slice(&self.waiting[*start..*end]);
            finish_packet(out, block, comment.as_deref());
            from = *end;
            self.ready.spill();
            self.held.pop_front();
        }
        self.gone = self.held.front().map_or(self.waiting.len(), |held| held.start);
        self.ready.buffer.extend_from_slice(&self.waiting[from..self.gone]);
        self.ready.spill();
        // Moving the rest to the front costs no more than what was handed on has cost.
        if self.gone * 2 >= self.waiting.len() {
            self.waiting.drain(..self.gone);
            for held in &mut self.held {
                held.start -= self.gone;
                held.end -= self.gone;
            }
            self.gone = 0;
        }
    }
}

/// The octets of an enhanced packet block up to where its comment stands; the block's length is still open.
fn packet_body(
    out: &mut Vec<u8>,
    record: &PacketRecord<'_>,
    encode: impl FnOnce(&mut Vec<u8>) -> Result<u32, EncodeError>,
) -> Result<(), EncodeError> {
    let ns = record.at.as_ns().saturating_add(RUN_START_NS);
    let mut head = [0_u8; 28];
    head[0..4].copy_from_slice(&ENHANCED_PACKET.to_le_bytes());
    // The stamp's high half stands first, each half in the file's byte order.
    let stamp = ns.rotate_left(32).to_le_bytes();
    head[12..20].copy_from_slice(&stamp);
    out.extend_from_slice(&head);
    let data = out.len();
    let original_len = encode(out)?;
    let captured = out.len() - data;
    out[data - 8..data - 4].copy_from_slice(&u32_of(captured).to_le_bytes());
    out[data - 4..data].copy_from_slice(&original_len.to_le_bytes());
    let padding = captured.next_multiple_of(4) - captured;
    let mut options = [0_u8; 3 + 20];
    put_option_head(&mut options[3..7], option::EPB_FLAGS, 4);
    options[7..11].copy_from_slice(&record.way.bits().to_le_bytes());
    put_option_head(&mut options[11..15], option::EPB_PACKET_ID, 8);
    options[15..23].copy_from_slice(&record.id.0.to_le_bytes());
    out.extend_from_slice(&options[3 - padding..]);
    Ok(())
}

/// Appends the comment and the end of the block that began at `start`.
fn finish_packet(out: &mut Vec<u8>, start: usize, comment: Option<&str>) {
    if let Some(comment) = comment {
        text_option(out, option::COMMENT, comment);
    }
    out.extend_from_slice(&[0; 4]);
    finish_block(out, start);
}

/// Sets the block's length at both of its ends.
fn finish_block(out: &mut Vec<u8>, start: usize) {
    let len = u32_of(out.len() + 4 - start).to_le_bytes();
    out[start + 4..start + 8].copy_from_slice(&len);
    out.extend_from_slice(&len);
}

/// Appends a packet of a live interface, stamped by the wall clock and without a number.
pub(crate) fn live_packet(out: &mut Vec<u8>, packet: &InterfacePacket<'_>) {
    let start = out.len();
    for word in [ENHANCED_PACKET, 0, packet.interface] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.extend_from_slice(&packet.stamp_ns.rotate_left(32).to_le_bytes());
    out.extend_from_slice(&u32_of(packet.octets.len()).to_le_bytes());
    out.extend_from_slice(&packet.len.to_le_bytes());
    out.extend_from_slice(packet.octets);
    out.resize(
        out.len() + (packet.octets.len().next_multiple_of(4) - packet.octets.len()),
        0,
    );
    let mut flags = [0_u8; 8];
    put_option_head(&mut flags[..4], option::EPB_FLAGS, 4);
    flags[4..].copy_from_slice(&packet.way.bits().to_le_bytes());
    out.extend_from_slice(&flags);
    out.extend_from_slice(&[0; 4]);
    finish_block(out, start);
}

/// Appends a section header whose comment says where the file comes from.
pub(crate) fn section_header(out: &mut Vec<u8>, comment: &str, application: &str) {
    let start = out.len();
    for word in [SECTION_HEADER, 0, BYTE_ORDER_MAGIC] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    // Version 1.0; the section's length is not given.
    out.extend_from_slice(&[1, 0, 0, 0]);
    out.extend_from_slice(&u64::MAX.to_le_bytes());
    text_option(out, option::COMMENT, comment);
    text_option(out, option::SHB_USERAPPL, application);
    out.extend_from_slice(&[0; 4]);
    finish_block(out, start);
}

/// Appends the description of an Ethernet interface with nanosecond stamps.
pub(crate) fn interface_description(out: &mut Vec<u8>, name: &str, snaplen: u32) {
    let start = out.len();
    for word in [INTERFACE_DESCRIPTION, 0, LINKTYPE_ETHERNET, snaplen] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    text_option(out, option::IF_NAME, name);
    let mut resolution = [0_u8; 8];
    put_option_head(&mut resolution[..4], option::IF_TSRESOL, 1);
    resolution[4] = 9;
    out.extend_from_slice(&resolution);
    out.extend_from_slice(&[0; 4]);
    finish_block(out, start);
}

/// Appends a line of a TLS key log as a block of secrets (section 4.7).
fn decryption_secrets(out: &mut Vec<u8>, line: &str) {
    let start = out.len();
    let len = line.len() + 1;
    for word in [DECRYPTION_SECRETS, 0, TLS_KEY_LOG, u32_of(len)] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.extend_from_slice(line.as_bytes());
    out.push(b'\n');
    out.resize(out.len() + (len.next_multiple_of(4) - len), 0);
    finish_block(out, start);
}

fn put_option_head(out: &mut [u8], code: u16, len: u16) {
    out[..2].copy_from_slice(&code.to_le_bytes());
    out[2..4].copy_from_slice(&len.to_le_bytes());
}

/// Appends a text option, cut at a character where it would be longer than an option can be.
fn text_option(out: &mut Vec<u8>, code: u16, text: &str) {
    let mut len = text.len().min(usize::from(u16::MAX) - 3);
    while !text.is_char_boundary(len) {
        len -= 1;
    }
    out.extend_from_slice(&code.to_le_bytes());
    out.extend_from_slice(&u16::try_from(len).unwrap_or(0).to_le_bytes());
    out.extend_from_slice(&text.as_bytes()[..len]);
    out.resize(out.len() + (len.next_multiple_of(4) - len), 0);
}

/// A length of something in memory that is far below 4 GiB.
fn u32_of(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
