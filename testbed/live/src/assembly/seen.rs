//! What one host's capture shows of the connections.

use windlull_capture::{Crossing, addresses_from};
use windlull_plane::model::is_of_neighbours;
use windlull_plane::{Fingerprint, fingerprint};
use windlull_units::{Ecn, Host, Network, Time};
use windlull_wire::packet::{ETHERNET_LEN, LinkType, datagram_payload_len, decode};
use windlull_wire::{Flags, Segment};

use crate::ports::number_of;

/// A packet as a host's capture has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) at: Time,
    pub(super) way: Crossing,
    /// Octets of the frame on the wire.
    pub(super) len: u32,
    /// The place of its connection.
    pub(super) connection: usize,
    /// What it is of the connection; none where packets count that are no TCP's.
    pub(super) segment: Option<Segment>,
    /// Octets of its payload, where datagrams count.
    pub(super) datagram: Option<usize>,
    pub(super) fingerprint: Fingerprint,
    /// Where its octets are kept.
    start: usize,
    end: usize,
}

/// A host's capture of the connections, in order of time.
#[derive(Debug)]
pub(crate) struct Capture {
    pub(super) packets: Vec<Seen>,
    octets: Vec<u8>,
    /// Frames that are not of the connections.
    pub(super) foreign: u64,
    host: Host,
    counts: Counts,
}

/// Which packets count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counts {
    /// Those of so many TCP connections, over this version of IP.
    Segments(Network, usize),
    /// UDP datagrams between the hosts' socket addresses over this version of IP.
    Datagrams(Network),
    /// Of this version of IP.
    EveryPacket(Network),
}

impl Capture {
    /// Of this host: the segments of so many connections over this version of IP.
    pub(crate) const fn of_segments(host: Host, network: Network, connections: usize) -> Self {
        Self {
            packets: Vec::new(),
            octets: Vec::new(),
            foreign: 0,
            host,
            counts: Counts::Segments(network, connections),
        }
    }

    /// Of this host: every packet of this version of IP to or from one other host counts, of whatever connection and protocol.
    pub(crate) fn of_every_packet(host: Host, network: Network) -> Self {
        Self {
            counts: Counts::EveryPacket(network),
            ..Self::of_segments(host, network, 0)
        }
    }

    /// Of this host, the UDP datagrams of a transport from elsewhere.
    pub(crate) fn of_datagrams(host: Host, network: Network) -> Self {
        Self {
            counts: Counts::Datagrams(network),
            ..Self::of_segments(host, network, 0)
        }
    }

    /// Adds the next frame, which was captured whole, or cut; `len` is its length on the wire.
    pub(crate) fn push(&mut self, at: Time, way: Crossing, len: u32, frame: &[u8]) {
        let found = match self.counts {
            Counts::Segments(network, connections) => self
                .of_connections(way, len, frame, (network, connections))
                .map(|(connection, segment)| (connection, Some(segment), None)),
            Counts::Datagrams(network) => {
                let addresses = addresses_from(network, self.sender(way));
                datagram_payload_len(&addresses, frame).map(|octets| (0, None, Some(octets)))
            }
            Counts::EveryPacket(network) => is_between_hosts(network, frame).then_some((0, None, None)),
        };
        let Some((connection, segment, datagram)) = found else {
            self.foreign += 1;
            return;
        };
        let start = self.octets.len();
        self.octets.extend_from_slice(frame);
        self.packets.push(Seen {
            at,
            way,
            len,
            connection,
            segment,
            datagram,
            fingerprint: fingerprint(&frame[ETHERNET_LEN..]),
            start,
            end: self.octets.len(),
        });
    }

    /// The place of the connection that a frame is of, and the segment in it.
    fn of_connections(
        &self,
        way: Crossing,
        len: u32,
        frame: &[u8],
        (network, connections): (Network, usize),
    ) -> Option<(usize, Segment)> {
        let packet = decode(LinkType::Ethernet, frame, len as usize).ok()?;
        let number = number_of(
            network,
            self.sender(way),
            packet.source,
            packet.destination,
            connections,
        )?;
        Some((usize::from(number), packet.segment))
    }

    /// Whose packets go that way.
    const fn sender(&self, way: Crossing) -> Host {
        match way {
            Crossing::Outbound => self.host,
            Crossing::Inbound => self.host.peer(),
        }
    }

