//! Whether packets arrived with their bits as they were sent: by what the link said, and else by their checksums.

use std::collections::BTreeMap;

use windlull_units::{DropCause, Fate, Outcome, Time};
use windlull_wire::packet::Checksum;

use super::checksums::ChecksumMeaning;
use super::connection::Connection;
use super::packets::Seen;

/// Whether a packet arrived with its bits as they were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Intact {
    Yes,
    /// The host that it reached discarded it.
    No,
    Unknown(Doubt),
}

/// Why it cannot be told whether a packet arrived intact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// Its checksum is wrong, and perhaps none was ever computed.
    NotComputed,
    /// It was cut, so that its checksum cannot be verified, and other packets were corrupted.
    Cut,
}

/// What the link of a run of ours did to its packets, by their numbers in the run.
#[derive(Debug, Default)]
pub(super) struct KnownFates {
    dropped: BTreeMap<u64, (Time, DropCause)>,
    corrupted: BTreeMap<u64, Time>,
    /// The highest number that it tells of; `None` if it tells of no packet, or if its fates only follow from the
    /// captures, as those of the kernel's own link do.
    known_up_to: Option<u64>,
    follows_from_captures: bool,
}

impl KnownFates {
    pub(super) fn add(&mut self, fate: &Fate) {
        let id = fate.id.0;
        match fate.outcome {
            Outcome::Dropped { at, by } => {
                self.dropped.insert(id, (at, by));
            }
            Outcome::Delivered { at } => {
                if fate.corrupted {
                    self.corrupted.insert(id, at);
                }
                // A link that knows its packets knows when it served them.
                self.follows_from_captures |= fate.started.is_none();
            }
        }
        self.known_up_to = self.known_up_to.max(Some(id));
    }

    /// When and by what the link dropped a packet.
    pub(super) fn drop_of(&self, packet: &Seen) -> Option<(Time, DropCause)> {
        self.dropped.get(&packet.packet_id?).copied()
    }

    /// When a packet was delivered that the link had corrupted.
    pub(super) fn corrupted_at(&self, packet: &Seen) -> Option<Time> {
        self.corrupted.get(&packet.packet_id?).copied()
    }

    /// What it says of a packet that arrived; `None` if it says nothing.
    fn of_arrival(&self, packet: &Seen) -> Option<Intact> {
        let id = packet.packet_id?;
        if self.corrupted.contains_key(&id) {
            return Some(Intact::No);
        }
        let known = !self.follows_from_captures && self.known_up_to.is_some_and(|last| id <= last);
        known.then_some(Intact::Yes)
    }
}

/// Whether a packet of the direction with (`data`) or against the data arrived intact where `capture` was made. What the
/// link said goes before what the checksums suggest. `corrupting`: other packets of the connection were corrupted.
pub(super) fn intact(capture: &Connection, fates: &KnownFates, packet: &Seen, data: bool, corrupting: bool) -> Intact {
    if let Some(known) = fates.of_arrival(packet) {
        return known;
    }
    match (packet.said_corrupted, packet.checksum) {
        (true, _) => Intact::No,
        (false, Checksum::Unknown) if corrupting => Intact::Unknown(Doubt::Cut),
        (false, Checksum::Right | Checksum::Unknown) => Intact::Yes,
        (false, Checksum::Wrong) => match capture.checksum_meaning(data) {
            ChecksumMeaning::Corrupted => Intact::No,
            ChecksumMeaning::NotComputed => Intact::Yes,
            ChecksumMeaning::Undecided => Intact::Unknown(Doubt::NotComputed),
        },
    }
}
