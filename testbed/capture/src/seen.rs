//! The segments of a run's connection, as a host's capture has them.

use std::collections::BTreeMap;
use std::io::Read;
use std::net::SocketAddr;

use thiserror::Error;
use windlull_units::{Network, Time};
use windlull_wire::Segment;
use windlull_wire::packet::{Checksum, DecodeError, LinkType, decode};

use crate::pcapng::Crossing;
use crate::reader::{ReadError, read_pcap};

/// A segment at a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Since the start of the run.
    pub at: Time,
    /// Its number in the run.
    pub id: Option<u64>,
    /// Whether the host sent it.
    pub is_outbound: bool,
    /// What carried it.
    pub network: Network,
    pub segment: Segment,
    /// What the capture says of it: a retransmission's verdict and its rule.
    pub comment: Option<String>,
}

/// Why a capture's segments are not known.
#[derive(Debug, Error)]
pub enum SeenError {
    #[error(transparent)]
    Capture(#[from] ReadError),
    #[error("packet {number}: {source}")]
    Packet {
        /// Its place in the capture, from 1.
        number: u64,
        source: DecodeError,
    },
    #[error("packet {number} does not say which way it passed; only captures of runs do")]
    NoDirection {
        /// Its place in the capture, from 1.
        number: u64,
    },
    #[error("the capture has no TCP in it")]
    NoTcp,
}

/// The segments of the connection with the most payload, in the order of the capture. What the link corrupted never reached
/// the TCP and is left out.
///
/// # Errors
/// [`SeenError`].
pub fn seen(capture: impl Read) -> Result<Vec<Seen>, SeenError> {
    let mut reader = read_pcap(capture)?;
    let mut connections: BTreeMap<(SocketAddr, SocketAddr), Vec<Seen>> = BTreeMap::new();
    let mut number = 0;
    while let Some(captured) = reader.next_packet()? {
        number += 1;
        let Some(link) = LinkType::from_number(captured.link_type) else {
            continue;
        };
        let packet = match decode(link, captured.octets, captured.original_len as usize) {
            Ok(packet) => packet,
            Err(DecodeError::NotTcp { .. } | DecodeError::NotIp { .. }) => continue,
            Err(source) => return Err(SeenError::Packet { number, source }),
        };
        let Some(way) = captured.way else {
            return Err(SeenError::NoDirection { number });
        };
        let is_outbound = way == Crossing::Outbound;
        // Of what goes out, a device may yet compute the checksum.
        if !is_outbound && (captured.is_said_to_be_corrupted() || packet.checksum == Checksum::Wrong) {
            continue;
        }
        let ends = (
            packet.source.min(packet.destination),
            packet.source.max(packet.destination),
        );
        connections.entry(ends).or_default().push(Seen {
            // Relative to the run's start, which only the section's end is sure to know.
            at: Time::from_ns(captured.at_ns.unwrap_or(0)),
            id: captured.packet_id,
            is_outbound,
            network: Network::of(&packet.source.ip()),
            segment: packet.segment,
            comment: captured.comment.map(str::to_owned),
        });
    }
    let start_ns = reader.run_start_ns().unwrap_or(0);
    let payload = |seen: &[Seen]| -> u64 { seen.iter().map(|seen| u64::from(seen.segment.payload_len)).sum() };
    let most = connections
        .into_iter()
        .max_by_key(|(ends, seen)| (payload(seen), *ends));
    let (_, mut seen) = most.ok_or(SeenError::NoTcp)?;
    for one in &mut seen {
        one.at = Time::from_ns(one.at.as_ns().saturating_sub(start_ns));
    }
    Ok(seen)
}
