//! Reading captures of any origin: pcap (microseconds and nanoseconds, both byte orders) and pcapng (several sections
//! and interfaces, any resolution, enhanced, simple and the old packet blocks).

mod blocks;
mod input;

use std::io::{self, Read};
use std::ops::Range;

use thiserror::Error;

use crate::pcapng::{Crossing, RUN_START_NS, SECTION_HEADER};
use crate::writer::CORRUPTED;

/// A packet of a capture file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Captured<'a> {
    /// When it was captured, in nanoseconds since 1970; `None` in a simple packet block, which has no stamp.
    pub at_ns: Option<u64>,
    /// The LINKTYPE_ number of its interface.
    pub link_type: u32,
    /// Its interface within the section.
    pub interface: u32,
    /// Octets it had on the wire.
    pub original_len: u32,
    /// The octets that were kept.
    pub octets: &'a [u8],
    /// Which way it passed the interface, if the file says so.
    pub way: Option<Crossing>,
    /// The number that the file gives to it, if any.
    pub packet_id: Option<u64>,
    /// Its first comment, if it has one.
    pub comment: Option<&'a str>,
}

impl Captured<'_> {
    /// Whether the link that carried it said, by our comment in the file, that it had changed its bits.
    pub fn is_said_to_be_corrupted(&self) -> bool {
        self.comment == Some(CORRUPTED)
    }
}

/// Why a capture cannot be read (further).
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("cannot read the capture: {0}")]
    Io(#[from] io::Error),
    /// The file is empty or of another kind.
    #[error("{}", not_a_capture(start))]
    NotACapture {
        /// Its first octets.
        start: Vec<u8>,
    },
    /// The file ends within a record.
    #[error("the capture is truncated: {what} at byte {offset} needs {needed} bytes, the file has {there} of them")]
    Truncated {
        what: &'static str,
        /// Where it begins in the file.
        offset: u64,
        /// Octets it needs.
        needed: u64,
        /// Octets there are.
        there: u64,
    },
    /// A record contradicts itself.
    #[error("the capture is damaged: {what} at byte {offset}")]
    Malformed {
        what: &'static str,
        /// Where the record begins in the file.
        offset: u64,
    },
}

/// A record of a capture file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Record {
    /// A packet, and its stamp if it has one.
    Packet {
        at_ns: Option<u64>,
    },
    /// A section of pcapng begins.
    Section,
    Other,
}

/// No packet and no block is longer than this; what claims to be is damaged.
const LONGEST: u32 = 1 << 28;

#[derive(Debug)]
pub struct PacketReader<R> {
    input: R,
    /// What was read of the file: from `record` on the record under way, from `next` on what is not needed yet.
    buffer: Vec<u8>,
    record: usize,
    next: usize,
    /// Where in the buffer the octets are that were asked for last.
    block: Range<usize>,
    /// Octets handed out so far.
    offset: u64,
    order: Order,
    format: Format,
    /// Whether the section was written by us: its time begins with a run.
    ours: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

#[derive(Debug)]
enum Format {
    Pcap { link_type: u32, resolution: Resolution },
    Pcapng { interfaces: Vec<Interface> },
}

/// Ticks a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Resolution {
    /// A power of ten.
    Decimal(u8),
    /// A power of two.
    Binary(u8),
}

#[derive(Clone, Copy, Debug)]
struct Interface {
    link_type: u32,
    snaplen: u32,
    resolution: Resolution,
    offset_secs: i64,
}

/// Says of what begins so that it is no capture.
fn not_a_capture(start: &[u8]) -> String {
    if start.is_empty() {
        return "the file is empty; a pcap or pcapng file was expected".to_owned();
    }
    format!("not a pcap or pcapng file: it begins with \"{}\"", start.escape_ascii())
}

