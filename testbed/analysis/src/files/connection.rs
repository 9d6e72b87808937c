//! One TCP connection as one capture shows it.

use std::fmt;
use std::net::SocketAddr;

use schemars::JsonSchema;
use serde::Serialize;
use windlull_capture::Crossing;
use windlull_units::{Host, Network};
use windlull_wire::{Flags, Segment, SeqNumber};

use super::checksums::{ChecksumCount, ChecksumMeaning};
use super::packets::{Packets, Seen};
use crate::result::Ends;

/// A TCP connection in a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConnectionInfo {
    /// Who sent more data.
    pub data_sender: SocketAddr,
    pub data_receiver: SocketAddr,
    /// Packets of it in the first file.
    pub packets: u64,
    /// Octets of payload in the first file, as they were seen, both ways.
    pub payload_bytes: u64,
}

impl fmt::Display for ConnectionInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            data_sender,
            data_receiver,
            packets,
            payload_bytes,
        } = self;
        write!(
            f,
            "{data_sender} - {data_receiver} ({packets} packets, {payload_bytes} B)"
        )
    }
}

/// The end at which a capture was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Sender,
    Receiver,
}

impl Side {
    /// The end of a connection whose data this host sends.
    pub(super) fn of(host: Host, data_sender: Host) -> Self {
        if host == data_sender {
            Self::Sender
        } else {
            Self::Receiver
        }
    }

    pub(super) const fn other(self) -> Self {
        match self {
            Self::Sender => Self::Receiver,
            Self::Receiver => Self::Sender,
        }
    }

    /// Where packets were seen, if at this end alone.
    pub(super) const fn alone(self) -> Ends {
        match self {
            Self::Sender => Ends::Sender,
            Self::Receiver => Ends::Receiver,
        }
    }

    /// Which host stands there.
    pub(super) const fn host(self, data_sender: Host) -> Host {
        match self {
            Self::Sender => data_sender,
            Self::Receiver => data_sender.peer(),
        }
    }
}

/// A connection, its packets in order of time.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    /// The two ends; 0 sent the first packet that was captured.
    pub(super) ends: [SocketAddr; 2],
    pub(super) packets: Packets,
    /// Of what each end sent.
    sent: [Sent; 2],
    /// Which end sent more data.
    data_sender: Option<u8>,
    /// The first SYN, to know a later connection between the same ports.
    syn: Option<SeqNumber>,
    ended: bool,
}

/// What is counted of one end's packets.
#[derive(Clone, Copy, Debug, Default)]
struct Sent {
    payload: u64,
    with_payload: u64,
    checksums: ChecksumCount,
    /// Packets that went out, less those that came in.
    outwards: i64,
}

impl Connection {
    pub(super) fn new(first: SocketAddr, second: SocketAddr) -> Self {
        Self {
            ends: [first, second],
            packets: Packets::default(),
            sent: [Sent::default(); 2],
            data_sender: None,
            syn: None,
            ended: false,
        }
    }

    /// The version of IP of its packets.
    pub(super) fn network(&self) -> Network {
        Network::of(&self.ends[0].ip())
    }

    /// Whether a packet belongs to a later connection between the same ends: a new SYN after the end of this one.
    pub(super) fn is_over_for(&self, segment: &Segment) -> bool {
        let opens = segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::ACK);
        opens && self.ended && self.syn.is_some_and(|syn| syn != segment.seq)
    }

    /// Whether it is between these two, in either order.
    pub(super) fn is_between(&self, a: &SocketAddr, b: &SocketAddr) -> bool {
        let [first, second] = &self.ends;
        (first == a && second == b) || (first == b && second == a)
    }

    pub(super) fn push(&mut self, packet: &Seen) {
        let flags = packet.segment.flags;
        self.ended |= flags.has(Flags::FIN) || flags.has(Flags::RST);
        if flags.has(Flags::SYN) && !flags.has(Flags::ACK) {
            self.syn.get_or_insert(packet.segment.seq);
        }
        let sent = &mut self.sent[usize::from(packet.from)];
        sent.payload += u64::from(packet.segment.payload_len);
        sent.with_payload += u64::from(packet.segment.payload_len > 0);
        sent.checksums.add(packet);
        sent.outwards += match packet.way {
            Some(Crossing::Outbound) => 1,
            Some(Crossing::Inbound) => -1,
            None => 0,
        };
        self.packets.push(packet);
    }

    /// Octets of payload, both ways.
    pub(super) fn payload(&self) -> u64 {
        self.sent[0].payload + self.sent[1].payload
    }

    /// Octets of payload from the end that sent more data.
    pub(super) fn payload_of_data_sender(&self) -> u64 {
        self.sent[usize::from(self.data_sender())].payload
    }

    /// When its first and its last packet were captured.
    pub(super) fn times_ns(&self) -> [u64; 2] {
        let at = |place: Option<usize>| place.map_or(0, |place| self.packets.at_ns(place));
        let last = self.packets.len().checked_sub(1);
        [at(last.map(|_| 0)), at(last)]
    }

    /// Whether another capture's connection between the same ends may be this one: unless both show how they were
    /// opened, and it was not the same way.
    pub(super) fn may_be(&self, other: &Self) -> bool {
        let [a, b] = &other.ends;
        let opened_otherwise = self.syn.zip(other.syn).is_some_and(|(this, that)| this != that);
        self.is_between(a, b) && !opened_otherwise
    }

    /// Which end sent more data: 0 or 1.
    pub(super) fn data_sender(&self) -> u8 {
        self.data_sender
            .unwrap_or(u8::from(self.sent[1].payload > self.sent[0].payload))
    }

    pub(super) fn sends_data(&self, packet: &Seen) -> bool {
        packet.from == self.data_sender()
    }

    /// Packets with data from the data sender.
    pub(super) fn data_packets(&self) -> u64 {
        self.sent[usize::from(self.data_sender())].with_payload
    }

    /// Packets that left the data sender's end here, or reached the other end's, less those of which it is the other
    /// way about; as the file says.
    pub(super) fn outwards(&self) -> i64 {
        let sender = usize::from(self.data_sender());
        self.sent[sender].outwards - self.sent[1 - sender].outwards
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

    /// The same connection seen with this data sender: the other end may have captured more of the other direction;
    /// the first capture says who sends.
    pub(super) fn facing(mut self, sender: SocketAddr) -> Self {
        self.data_sender = Some(u8::from(self.ends[1] == sender));
        self
    }

    /// What a wrong checksum of the direction with (`data`) or against the data means.
    pub(super) fn checksum_meaning(&self, data: bool) -> ChecksumMeaning {
        let sender = usize::from(self.data_sender());
        self.sent[if data { sender } else { 1 - sender }].checksums.meaning()
    }

    /// Whether packets that came in at this side were corrupted for sure.
    pub(super) fn shows_corruption(&self, side: Side) -> bool {
        let sender = usize::from(self.data_sender());
        let remote = match side {
            Side::Sender => 1 - sender,
            Side::Receiver => sender,
        };
        self.sent[remote].checksums.shows_corruption()
    }

    /// What stands for the data sender's SYN if none was captured: the number before its lowest one.
    pub(super) fn origin_without_syn(&self) -> Option<SeqNumber> {
        let mut sent = self
            .packets
            .iter()
            .filter(|packet| self.sends_data(packet))
            .map(|packet| packet.segment);
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
