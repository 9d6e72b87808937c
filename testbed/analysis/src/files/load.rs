//! Reading a capture into its TCP connections.

use std::collections::BTreeMap;
use std::io::Read;
use std::net::SocketAddr;

use windlull_capture::{ReadError, read_pcap};
use windlull_wire::packet::{DecodeError, LinkType, decode};

use super::connection::Connection;
use super::error::{AnalyzeError, Which};
use super::packets::Seen;

/// Which connection of the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// The one with the most payload.
    #[default]
    MostData,
    /// The one with the most payload between these two, in either order.
    Between(SocketAddr, SocketAddr),
    /// The one of this number in the first file's list ([`connections`]).
    Number(u64),
}

/// Connections named in a note at most.
const MOST_NAMED: usize = 5;

/// How much of a file is kept in memory at most; more of it is refused.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Packets of TCP: 48 octets each.
    packets: u64,
    connections: usize,
}

const LIMITS: Limits = Limits {
    packets: 40_000_000,
    connections: 100_000,
};

/// The TCP connections of a file.
#[derive(Debug)]
pub(super) struct Capture {
    connections: Vec<Connection>,
    packets: u64,
    /// Packets that should have been TCP and could not be read.
    broken: u64,
    first_broken: Option<DecodeError>,
    untimed: u64,
    /// What the file ends in the middle of, and where that begins in it.
    cut_in: Option<(&'static str, u64)>,
    /// The first link type that is not read.
    foreign_link: Option<u32>,
    /// What the stamp of the run's start is, in a capture of ours, or the earliest stamp.
    start_ns: Option<u64>,
}

impl Capture {
    pub(super) fn load(file: &mut dyn Read, which: Which) -> Result<Self, AnalyzeError> {
        Self::load_within(file, which, LIMITS)
    }

    fn load_within(file: &mut dyn Read, which: Which, limits: Limits) -> Result<Self, AnalyzeError> {
        let mut kept = 0;
        let failed = |source| AnalyzeError::Capture { which, source };
        let mut capture = Self {
            connections: Vec::new(),
            packets: 0,
            broken: 0,
            first_broken: None,
            untimed: 0,
            cut_in: None,
            foreign_link: None,
            start_ns: None,
        };
        let mut latest: BTreeMap<(SocketAddr, SocketAddr), usize> = BTreeMap::new();
        // Most packets are of the connection of the packet before.
        let mut last_place = 0;
        let mut last_at = 0;
        let mut reader = read_pcap(file).map_err(failed)?;
        loop {
            let captured = match reader.next_packet() {
                Ok(Some(captured)) => captured,
                Ok(None) => break,
                // Whoever wrote it was ended, or the disk was full; what was written before is whole.
                Err(ReadError::Truncated { what, offset, .. }) if capture.packets > 0 => {
                    capture.cut_in = Some((what, offset));
                    break;
                }
                Err(error) => return Err(failed(error)),
            };
            capture.packets += 1;
            if let Some(at_ns) = captured.at_ns {
                capture.start_ns = Some(capture.start_ns.map_or(at_ns, |first| first.min(at_ns)));
            }
            let Some(link) = LinkType::from_number(captured.link_type) else {
                capture.foreign_link.get_or_insert(captured.link_type);
                continue;
            };
            let packet = match decode(link, captured.octets, captured.original_len as usize) {
                Ok(packet) => packet,
                Err(DecodeError::NotTcp { .. } | DecodeError::NotIp { .. }) => continue,
                Err(error) => {
                    capture.broken += 1;
                    capture.first_broken.get_or_insert(error);
                    continue;
                }
            };
            if captured.at_ns.is_none() {
                capture.untimed += 1;
            }
            last_at = captured.at_ns.unwrap_or(last_at);
            let connections = &mut capture.connections;
            let is_it = |it: &Connection| {
                it.is_between(&packet.source, &packet.destination) && !it.is_over_for(&packet.segment)
            };
            let place = if connections.get(last_place).is_some_and(is_it) {
                last_place
            } else {
                let ends = (
                    packet.source.min(packet.destination),
                    packet.source.max(packet.destination),
                );
                match latest.get(&ends) {
                    Some(&place) if is_it(&connections[place]) => place,
                    _ if connections.len() == limits.connections => {
                        let (what, most) = ("connections", limits.connections as u64);
                        return Err(AnalyzeError::TooMany { which, what, most });
                    }
                    _ => {
                        connections.push(Connection::new(packet.source, packet.destination));
                        latest.insert(ends, connections.len() - 1);
                        connections.len() - 1
                    }
                }
            };
            last_place = place;
            if kept == limits.packets {
                let (what, most) = ("packets of TCP", limits.packets);
                return Err(AnalyzeError::TooMany { which, what, most });
            }
            kept += 1;
            let connection = &mut connections[place];
            connection.push(&Seen {
                at_ns: last_at,
                from: u8::from(packet.source != connection.ends[0]),
                ip_id: packet.ip_id,
                segment: packet.segment,
                checksum: packet.checksum,
                way: captured.way,
                packet_id: captured.packet_id,
                said_corrupted: captured.is_said_to_be_corrupted(),
            });
        }
        capture.start_ns = reader.run_start_ns().or(capture.start_ns);
        for connection in &mut capture.connections {
            // Several interfaces of a file need not be in order.
            connection.packets.sort();
        }
        Ok(capture)
    }

    /// The connections with data, in the order in which they begin.
    pub(super) fn with_data(&self) -> impl Iterator<Item = &Connection> {
        self.connections.iter().filter(|connection| connection.payload() > 0)
    }

