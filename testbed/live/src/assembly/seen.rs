//! What one host's capture shows of the connection.

use windlull_capture::{Way, address_of};
use windlull_plane::{Fingerprint, fingerprint};
use windlull_units::{Host, Time};
use windlull_wire::packet::{ETHERNET_LEN, LinkType, decode};
use windlull_wire::{Flags, Segment};

/// A packet as a host's capture has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) at: Time,
    pub(super) way: Way,
    /// Octets of the frame on the wire.
    pub(super) len: u32,
    pub(super) segment: Segment,
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
}

impl Capture {
    /// Of this host.
    pub(crate) const fn new(host: Host) -> Self {
        Self {
            packets: Vec::new(),
            octets: Vec::new(),
            foreign: 0,
            host,
        }
    }

    /// Adds the next frame, which was captured whole, or cut; `len` is its length on the wire.
    pub(crate) fn push(&mut self, at: Time, way: Way, len: u32, frame: &[u8]) {
        let (own, peer) = (address_of(self.host).into(), address_of(self.host.peer()).into());
        let ends = match way {
            Way::Outbound => (own, peer),
            Way::Inbound => (peer, own),
        };
        let packet = match decode(LinkType::Ethernet, frame, len as usize) {
            Ok(packet) if (packet.source, packet.destination) == ends => packet,
            _ => {
                self.foreign += 1;
                return;
            }
        };
        let start = self.octets.len();
        self.octets.extend_from_slice(frame);
        self.packets.push(Seen {
            at,
            way,
            len,
            segment: packet.segment,
            fingerprint: fingerprint(&frame[ETHERNET_LEN..]),
            start,
            end: self.octets.len(),
        });
    }

    /// What the host sent again: when, and the offset of its first octet in the stream.
    pub(crate) fn resent(&self) -> Vec<(Time, u64)> {
        let mut sent = self.packets.iter().filter(|packet| packet.way == Way::Outbound);
        let Some(syn) = sent.find(|packet| packet.segment.flags.has(Flags::SYN)) else {
            return Vec::new();
        };
        let origin = syn.segment.seq.add(1);
        let mut next = 0;
        let mut resent = Vec::new();
        for packet in sent.filter(|packet| packet.segment.sequence_len() > 0) {
            let Some(offset) = packet.segment.seq.unwrap_near(origin, next) else {
                continue;
            };
            if offset < next {
                resent.push((packet.at, offset));
            }
            next = next.max(offset + u64::from(packet.segment.sequence_len()));
        }
        resent
    }

    /// Whether either end reset the connection.
    pub(crate) fn has_reset(&self) -> bool {
        self.packets.iter().any(|packet| packet.segment.flags.has(Flags::RST))
    }

    /// When the last packet passed.
    pub(crate) fn last(&self) -> Time {
        self.packets.last().map_or(Time::ZERO, |packet| packet.at)
    }

    pub(super) fn octets(&self, packet: &Seen) -> &[u8] {
        &self.octets[packet.start..packet.end]
    }
}
