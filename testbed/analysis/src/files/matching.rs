//! Which packet of one capture is which of the other.

use std::collections::BTreeMap;

use super::connection::{Connection, Seen};

/// What is the same of a packet at both ends and differs between packets: IPv4's identification, and the segment's
/// numbers, flags, length and timestamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    ip_id: Option<u16>,
    seq: u32,
    ack: u32,
    flags: u16,
    payload_len: u32,
    stamps: Option<(u32, u32)>,
}

impl Key {
    fn of(packet: &Seen) -> Self {
        let segment = &packet.segment;
        Self {
            ip_id: packet.ip_id,
            seq: segment.seq.0,
            ack: segment.ack.0,
            flags: segment.flags.0,
            payload_len: segment.payload_len,
            stamps: segment.options.timestamps.map(|stamps| (stamps.value, stamps.echo)),
        }
    }
}

/// What became of a packet that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It arrived: its place in the other capture.
    At(usize),
    /// It is not in the other capture.
    Nowhere,
    /// It looks like others, and not all of them arrived.
    Ambiguous,
}

/// The packets of one direction.
#[derive(Debug, Default)]
pub(super) struct Matches {
    /// By place in the sending end's capture.
    pub(super) sent: BTreeMap<usize, Found>,
    /// By place in the receiving end's capture: the place of what was sent.
    pub(super) arrived: BTreeMap<usize, usize>,
    /// Arrivals that are copies made on the way: their place, and that of what was sent.
    pub(super) copies: BTreeMap<usize, usize>,
    /// Arrivals that nobody sent.
    pub(super) strangers: Vec<usize>,
    pub(super) ambiguous: u64,
}

/// Packets that look alike.
#[derive(Debug, Default)]
struct Alike {
    sent: Vec<usize>,
    arrived: Vec<usize>,
}

/// Matches the packets of the direction with (`data`) or against the data.
pub(super) fn match_packets(from: &Connection, to: &Connection, data: bool) -> Matches {
    let mut alike: BTreeMap<Key, Alike> = BTreeMap::new();
    for (place, packet) in from.packets.iter().enumerate() {
        if from.sends_data(packet) == data {
            alike.entry(Key::of(packet)).or_default().sent.push(place);
        }
    }
    let mut matches = Matches::default();
    for (place, packet) in to.packets.iter().enumerate() {
        if to.sends_data(packet) != data {
            continue;
        }
        match alike.get_mut(&Key::of(packet)) {
            Some(alike) => alike.arrived.push(place),
            None => matches.strangers.push(place),
        }
    }
    for Alike { sent, arrived } in alike.values() {
        let time = |capture: &Connection, place: usize| capture.packets[place].at_ns;
        // All arrived, or none did, or there is but one it can be: the order decides. Else the clock may: whoever
        // arrived before the second was sent is the first.
        let certain = arrived.is_empty()
            || arrived.len() >= sent.len()
            || (arrived.len() == 1 && time(to, arrived[0]) < time(from, sent[1]));
        for (nth, &place) in sent.iter().enumerate() {
            let found = match arrived.get(nth) {
                _ if !certain => Found::Ambiguous,
                Some(&there) => Found::At(there),
                None => Found::Nowhere,
            };
            if let Found::At(there) = found {
                matches.arrived.insert(there, place);
            }
            matches.ambiguous += u64::from(found == Found::Ambiguous);
            matches.sent.insert(place, found);
        }
        if certain {
            for &copy in arrived.iter().skip(sent.len()) {
                matches.copies.insert(copy, sent[sent.len() - 1]);
            }
        }
    }
    matches
}
