//! Reading a capture into its TCP connections.

use std::collections::BTreeMap;
use std::io::Read;
use std::net::SocketAddr;

use windlull_capture::read_pcap;
use windlull_wire::packet::{DecodeError, LinkType, decode};

use super::connection::Connection;
use super::packets::Seen;
use super::{AnalyzeError, Selection, Which};

/// Connections named in a note at most.
const MOST_NAMED: usize = 5;

/// The TCP connections of a file.
#[derive(Debug)]
pub(super) struct Capture {
    connections: Vec<Connection>,
    packets: u64,
    /// Packets that should have been TCP and could not be read.
    broken: u64,
    first_broken: Option<DecodeError>,
    untimed: u64,
    /// The first link type that is not read.
    foreign_link: Option<u32>,
}

impl Capture {
    pub(super) fn load(file: &mut dyn Read, which: Which) -> Result<Self, AnalyzeError> {
        let failed = |source| AnalyzeError::Capture { which, source };
        let mut capture = Self {
            connections: Vec::new(),
            packets: 0,
            broken: 0,
            first_broken: None,
            untimed: 0,
            foreign_link: None,
        };
        let mut latest: BTreeMap<(SocketAddr, SocketAddr), usize> = BTreeMap::new();
        // Most packets are of the connection of the packet before.
        let mut last_place = 0;
        let mut last_at = 0;
        let mut reader = read_pcap(file).map_err(failed)?;
        while let Some(captured) = reader.next_packet().map_err(failed)? {
            capture.packets += 1;
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
                    _ => {
                        connections.push(Connection::new(packet.source, packet.destination));
                        latest.insert(ends, connections.len() - 1);
                        connections.len() - 1
                    }
                }
            };
            last_place = place;
            let connection = &mut connections[place];
            connection.push(&Seen {
                at_ns: last_at,
                from: u8::from(packet.source != connection.ends[0]),
                ip_id: packet.ip_id,
                segment: packet.segment,
                checksum: packet.checksum,
                way: captured.way,
                packet_id: captured.packet_id,
            });
        }
        for connection in &mut capture.connections {
            // Several interfaces of a file need not be in order.
            connection.packets.sort();
        }
        Ok(capture)
    }

    /// Takes the connection that is asked for; of equals the first one.
    pub(super) fn take(&mut self, selection: Selection, which: Which) -> Result<Connection, AnalyzeError> {
        let asked = |connection: &Connection| match selection {
            Selection::MostData => true,
            Selection::Between(a, b) => connection.ends == [a, b] || connection.ends == [b, a],
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
