//! What each packet of a run carried: its fates, with the octets that the captures beside them show.

use std::collections::BTreeMap;
use std::io::Read;

use thiserror::Error;
use windlull_capture::Crossing;
use windlull_fates::{FateError, HEADER_WITH_OCTETS, Octets, push_row_with_octets, read_fates};
use windlull_units::Host;
use windlull_wire::{Flags, SeqNumber};

use super::connection::Connection;
use super::load::{Capture, Selection};
use super::{AnalyzeError, Which};

/// Why it cannot be told what packets carried.
#[derive(Debug, Error)]
pub enum OctetsError {
    /// The fates cannot be read.
    #[error(transparent)]
    Fates(#[from] FateError),
    /// The run had no TCP, as one of QUIC.
    #[error("the captures beside it show no TCP connection with data; replay it by packet or by time")]
    NoTcp,
    /// A capture cannot be read.
    #[error("server.pcapng and client.pcapng beside it: {0}")]
    Captures(AnalyzeError),
    /// No packet of the captures has the number of one with a fate.
    #[error("server.pcapng and client.pcapng beside it number none of its packets: they are of another run")]
    OfAnotherRun,
}

impl From<AnalyzeError> for OctetsError {
    fn from(error: AnalyzeError) -> Self {
        match error {
            AnalyzeError::NoConnection { .. } => Self::NoTcp,
            error => Self::Captures(error),
        }
    }
}

/// The rows of a `fates.csv` with two more columns, the octets that each packet carried of the data stream of its direction:
/// the first one, and the one behind the last, counted from the octet after SYN. Those without payload, of other connections
/// than the one with the most data, and copies that the link made have none.
///
/// The captures are those of the run, which number their packets as the fates do.
///
/// # Errors
/// [`OctetsError`]: a file that cannot be read, a run without TCP, captures of another run.
pub fn fates_with_octets(
    fates: &mut dyn Read,
    server: &mut dyn Read,
    client: &mut dyn Read,
) -> Result<String, OctetsError> {
    let mut at_server = Capture::load(server, Which::First)?;
    let mut at_client = Capture::load(client, Which::Second)?;
    let of_server = at_server.take(Selection::MostData, Which::First)?;
    let of_client = at_client.take_like(&of_server, Which::Second)?;
    let (by_server, by_client) = (carried(&of_server), carried(&of_client));
    let mut text = HEADER_WITH_OCTETS.as_bytes().to_vec();
    let mut found = false;
    for fate in read_fates(fates) {
        let fate = fate?;
        let sent = if fate.direction == Host::Server.sends() {
            &by_server
        } else {
            &by_client
        };
        let octets = sent.get(&fate.id.0).copied();
        let octets = octets.filter(|_| fate.duplicate_of.is_none());
        found |= octets.is_some();
        push_row_with_octets(&mut text, &fate, octets);
    }
    if !found {
        return Err(OctetsError::OfAnotherRun);
    }
    Ok(String::from_utf8(text).expect("numbers and words are ASCII"))
}

/// What the host sent that captured this connection, by the numbers of its packets.
fn carried(connection: &Connection) -> BTreeMap<u64, Octets> {
    let mut found = BTreeMap::new();
    let mut stream: Option<Stream> = None;
    let sent = connection.packets.iter();
    for packet in sent.filter(|packet| packet.way == Some(Crossing::Outbound)) {
        let segment = &packet.segment;
        let stream = stream.get_or_insert(Stream {
            first: segment.seq,
            last: 0,
        });
        if segment.flags.has(Flags::SYN) {
            stream.first = segment.seq.add(1);
        }
        if segment.payload_len == 0 {
            continue;
        }
        let first = stream.octet(segment.seq);
        if let Some(id) = packet.packet_id {
            found.insert(id, (first, first + u64::from(segment.payload_len)));
        }
    }
    found
}

/// The octets of a data stream, numbered further than sequence numbers go, as the link that plays them numbers them.
#[derive(Debug)]
struct Stream {
    /// The sequence number of the first octet.
    first: SeqNumber,
    /// The octet that was sent last.
    last: u64,
}

impl Stream {
    /// The number of the octet with this sequence number, the nearest to the last one; zero for what is before the first.
    fn octet(&mut self, seq: SeqNumber) -> u64 {
        self.last = seq.unwrap_near(self.first, self.last).unwrap_or(0);
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_go_on_where_sequence_numbers_begin_again() {
        let mut stream = Stream {
            first: SeqNumber(u32::MAX - 9),
            last: 0,
        };
        assert_eq!(stream.octet(SeqNumber(u32::MAX - 10)), 0);
        assert_eq!(stream.octet(SeqNumber(u32::MAX - 9)), 0);
        assert_eq!(stream.octet(SeqNumber(90)), 100);
        assert_eq!(stream.octet(SeqNumber(u32::MAX - 4)), 5);
        for gigabyte in 1..9_u32 {
            let seq = SeqNumber((1_u32 << 30).wrapping_mul(gigabyte).wrapping_sub(10));
            assert_eq!(stream.octet(seq), u64::from(gigabyte) << 30);
        }
    }
}