/// Begins to read a capture file of either format.
///
/// # Errors
/// [`ReadError`]: not a capture, truncated in its header, or an I/O error.
pub fn read_pcap<R: Read>(input: R) -> Result<PacketReader<R>, ReadError> {
    let mut reader = PacketReader {
        input,
        buffer: Vec::new(),
        record: 0,
        next: 0,
        block: 0..0,
        offset: 0,
        order: Order::Little,
        format: Format::Pcapng { interfaces: Vec::new() },
        ours: false,
    };
    let there = reader.fill(4)?;
    let Ok(magic) = <[u8; 4]>::try_from(reader.block()) else {
        return Err(ReadError::NotACapture {
            start: reader.block()[..there].to_vec(),
        });
    };
    if magic == SECTION_HEADER.to_le_bytes() {
        reader.section()?;
        return Ok(reader);
    }
    let (order, digits) = match magic {
        [0xD4, 0xC3, 0xB2, 0xA1] => (Order::Little, 6),
        [0xA1, 0xB2, 0xC3, 0xD4] => (Order::Big, 6),
        [0x4D, 0x3C, 0xB2, 0xA1] => (Order::Little, 9),
        [0xA1, 0xB2, 0x3C, 0x4D] => (Order::Big, 9),
        _ => return Err(ReadError::NotACapture { start: magic.to_vec() }),
    };
    reader.order = order;
    reader.need("the file header", 0, 20)?;
    reader.format = Format::Pcap {
        // The high bits tell of a frame check sequence.
        link_type: reader.u32_at(16) & 0x0FFF_FFFF,
        resolution: Resolution::Decimal(digits),
    };
    Ok(reader)
}

impl<R: Read> PacketReader<R> {
    /// The next packet; `None` at the end of the file.
    ///
    /// # Errors
    /// [`ReadError`]; nothing can be read after one.
    pub fn next_packet(&mut self) -> Result<Option<Captured<'_>>, ReadError> {
        match self.format {
            Format::Pcap { link_type, resolution } => self.pcap_record(link_type, resolution),
            Format::Pcapng { .. } => self.pcapng_packet(),
        }
    }

    /// The next record of any kind, of which [`PacketReader::record`] then gives the octets; `None` at the end of the file.
    pub(crate) fn next_record(&mut self) -> Result<Option<Record>, ReadError> {
        match self.format {
            Format::Pcap { link_type, resolution } => {
                let packet = self.pcap_record(link_type, resolution)?;
                Ok(packet.map(|packet| Record::Packet { at_ns: packet.at_ns }))
            }
            Format::Pcapng { .. } => self.pcapng_record(),
        }
    }

    pub(crate) const fn is_pcapng(&self) -> bool {
        matches!(self.format, Format::Pcapng { .. })
    }

    /// What the stamps of the section count from where it is ours; known of pcapng alone.
    pub const fn run_start_ns(&self) -> Option<u64> {
        if self.ours { Some(RUN_START_NS) } else { None }
    }

    /// Octets of the file read so far.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    fn pcap_record(&mut self, link_type: u32, resolution: Resolution) -> Result<Option<Captured<'_>>, ReadError> {
        let start = self.offset;
        if !self.begin("a packet record", 16)? {
            return Ok(None);
        }
        let [secs, fraction, captured, original_len] = [0, 4, 8, 12].map(|at| self.u32_at(at));
        if captured > LONGEST {
            return Err(malformed("a packet record of more than 256 MiB", start));
        }
        self.need("a packet", start, captured as usize)?;
        let at_ns = u64::from(secs)
            .saturating_mul(1_000_000_000)
            .saturating_add(resolution.to_ns(u64::from(fraction)));
        Ok(Some(Captured {
            at_ns: Some(at_ns),
            link_type,
            interface: 0,
            original_len,
            octets: self.block(),
            way: None,
            packet_id: None,
            comment: None,
        }))
    }
}

impl Resolution {
    /// Nanoseconds of so many ticks; saturates.
    fn to_ns(self, ticks: u64) -> u64 {
        let ns = match self {
            Self::Decimal(digits @ 0..=9) => u128::from(ticks) * 10_u128.pow(u32::from(9 - digits)),
            Self::Decimal(digits) => 10_u128
                .checked_pow(u32::from(digits - 9))
                .map_or(0, |scale| u128::from(ticks) / scale),
            Self::Binary(bits) => (u128::from(ticks) * 1_000_000_000) >> bits,
        };
        u64::try_from(ns).unwrap_or(u64::MAX)
    }
}

const fn malformed(what: &'static str, offset: u64) -> ReadError {
    ReadError::Malformed { what, offset }
}
