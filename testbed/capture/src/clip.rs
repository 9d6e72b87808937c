//! A part of a capture file: the packets of a span of time, each as it stands in the file.

use std::io::{self, Read, Write};
use std::ops::RangeInclusive;

use thiserror::Error;
use windlull_units::Time;

use crate::reader::{PacketReader, ReadError, Record, read_pcap};

/// What was kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clipped {
    /// Packets within the span.
    pub kept: u64,
    /// Packets outside.
    pub left_out: u64,
}

/// Why a file could not be clipped.
#[derive(Debug, Error)]
pub enum ClipError {
    /// It cannot be read, or is no capture.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The part cannot be written.
    #[error("cannot write the part: {0}")]
    Write(#[source] io::Error),
}

/// Writes the packets of this span, both ends included, with all that the file says beside packets: sections, interfaces, names, comments. The
/// part has the file's format.
///
/// Times count from the run's start in captures that we have written, and from the file's first packet in others. A packet without a
/// stamp is as late as the one before. Where a section gives its own length, the part gives none.
///
/// # Errors
/// [`ClipError`]; what was written before it stays.
pub fn clip(input: impl Read, span: &RangeInclusive<Time>, mut out: impl Write) -> Result<Clipped, ClipError> {
    let mut reader = read_pcap(input)?;
    let mut clipped = Clipped::default();
    if reader.is_pcapng() {
        section(&reader, &mut out).map_err(ClipError::Write)?;
    } else {
        out.write_all(reader.record()).map_err(ClipError::Write)?;
    }
    let mut base_ns = reader.run_start_ns();
    let mut last_ns = None;
    while let Some(record) = reader.next_record()? {
        let written = match record {
            Record::Section => section(&reader, &mut out),
            Record::Other => out.write_all(reader.record()),
            Record::Packet { at_ns } => {
                last_ns = at_ns.or(last_ns);
                let at_ns = last_ns.unwrap_or(0);
                let at = at_ns.saturating_sub(*base_ns.get_or_insert(at_ns));
                if span.contains(&Time::from_ns(at)) {
                    clipped.kept += 1;
                    out.write_all(reader.record())
                } else {
                    clipped.left_out += 1;
                    Ok(())
                }
            }
        };
        written.map_err(ClipError::Write)?;
    }
    out.flush().map_err(ClipError::Write)?;
    Ok(clipped)
}

/// The section header just read, with its length not given: fewer packets follow.
fn section<R: Read>(reader: &PacketReader<R>, out: &mut impl Write) -> io::Result<()> {
    // Type, length, byte order and version stand before the section's length.
    let (head, rest) = reader.record().split_at(16);
    out.write_all(head)?;
    out.write_all(&u64::MAX.to_ne_bytes())?;
    out.write_all(&rest[8..])
}