    /// From when times count: the run's start, or the earliest stamp of a capture that is not ours.
    pub(super) fn start_ns(&self) -> u64 {
        self.start_ns.unwrap_or(0)
    }

    /// Whether it has a connection with data that may be this one of the other capture.
    pub(super) fn has_like(&self, other: &Connection) -> bool {
        self.with_data().any(|connection| connection.may_be(other))
    }

    /// Takes the connection that is this one of the other capture: of those that may be, the one with the most data.
    pub(super) fn take_like(&mut self, other: &Connection, which: Which) -> Result<Connection, AnalyzeError> {
        let best = (0..self.connections.len())
            .filter(|&place| {
                let connection = &self.connections[place];
                connection.payload() > 0 && connection.may_be(other)
            })
            .rev()
            .max_by_key(|&place| self.connections[place].payload());
        match best {
            Some(place) => Ok(self.connections.remove(place)),
            None => {
                let info = other.info();
                self.take(Selection::Between(info.data_sender, info.data_receiver), which)
            }
        }
    }

    /// Takes the connection that is asked for; of equals the first one.
    pub(super) fn take(&mut self, selection: Selection, which: Which) -> Result<Connection, AnalyzeError> {
        if let Selection::Number(number) = selection {
            let mut places = (0..self.connections.len()).filter(|&place| self.connections[place].payload() > 0);
            let nth = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
            return match nth.and_then(|nth| places.nth(nth)) {
                Some(place) => Ok(self.connections.remove(place)),
                None => Err(AnalyzeError::NoNumber {
                    which,
                    number,
                    total: self.with_data().count() as u64,
                }),
            };
        }
        let asked = |connection: &Connection| match selection {
            Selection::MostData => true,
            Selection::Between(a, b) => connection.ends == [a, b] || connection.ends == [b, a],
            Selection::Number(_) => false,
        };
        let with_data = self
            .connections
            .iter()
            .enumerate()
            .filter(|(_, connection)| connection.payload() > 0);
        let best = with_data
            .clone()
            .filter(|(_, connection)| asked(connection))
            .rev()
            .max_by_key(|(_, connection)| connection.payload());
        if let Some((place, _)) = best {
            return Ok(self.connections.remove(place));
        }
        match selection {
            Selection::Between(a, b) if with_data.clone().next().is_some() => Err(AnalyzeError::NotThere {
                which,
                a,
                b,
                there: list(with_data.map(|(_, connection)| connection)),
            }),
            _ => Err(AnalyzeError::NoConnection {
                which,
                packets: self.packets,
                hint: self.hint(),
            }),
        }
    }

    /// What the reader should know of the file, after the connection was taken.
    pub(super) fn notes(&self, which: Which) -> Vec<String> {
        let mut notes = Vec::new();
        let others = self.connections.len();
        if others > 0 {
            let others_named = list(self.connections.iter());
            notes.push(format!(
                "The {which} has {others} other TCP connections, which are left out: {others_named}."
            ));
        }
        if let Some(error) = self.first_broken {
            notes.push(format!(
                "{} packets of the {which} could not be read and are left out; the first one: {error}.",
                self.broken
            ));
        }
        if let Some((what, offset)) = self.cut_in {
            notes.push(format!(
                "The {which} ends in the middle of {what} at byte {offset}; what is before it is analysed."
            ));
        }
        if self.untimed > 0 {
            notes.push(format!(
                "{} packets of the {which} have no time stamp and are taken to be as late as the one before.",
                self.untimed
            ));
        }
        notes
    }

    fn hint(&self) -> String {
        match (self.foreign_link, self.first_broken) {
            (Some(number), _) => {
                format!("; link type {number} is not read (Ethernet, raw IP, Linux cooked and loopback are)")
            }
            (None, Some(error)) => format!("; the first one: {error}"),
            (None, None) => String::new(),
        }
    }
}

fn list<'a>(connections: impl Iterator<Item = &'a Connection>) -> String {
    let mut names: Vec<String> = connections.map(|connection| connection.info().to_string()).collect();
    let more = names.len().saturating_sub(MOST_NAMED);
    names.truncate(MOST_NAMED);
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pcap file of empty IPv4 segments, each a SYN from the port that is given.
    fn syns(ports: &[u16]) -> Vec<u8> {
        let mut file = Vec::new();
        for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65_535, 101] {
            file.extend(word.to_le_bytes());
        }
        for port in ports {
            for word in [0_u32, 0, 40, 40] {
                file.extend(word.to_le_bytes());
            }
            file.extend([0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
            file.extend(port.to_be_bytes());
            file.extend([0, 80, 0, 0, 0, 1, 0, 0, 0, 0, 0x50, 2, 255, 255, 0, 0, 0, 0]);
        }
        file
    }

    fn load(ports: &[u16], packets: u64, connections: usize) -> Result<Capture, AnalyzeError> {
        let limits = Limits { packets, connections };
        Capture::load_within(&mut syns(ports).as_slice(), Which::First, limits)
    }

    #[test]
    fn as_much_as_may_be_is_loaded_and_not_more() {
        let message = |loaded: Result<Capture, AnalyzeError>| loaded.expect_err("it is too much").to_string();
        let whole = load(&[1, 2, 2], 3, 2).expect("it is within the limits");
        assert_eq!((whole.connections.len(), whole.packets), (2, 3));
        assert!(message(load(&[1, 2, 2], 2, 2)).contains("more than 2 packets of TCP; cut the capture"));
        assert!(message(load(&[1, 2, 3], 3, 2)).contains("more than 2 connections; cut the capture"));
    }
}
