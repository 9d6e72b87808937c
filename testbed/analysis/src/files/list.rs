//! The TCP connections of a capture, as a list to choose from.

use std::net::SocketAddr;

use schemars::JsonSchema;
use serde::Serialize;

use super::load::Capture;
use super::{AnalyzeError, Files, Which};

/// Connections that are listed at most: those with the most data.
pub const MOST_LISTED: usize = 1_000;

/// What the connections of a file are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Captures are read for TCP alone.
    Tcp,
    /// qlog files tell of nothing else.
    Quic,
}

/// The connections with data of one capture, or of both ends'.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConnectionList {
    pub protocol: Protocol,
    /// How many there are in the first file; `connections` has [`MOST_LISTED`] of them at most.
    pub total: u64,
    /// In the order in which they begin in the first file.
    pub connections: Vec<ListedConnection>,
}

/// A connection with data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedConnection {
    /// Its place among those with data, from 1: [`Selection::Number`](super::Selection::Number).
    pub number: u64,
    /// Who sent more data.
    pub data_sender: SocketAddr,
    pub data_receiver: SocketAddr,
    /// Its packets in the first file.
    pub packets: u64,
    /// Octets of payload that the data sender sent, as they were seen: what was sent twice counts twice.
    pub sent_bytes: u64,
    /// The same of the data receiver.
    pub received_bytes: u64,
    /// When its first packet was seen: since the run's start, or since the first packet of a capture that is not ours.
    pub began_ns: u64,
    /// From its first packet to its last.
    pub duration_ns: u64,
    /// Whether the second file has it too; `None` without a second file.
    pub in_second: Option<bool>,
}

/// Lists the connections of one or two captures; fates and events are not read.
///
/// # Errors
/// [`AnalyzeError`]: a file that is no capture, or is truncated. One without connections has an empty list.
pub fn connections(files: Files<'_>) -> Result<ConnectionList, AnalyzeError> {
    let first = Capture::load(files.first, Which::First)?;
    let second = files
        .second
        .map(|file| Capture::load(file, Which::Second))
        .transpose()?;
    let start_ns = first.start_ns();
    let mut listed: Vec<ListedConnection> = (1..)
        .zip(first.with_data())
        .map(|(number, connection)| {
            let info = connection.info();
            let [began_ns, ended_ns] = connection.times_ns();
            let sent_bytes = connection.payload_of_data_sender();
            ListedConnection {
                number,
                data_sender: info.data_sender,
                data_receiver: info.data_receiver,
                packets: info.packets,
                sent_bytes,
                received_bytes: info.payload_bytes - sent_bytes,
                began_ns: began_ns.saturating_sub(start_ns),
                duration_ns: ended_ns - began_ns,
                in_second: second.as_ref().map(|second| second.has_like(connection)),
            }
        })
        .collect();
    let total = listed.len() as u64;
    if listed.len() > MOST_LISTED {
        listed.sort_by_key(|one| (std::cmp::Reverse(one.sent_bytes + one.received_bytes), one.number));
        listed.truncate(MOST_LISTED);
        listed.sort_by_key(|one| one.number);
    }
    Ok(ConnectionList {
        protocol: Protocol::Tcp,
        total,
        connections: listed,
    })
}
