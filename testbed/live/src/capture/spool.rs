//! The file between a capture and whoever reads it: records of a fixed header and the octets kept.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::Path;

use windlull_capture::Crossing;
use windlull_plane::WallClock;
use windlull_units::{Span, Time};

use super::ring::Frame;

/// A packet that passed the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawPacket {
    /// When, by the kernel's stamp.
    pub at: Time,
    pub way: Crossing,
    /// Octets of the frame as it passed.
    pub len: u32,
    /// The frame from its Ethernet header on, as much as is kept.
    pub octets: Vec<u8>,
}

/// Stamp (64 bits), length as it passed, octets kept (32 bits each), direction (one octet).
const HEADER: usize = 17;
/// Two processors may put packets into the ring in another order than they stamped them, but not by so much.
const DISORDER: Span = Span::from_ms(10);

/// Writes a record that keeps so many octets of the frame.
pub(super) fn write(out: &mut impl Write, frame: &Frame<'_>, keep: usize) -> io::Result<()> {
    let octets = &frame.octets[..keep.min(frame.octets.len())];
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&frame.wall_ns.to_le_bytes());
    header[8..12].copy_from_slice(&frame.len.to_le_bytes());
    header[12..16].copy_from_slice(&u32::try_from(octets.len()).unwrap_or(u32::MAX).to_le_bytes());
    header[16] = u8::from(frame.way == Crossing::Outbound);
    out.write_all(&header)?;
    out.write_all(octets)
}

/// The packets of a spool in the order of their stamps.
#[derive(Debug)]
pub struct Packets {
    file: BufReader<File>,
    clock: WallClock,
    /// Read, but one with an earlier stamp may follow.
    waiting: BinaryHeap<Reverse<Waiting>>,
    /// How many were read.
    read: u64,
    ended: bool,
}

impl Packets {
    pub(super) fn open(path: &Path, clock: WallClock) -> io::Result<Self> {
        Ok(Self {
            file: BufReader::with_capacity(1 << 18, File::open(path)?),
            clock,
            waiting: BinaryHeap::new(),
            read: 0,
            ended: false,
        })
    }

    /// Reads on until the earliest packet that waits can have no predecessor.
    fn fill(&mut self) -> io::Result<()> {
        while !self.ended {
            let Some(packet) = self.record()? else {
                self.ended = true;
                break;
            };
            let newest = packet.at;
            self.read += 1;
            self.waiting.push(Reverse(Waiting { nth: self.read, packet }));
            if self
                .waiting
                .peek()
                .is_some_and(|Reverse(first)| newest.since(first.packet.at) > DISORDER)
            {
                break;
            }
        }
        Ok(())
    }

    fn record(&mut self) -> io::Result<Option<RawPacket>> {
        let mut header = [0; HEADER];
        match self.file.read(&mut header[..1])? {
            0 => return Ok(None),
            _ => self.file.read_exact(&mut header[1..])?,
        }
        let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let stamp = u64::from(word(4)) << 32 | u64::from(word(0));
        let way = match header[16] {
            0 => Crossing::Inbound,
            1 => Crossing::Outbound,
            _ => return Err(ErrorKind::InvalidData.into()),
        };
        let mut octets = vec![0; word(12) as usize];
        self.file.read_exact(&mut octets)?;
        Ok(Some(RawPacket {
            at: self.clock.to_run(stamp),
            way,
            len: word(8),
            octets,
        }))
    }
}

impl Iterator for Packets {
    type Item = io::Result<RawPacket>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Err(error) = self.fill() {
            self.ended = true;
            self.waiting.clear();
            return Some(Err(error));
        }
        self.waiting.pop().map(|Reverse(waiting)| Ok(waiting.packet))
    }
}

/// Ordered by stamp, then as it was read.
#[derive(Debug, PartialEq, Eq)]
struct Waiting {
    nth: u64,
    packet: RawPacket,
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.packet.at, self.nth).cmp(&(other.packet.at, other.nth))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use windlull_plane::Epoch;

    use super::*;

    #[test]
    fn packets_come_in_the_order_of_their_stamps() {
        let clock = Epoch::begin().wall_clock();
        let zero = clock.from_run(Time::ZERO);
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("spool");
        let mut file = File::create(&path).expect("a file");
        let records = [
            (5, Crossing::Outbound, "a"),
            (3, Crossing::Inbound, "bc"),
            (3, Crossing::Inbound, "d"),
            (40_000_000, Crossing::Inbound, "e"),
        ];
        for (after_ns, way, octets) in records {
            let frame = Frame {
                wall_ns: zero + after_ns,
                way,
                len: 77,
                octets: octets.as_bytes(),
            };
            write(&mut file, &frame, 1).expect("a file takes records");
        }
        let packets: Vec<_> = Packets::open(&path, clock)
            .expect("it is there")
            .map(|packet| packet.expect("it is whole"))
            .map(|packet| (packet.at.as_ns(), packet.way, packet.len, packet.octets))
            .collect();
        assert_eq!(
            packets,
            [
                (3, Crossing::Inbound, 77, b"b".to_vec()),
                (3, Crossing::Inbound, 77, b"d".to_vec()),
                (5, Crossing::Outbound, 77, b"a".to_vec()),
                (40_000_000, Crossing::Inbound, 77, b"e".to_vec()),
            ]
        );
    }

    #[test]
    fn a_cut_file_is_told() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("spool");
        std::fs::write(&path, [0; HEADER - 1]).expect("a file");
        let mut packets = Packets::open(&path, Epoch::begin().wall_clock()).expect("it is there");
        assert!(packets.next().is_some_and(|packet| packet.is_err()));
        assert!(packets.next().is_none());
    }
}
