//! What a host's ends leave when they are over.

use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};
use windlull_tcp::CloseReason;
use windlull_units::{Host, Span, Time};
use windlull_wire::SenderEvent;

use crate::assembly::Reason;
use crate::commands::Exit;
use crate::hosts::{Seen, Settings};
use crate::transports::Told;
use crate::{LiveError, Received, endpoint};

/// What a host's ends leave.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ended {
    /// Of each connection, in their order; programs leave none.
    pub(crate) connections: Vec<ConnectionEnded>,
    /// Packets that there was no place for, or that could not be sent.
    pub(crate) missed: u64,
    /// Packets with wrong checksums, which no TCP saw; a kernel does not tell.
    pub(crate) bad_checksums: u64,
    /// Settings that are known once there is a connection.
    pub(crate) settings: BTreeMap<String, String>,
    /// What its program left, if it has run one.
    pub(crate) exit: Option<Exit>,
}

/// What an end of a connection leaves.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConnectionEnded {
    /// What its sender said of itself.
    pub(crate) events: Vec<(Time, SenderEvent)>,
    /// What a kernel's counters prove to have happened between two samples.
    pub(crate) seen: Vec<Seen>,
    /// What a transport from elsewhere said and sent.
    pub(crate) told: Vec<Told>,
    /// Why it sent what it sent.
    pub(crate) reasons: Vec<Reason>,
    /// What its application read.
    pub(crate) received: Received,
    /// When the responses were complete that it asked for, and how long each took; those of a transport from elsewhere are told.
    pub(crate) tasks: Vec<(Time, Span)>,
    /// What went wrong, if something did.
    pub(crate) failure: Option<String>,
}

impl Ended {
    pub(super) fn of_program(exit: Option<Exit>) -> Self {
        Self {
            exit,
            ..Self::default()
        }
    }
}

/// The options of a host's sockets, by the numbers of their connections from 0: all of the first socket's, and of the others
/// what differs from it. Those of the connection 0 have the host's names, those of others as in
/// `server.flow_2.socket.TCP_CONGESTION`.
pub(super) fn of_sockets<'a>(each: impl Iterator<Item = (usize, &'a Settings)>) -> Settings {
    let mut all = Settings::new();
    let mut first: Option<&Settings> = None;
    for (number, settings) in each {
        let differs = |(name, value): &(&String, &String)| first.is_none_or(|first| first.get(*name) != Some(*value));
        all.extend(settings.iter().filter(differs).map(|(name, value)| {
            let name = match number {
                0 => name.clone(),
                number => name.replacen(".socket.", &format!(".flow_{}.socket.", number + 1), 1),
            };
            (name, value.clone())
        }));
        first = first.or(Some(settings));
    }
    all
}

impl From<endpoint::ConnectionReport> for ConnectionEnded {
    fn from(report: endpoint::ConnectionReport) -> Self {
        let failure = report.close_reason.filter(|&reason| reason != CloseReason::Finished);
        Self {
            events: report.events,
            reasons: report.sent,
            received: report.received,
            tasks: report.tasks,
            failure: failure.map(|reason| format!("closed: {reason:?}")),
            ..Self::default()
        }
    }
}

/// A host could not do something.
pub(super) fn failed(host: Host, what: &'static str, source: io::Error) -> LiveError {
    LiveError::Host { host, what, source }
}
