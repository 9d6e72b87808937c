//! One TCP connection as one capture shows it.

use std::net::SocketAddr;

use windlull_capture::Way;
use windlull_wire::packet::Checksum;
use windlull_wire::{Flags, Segment, SeqNumber};

use super::ConnectionInfo;

/// A packet of the connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// Nanoseconds since 1970.
    pub(super) at_ns: u64,
    /// Which of the two sent it: 0 or 1.
    pub(super) from: u8,
    pub(super) ip_id: Option<u16>,
    pub(super) segment: Segment,
    pub(super) checksum: Checksum,
    pub(super) way: Option<Way>,
    pub(super) packet_id: Option<u64>,
}

/// A connection, its packets in order of time.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    /// The two ends; 0 sent the first packet that was captured.
    pub(super) ends: [SocketAddr; 2],
    pub(super) packets: Vec<Seen>,
    payload: [u64; 2],
    /// The first SYN, to know a later connection between the same ports.
    syn: Option<SeqNumber>,
    ended: bool,
}

impl Connection {
    pub(super) const fn new(first: SocketAddr, second: SocketAddr) -> Self {
        Self {
            ends: [first, second],
            packets: Vec::new(),
            payload: [0; 2],
            syn: None,
            ended: false,
        }
    }

    /// Whether a packet belongs to a later connection between the same ends: a new SYN after the end of this one.
    pub(super) fn is_over_for(&self, segment: &Segment) -> bool {
        let opens = segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::ACK);
        opens && self.ended && self.syn.is_some_and(|syn| syn != segment.seq)
    }

    pub(super) fn push(&mut self, packet: Seen) {
        let flags = packet.segment.flags;
        self.ended |= flags.has(Flags::FIN) || flags.has(Flags::RST);
        if flags.has(Flags::SYN) && !flags.has(Flags::ACK) {
            self.syn.get_or_insert(packet.segment.seq);
        }
        self.payload[usize::from(packet.from)] += u64::from(packet.segment.payload_len);
        self.packets.push(packet);
    }

    /// Octets of payload, both ways.
    pub(super) fn payload(&self) -> u64 {
        self.payload[0] + self.payload[1]
    }

    /// Which end sent more data: 0 or 1.
    pub(super) fn data_sender(&self) -> u8 {
        u8::from(self.payload[1] > self.payload[0])
    }

    pub(super) fn sends_data(&self, packet: &Seen) -> bool {
        packet.from == self.data_sender()
    }

    pub(super) fn info(&self) -> ConnectionInfo {
        let sender = usize::from(self.data_sender());
        ConnectionInfo {
            data_sender: self.ends[sender],
            data_receiver: self.ends[1 - sender],
            packets: self.packets.len() as u64,
            payload_bytes: self.payload(),
        }
    }

    /// The same connection seen with the ends in this order.
    pub(super) fn facing(mut self, sender: SocketAddr) -> Self {
        let as_data_sender = usize::from(self.ends[1] == sender);
        // The other end may have captured more of the other direction; the first capture says who sends.
        let payload = self.payload();
        self.payload = [0; 2];
        self.payload[as_data_sender] = payload;
        self
    }

    /// Checksums of this direction that are wrong more often than right were never computed before the capture.
    pub(super) fn checksums_are_offloaded(&self, data: bool) -> bool {
        let counted = |checksum| {
            let packets = self.packets.iter().filter(|packet| self.sends_data(packet) == data);
            packets.filter(|packet| packet.checksum == checksum).count()
        };
        counted(Checksum::Wrong) > counted(Checksum::Right)
    }

    /// What stands for the data sender's SYN if none was captured: the number before its lowest one.
    pub(super) fn origin_without_syn(&self) -> Option<SeqNumber> {
        let mut sent = self
            .packets
            .iter()
            .filter(|packet| self.sends_data(packet))
            .map(|packet| &packet.segment);
        let first = sent.next()?;
        if first.flags.has(Flags::SYN) {
            return None;
        }
        let mut lowest = 0_i32;
        for segment in sent {
            if segment.flags.has(Flags::SYN) {
                return None;
            }
            lowest = lowest.min(segment.seq.offset_from(first.seq));
            // What is half the number space ahead has wrapped and is no start.
            if segment.seq.offset_from(first.seq) > i32::MAX / 2 {
                break;
            }
        }
        Some(SeqNumber(
            first.seq.0.wrapping_sub(lowest.unsigned_abs()).wrapping_sub(1),
        ))
    }
}
