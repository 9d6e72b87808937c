//! Which packet of a capture is which of the link's.

use std::collections::{BTreeMap, VecDeque};

use windlull_capture::Crossing;
use windlull_plane::Fingerprint;
use windlull_units::{Direction, Fate, Host, Outcome, PacketId};

use super::LinkLog;
use super::seen::Capture;

/// Who is who: places in captures, by the link's numbers.
#[derive(Debug, Default)]
pub(super) struct Matches {
    /// Where a packet is in the capture of the host that sent it.
    pub(super) sent: BTreeMap<PacketId, usize>,
    /// Where it is in the capture of the host that it reached.
    pub(super) arrived: BTreeMap<PacketId, usize>,
    /// Packets that were sent and never came to the link.
    pub(super) lost_before: Vec<(Host, usize)>,
    /// Packets that the link took and no capture shows as sent, or a capture shows arriving and the link never released,
    /// or the other way round.
    pub(super) unmatched: u64,
}

/// What is alike leaves in the order in which it came.
type Waiting<T> = BTreeMap<Fingerprint, VecDeque<T>>;

impl Matches {
    pub(super) fn find(captures: &[Capture; 2], log: &LinkLog) -> Self {
        let mut matches = Self::default();
        for direction in Direction::ALL {
            matches.match_sent(captures, log, direction);
            matches.match_arrived(captures, log, direction);
        }
        matches
    }

    fn match_sent(&mut self, captures: &[Capture; 2], log: &LinkLog, direction: Direction) {
        let from = direction.reverse().reaches();
        let mut waiting: Waiting<PacketId> = BTreeMap::new();
        for entered in log.entered.iter().filter(|entered| entered.direction == direction) {
            waiting.entry(entered.fingerprint).or_default().push_back(entered.id);
        }
        for (place, packet) in captures[from as usize].packets.iter().enumerate() {
            if packet.way != Crossing::Outbound {
                continue;
            }
            match waiting.get_mut(&packet.fingerprint).and_then(VecDeque::pop_front) {
                Some(id) => {
                    self.sent.insert(id, place);
                }
                None => self.lost_before.push((from, place)),
            }
        }
        self.unmatched += waiting.values().map(|left| left.len() as u64).sum::<u64>();
    }

    fn match_arrived(&mut self, captures: &[Capture; 2], log: &LinkLog, direction: Direction) {
        let known: BTreeMap<PacketId, Fingerprint> = log
            .entered
            .iter()
            .map(|entered| (entered.id, entered.fingerprint))
            .collect();
        let mut delivered: Vec<&Fate> = log
            .fates
            .iter()
            .filter(|fate| fate.direction == direction && matches!(fate.outcome, Outcome::Delivered { .. }))
            .collect();
        delivered.sort_by_key(|fate| fate.outcome.at());
        let mut waiting: Waiting<PacketId> = BTreeMap::new();
        for fate in &delivered {
            let origin = fate.duplicate_of.unwrap_or(fate.id);
            if let Some(&fingerprint) = known.get(&origin) {
                waiting.entry(fingerprint).or_default().push_back(fate.id);
            }
        }
        let mut strangers = Vec::new();
        for (place, packet) in captures[direction.reaches() as usize].packets.iter().enumerate() {
            if packet.way != Crossing::Inbound {
                continue;
            }
            match waiting.get_mut(&packet.fingerprint).and_then(VecDeque::pop_front) {
                Some(id) => {
                    self.arrived.insert(id, place);
                }
                None => strangers.push(place),
            }
        }
        // Who was corrupted in what fingerprints are of is no longer known by its own: the order must do.
        let mut strangers = strangers.into_iter();
        for fate in delivered.iter().filter(|fate| fate.corrupted) {
            if !self.arrived.contains_key(&fate.id) {
                self.arrived.extend(strangers.next().map(|place| (fate.id, place)));
            }
        }
        let never_seen = delivered
            .iter()
            .filter(|fate| !self.arrived.contains_key(&fate.id))
            .count();
        self.unmatched += (strangers.count() + never_seen) as u64;
    }
}
