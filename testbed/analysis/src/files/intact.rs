//! Whether packets arrived with their bits as they were sent: by what the link said, and else by their checksums.

use std::collections::BTreeMap;

use windlull_units::{DropCause, Fate, Outcome, Time};
use windlull_wire::Flags;
use windlull_wire::packet::Checksum;

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

/// What a wrong checksum of one direction means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChecksumMeaning {
    /// Bits were changed on the way.
    Corrupted,
    /// Nothing: checksums were never computed before the capture.
    NotComputed,
    /// One of the two.
    Undecided,
}

/// The checksums of one direction of a capture, but for packets that the file itself says were corrupted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ChecksumCount {
    wrong: u64,
    right: u64,
    /// Of packets that are not whole.
    unverified: u64,
    /// Wrong ones of SYNs.
    wrong_syns: u64,
}

impl ChecksumCount {
    pub(super) fn add(&mut self, packet: &Seen) {
        if packet.said_corrupted {
            return;
        }
        let is_syn = packet.segment.flags.has(Flags::SYN);
        match packet.checksum {
            Checksum::Wrong => {
                self.wrong += 1;
                self.wrong_syns += u64::from(is_syn);
            }
            Checksum::Right => self.right += 1,
            Checksum::Unknown => self.unverified += 1,
        }
    }

    /// Whether packets of this direction were corrupted for sure.
    pub(super) fn shows_corruption(&self) -> bool {
        self.wrong > 0 && self.meaning() == ChecksumMeaning::Corrupted
    }

    /// Where packets were cut, the few whole ones are no sample of the rest: our own captures keep whole just what was
    /// corrupted. A SYN with a wrong checksum opened the connection all the same, so nobody looked at it.
    pub(super) const fn meaning(&self) -> ChecksumMeaning {
        if self.wrong <= self.right {
            ChecksumMeaning::Corrupted
        } else if self.unverified <= self.wrong || (self.right == 0 && self.wrong_syns > 0) {
            ChecksumMeaning::NotComputed
        } else {
            ChecksumMeaning::Undecided
        }
    }
}

/// What the link of a run of ours did to its packets, by their numbers in the run.
#[derive(Debug, Default)]
pub(super) struct ToldFates {
    dropped: BTreeMap<u64, (Time, DropCause)>,
    corrupted: BTreeMap<u64, Time>,
    /// The highest number that it tells of; `None` if it tells of no packet, or if its fates only follow from the
    /// captures, as those of the kernel's own link do.
    told_up_to: Option<u64>,
    follows_from_captures: bool,
}

impl ToldFates {
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
        self.told_up_to = self.told_up_to.max(Some(id));
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
        let told = !self.follows_from_captures && self.told_up_to.is_some_and(|last| id <= last);
        told.then_some(Intact::Yes)
    }
}

/// Whether a packet of the direction with (`data`) or against the data arrived intact where `capture` was made. What the
/// link said goes before what the checksums suggest. `corrupting`: other packets of the connection were corrupted.
pub(super) fn intact(capture: &Connection, fates: &ToldFates, packet: &Seen, data: bool, corrupting: bool) -> Intact {
    if let Some(told) = fates.of_arrival(packet) {
        return told;
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

#[cfg(test)]
mod tests {
    use super::ChecksumMeaning::{Corrupted, NotComputed, Undecided};
    use super::*;

    #[test]
    fn the_whole_packets_among_cut_ones_do_not_decide_for_them() {
        let of = |wrong, right, unverified, wrong_syns| {
            ChecksumCount {
                wrong,
                right,
                unverified,
                wrong_syns,
            }
            .meaning()
        };
        assert_eq!(of(3, 100, 0, 0), Corrupted, "a few of many whole packets");
        assert_eq!(of(90, 1, 0, 0), NotComputed, "nearly all whole packets");
        assert_eq!(of(9, 2, 500, 0), Undecided, "the whole ones among cut ones");
        assert_eq!(of(2, 0, 500, 1), NotComputed, "the SYN was taken as it was");
        assert_eq!(of(2, 1, 500, 1), Undecided, "one SYN was right");
        assert_eq!(of(0, 0, 500, 0), Corrupted, "none is wrong");
    }
}
