//! What one host's capture shows of the connection.

use std::net::SocketAddrV4;

use windlull_capture::{Crossing, address_of};
use windlull_plane::{Fingerprint, fingerprint};
use windlull_units::{Host, Time};
use windlull_wire::packet::{ETHERNET_LEN, LinkType, datagram_payload_len, decode};
use windlull_wire::{Flags, Segment};

/// A packet as a host's capture has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) at: Time,
    pub(super) way: Crossing,
    /// Octets of the frame on the wire.
    pub(super) len: u32,
    /// What it is of the connection; none where packets count that are no TCP's.
    pub(super) segment: Option<Segment>,
    /// Octets of its payload, where datagrams count.
    pub(super) datagram: Option<usize>,
    pub(super) fingerprint: Fingerprint,
    /// Where its octets are kept.
    start: usize,
    end: usize,
}

/// A host's capture of the connection, in order of time.
#[derive(Debug)]
pub(crate) struct Capture {
    pub(super) packets: Vec<Seen>,
    octets: Vec<u8>,
    /// Frames that are not of the connection.
    pub(super) foreign: u64,
    host: Host,
    counts: Counts,
}

/// Which packets count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counts {
    /// Those of the TCP connection.
    Segments,
    /// UDP datagrams between the hosts' socket addresses.
    Datagrams,
    EveryPacket,
}

impl Capture {
    pub(crate) const fn new(host: Host) -> Self {
        Self {
            packets: Vec::new(),
            octets: Vec::new(),
            foreign: 0,
            host,
            counts: Counts::Segments,
        }
    }

    /// Of this host: every IPv4 packet to or from one other host counts, of whatever connection and protocol.
    pub(crate) fn of_every_packet(host: Host) -> Self {
        Self {
            counts: Counts::EveryPacket,
            ..Self::new(host)
        }
    }

    /// Of this host, the UDP datagrams of a transport from elsewhere.
    pub(crate) fn of_datagrams(host: Host) -> Self {
        Self {
            counts: Counts::Datagrams,
            ..Self::new(host)
        }
    }

    /// Adds the next frame, which was captured whole, or cut; `len` is its length on the wire.
    pub(crate) fn push(&mut self, at: Time, way: Crossing, len: u32, frame: &[u8]) {
        let (segment, datagram) = match self.counts {
            Counts::Segments => (self.of_connection(way, len, frame), None),
            Counts::Datagrams => {
                let (from, to) = self.ends(way);
                (None, datagram_payload_len(from, to, frame))
            }
            Counts::EveryPacket => (None, None),
        };
        let counts = match self.counts {
            Counts::Segments => segment.is_some(),
            Counts::Datagrams => datagram.is_some(),
            Counts::EveryPacket => is_between_hosts(frame),
        };
        if !counts {
            self.foreign += 1;
            return;
        }
        let start = self.octets.len();
        self.octets.extend_from_slice(frame);
        self.packets.push(Seen {
            at,
            way,
            len,
            segment,
            datagram,
            fingerprint: fingerprint(&frame[ETHERNET_LEN..]),
            start,
            end: self.octets.len(),
        });
    }

    /// The segment in a frame of the connection.
    fn of_connection(&self, way: Crossing, len: u32, frame: &[u8]) -> Option<Segment> {
        let (from, to) = self.ends(way);
        let packet = decode(LinkType::Ethernet, frame, len as usize).ok()?;
        ((packet.source, packet.destination) == (from.into(), to.into())).then_some(packet.segment)
    }

    /// Whose packets go that way: the sender's socket address, the receiver's.
    const fn ends(&self, way: Crossing) -> (SocketAddrV4, SocketAddrV4) {
        let (own, peer) = (address_of(self.host), address_of(self.host.peer()));
        match way {
            Crossing::Outbound => (own, peer),
            Crossing::Inbound => (peer, own),
        }
    }

    /// What the host sent again: when, and the offset of its first octet in the stream.
    pub(crate) fn resent(&self) -> Vec<(Time, u64)> {
        let outbound = self.packets.iter().filter(|packet| packet.way == Crossing::Outbound);
        let mut sent = outbound.filter_map(|packet| Some((packet.at, packet.segment?)));
        let Some((_, syn)) = sent.find(|(_, segment)| segment.flags.has(Flags::SYN)) else {
            return Vec::new();
        };
        let origin = syn.seq.add(1);
        let mut next = 0;
        let mut resent = Vec::new();
        for (at, segment) in sent.filter(|(_, segment)| segment.sequence_len() > 0) {
            let Some(offset) = segment.seq.unwrap_near(origin, next) else {
                continue;
            };
            if offset < next {
                resent.push((at, offset));
            }
            next = next.max(offset + u64::from(segment.sequence_len()));
        }
        resent
    }

    /// Whether either end reset the connection.
    pub(crate) fn has_reset(&self) -> bool {
        let mut segments = self.packets.iter().filter_map(|packet| packet.segment);
        segments.any(|segment| segment.flags.has(Flags::RST))
    }

    /// When the last packet passed.
    pub(crate) fn last(&self) -> Time {
        self.packets.last().map_or(Time::ZERO, |packet| packet.at)
    }

    pub(super) fn octets(&self, packet: &Seen) -> &[u8] {
        &self.octets[packet.start..packet.end]
    }
}

/// Whether a frame is an IPv4 packet to one host: what goes to many stays on its own side of the link.
fn is_between_hosts(frame: &[u8]) -> bool {
    const IPV4: [u8; 2] = [0x08, 0x00];
    /// Of a group, by the lowest bit of the first octet (IEEE 802).
    const GROUP: u8 = 0x01;
    frame.len() > ETHERNET_LEN && frame[12..ETHERNET_LEN] == IPV4 && frame[0] & GROUP == 0
}
