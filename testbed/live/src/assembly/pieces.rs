//! All that is known of a run, before it is told.

use serde::{Deserialize, Serialize};
use windlull_plane::Fingerprint;
use windlull_plane::model::Log;
use windlull_units::{Direction, Fate, Host, LinkEvent, PacketId, Replayed, Span, Time, UnmetCondition};
use windlull_wire::{SenderEvent, TransmitCause};

use super::Capture;
use crate::transports::Told;

/// A packet came to the link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entered {
    pub(crate) id: PacketId,
    pub(crate) direction: Direction,
    pub(crate) fingerprint: Fingerprint,
    /// When it came there, or to the first of several.
    pub(crate) at: Time,
}

/// What the link did.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkLog {
    /// Packets in the order in which they came.
    pub(crate) entered: Vec<Entered>,
    /// What became of them, copies included, by the model's times.
    pub(crate) fates: Vec<Fate>,
    /// What happened to the link itself.
    pub(crate) events: Vec<(Time, LinkEvent)>,
    /// How far what came was what had been recorded, if the link replayed a recording.
    pub(crate) replayed: Option<Replayed>,
    /// Which entries of the link's script never began, if any waits for the transport.
    pub(crate) unmet: Option<Vec<UnmetCondition>>,
}

impl LinkLog {
    /// What the model plane has written down.
    pub(crate) fn of_model(log: &Log) -> Self {
        let entered = log.entered.iter().map(|entered| Entered {
            id: entered.id,
            direction: entered.direction,
            fingerprint: entered.fingerprint,
            at: entered.at,
        });
        Self {
            entered: entered.collect(),
            fates: log.fates.clone(),
            events: log.events.clone(),
            replayed: log.replayed,
            unmet: log.unmet.clone(),
        }
    }
}

/// Why an end of ours sent a packet.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Reason {
    /// When it decided to.
    pub(crate) at: Time,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) cause: TransmitCause,
}

/// All that is known of a run.
#[derive(Debug)]
pub(crate) struct Pieces {
    /// The server's capture, then the client's.
    pub(crate) captures: [Capture; 2],
    pub(crate) link: LinkLog,
    /// Of each connection, in their order. Of programs there is one, as whose all packets count.
    pub(crate) connections: Vec<ConnectionPieces>,
}

/// What is known of one connection besides.
#[derive(Debug)]
pub(crate) struct ConnectionPieces {
    /// Who sends the data, and what it said of itself.
    pub(crate) data_sender: Host,
    pub(crate) sender: Vec<(Time, SenderEvent)>,
    /// Why each end sent what it sent, if it is ours.
    pub(crate) reasons: [Vec<Reason>; 2],
    /// When responses were complete, and how long each took; those of a transport from elsewhere are told.
    pub(crate) tasks: Vec<(Time, Span)>,
    /// When the time of a transfer by time was up.
    pub(crate) elapsed: Option<Time>,
    /// What each end said and sent, if it is a transport from elsewhere.
    pub(crate) told: [Vec<Told>; 2],
}

impl ConnectionPieces {
    /// Of programs nothing is known but their packets.
    pub(crate) const fn of_programs() -> Self {
        Self {
            data_sender: Host::Server,
            sender: Vec::new(),
            reasons: [Vec::new(), Vec::new()],
            tasks: Vec::new(),
            elapsed: None,
            told: [Vec::new(), Vec::new()],
        }
    }
}