    /// What the host sent again on the connection of this place: when, and the offset of its first octet in the stream.
    pub(crate) fn resent(&self, connection: usize) -> Vec<(Time, u64)> {
        let outbound = self.packets.iter().filter(|packet| packet.way == Crossing::Outbound);
        let outbound = outbound.filter(|packet| packet.connection == connection);
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

    /// The version of IP of the packets that count.
    pub(super) const fn network(&self) -> Network {
        match self.counts {
            Counts::Segments(network, _) | Counts::Datagrams(network) | Counts::EveryPacket(network) => network,
        }
    }

    /// Whether either end reset a connection.
    pub(crate) fn has_reset(&self) -> bool {
        let mut segments = self.packets.iter().filter_map(|packet| packet.segment);
        segments.any(|segment| segment.flags.has(Flags::RST))
    }

    /// When the last packet passed.
    pub(crate) fn last(&self) -> Time {
        self.packets.last().map_or(Time::ZERO, |packet| packet.at)
    }

    /// The packet's congestion codepoint (RFC 3168, section 5), as it passed here; none of a packet that was cut before it.
    pub(super) fn ecn(&self, packet: &Seen) -> Option<Ecn> {
        match self.octets(packet).get(ETHERNET_LEN..)? {
            // The low half of IPv6's traffic class is the high half of the second octet (RFC 8200, section 3).
            [first, second, ..] if first >> 4 == 6 => Some(Ecn::of_octet(second >> 4)),
            // RFC 791, section 3.1.
            [_, services, ..] => Some(Ecn::of_octet(*services)),
            [] | [_] => None,
        }
    }

    pub(super) fn octets(&self, packet: &Seen) -> &[u8] {
        &self.octets[packet.start..packet.end]
    }
}

/// Whether a frame is a packet of this version of IP to one host: what goes to many stays on its own side of the link, and so does
/// what a kernel asks and tells its neighbours over IPv6, which no link carries.
fn is_between_hosts(network: Network, frame: &[u8]) -> bool {
    /// Of a group, by the lowest bit of the first octet (IEEE 802).
    const GROUP: u8 = 0x01;
    let Some((ethernet, packet)) = frame.split_at_checked(ETHERNET_LEN) else {
        return false;
    };
    let ethertype: [u8; 2] = match network {
        Network::Ipv4 => [0x08, 0x00],
        Network::Ipv6 => [0x86, 0xDD],
    };
    let is_carried = match network {
        Network::Ipv4 => !packet.is_empty(),
        Network::Ipv6 => is_from_host(packet),
    };
    ethernet[12..] == ethertype && ethernet[0] & GROUP == 0 && is_carried
}

/// Whether an IPv6 packet is no message of ICMPv6 about neighbours and groups. Those stand right behind IPv6's header where they
/// go to one host.
fn is_from_host(packet: &[u8]) -> bool {
    /// RFC 8200, section 3: where the next header is told, and where it stands.
    const NEXT_HEADER: usize = 6;
    const IPV6_LEN: usize = 40;
    const ICMPV6: u8 = 58;
    match packet.get(NEXT_HEADER) {
        None => false,
        Some(&ICMPV6) => packet.get(IPV6_LEN).is_some_and(|kind| !is_of_neighbours(*kind)),
        Some(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_every_packet_those_between_hosts_count() {
        // Ethernet to one host, and packets of TCP, of UDP, an echo request and a neighbour's solicitation.
        let frame = |ethertype: [u8; 2], next_header: u8, first: u8| {
            let mut frame = vec![0; ETHERNET_LEN + 48];
            frame[0] = 0x02;
            frame[12..ETHERNET_LEN].copy_from_slice(&ethertype);
            frame[ETHERNET_LEN + 6] = next_header;
            frame[ETHERNET_LEN + 40] = first;
            frame
        };
        let (four, six) = ([0x08, 0x00], [0x86, 0xDD]);
        for (ethertype, next_header, first, counts) in [
            (four, 6, 0, [true, false]),
            (six, 6, 135, [false, true]),
            (six, 17, 0, [false, true]),
            (six, 58, 128, [false, true]),
            (six, 58, 1, [false, true]),
            (six, 58, 135, [false, false]),
            ([0x08, 0x06], 0, 0, [false, false]),
        ] {
            let frame = frame(ethertype, next_header, first);
            assert_eq!(
                Network::ALL.map(|network| is_between_hosts(network, &frame)),
                counts,
                "{ethertype:?} {next_header} {first}"
            );
            let mut group = frame.clone();
            group[0] |= 1;
            assert!(Network::ALL.iter().all(|network| !is_between_hosts(*network, &group)));
            assert!(
                Network::ALL
                    .iter()
                    .all(|network| !is_between_hosts(*network, &frame[..ETHERNET_LEN]))
            );
        }
    }
}
