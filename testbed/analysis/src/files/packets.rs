//! The packets of a connection, a million of them in the memory of a small record each.

use windlull_capture::Crossing;
use windlull_units::Ecn;
use windlull_wire::packet::Checksum;
use windlull_wire::{Flags, Options, Segment, SeqNumber, Timestamps};

/// A packet of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// Nanoseconds since 1970.
    pub(super) at_ns: u64,
    /// Which of the two sent it: 0 or 1.
    pub(super) from: u8,
    pub(super) ip_id: Option<u16>,
    pub(super) segment: Segment,
    pub(super) checksum: Checksum,
    pub(super) way: Option<Crossing>,
    pub(super) packet_id: Option<u64>,
    /// The file says that the link changed its bits.
    pub(super) said_corrupted: bool,
}

/// A packet as it is kept: 48 octets.
#[derive(Clone, Copy, Debug)]
struct Record {
    at_ns: u64,
    /// [`NO_ID`] if the file gives none.
    packet_id: u64,
    seq: u32,
    ack: u32,
    payload_len: u32,
    stamps: [u32; 2],
    /// Where its other options are; [`NO_OPTIONS`] if it has none.
    options: u32,
    window: u16,
    /// The nine bits of the header, and above them the two of the codepoint.
    flags: u16,
    ip_id: u16,
    marks: u8,
}

/// Where in a record's flags the codepoint stands.
const ECN_SHIFT: u32 = 14;
const NO_ID: u64 = u64::MAX;
const NO_OPTIONS: u32 = u32::MAX;

/// The bits of a record's marks.
mod mark {
    pub(super) const FROM: u8 = 1;
    pub(super) const HAS_IP_ID: u8 = 1 << 1;
    pub(super) const HAS_STAMPS: u8 = 1 << 2;
    pub(super) const RIGHT: u8 = 1 << 3;
    pub(super) const WRONG: u8 = 1 << 4;
    pub(super) const INBOUND: u8 = 1 << 5;
    pub(super) const OUTBOUND: u8 = 1 << 6;
    pub(super) const SAID_CORRUPTED: u8 = 1 << 7;
}

/// Packets in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub(super) struct Packets {
    records: Vec<Record>,
    /// Options beside timestamps, of the few packets that have some: of SYNs, and SACK blocks.
    options: Vec<Options>,
}

impl Packets {
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    pub(super) fn push(&mut self, packet: &Seen) {
        let segment = &packet.segment;
        let stamps = segment.options.timestamps;
        let others = Options {
            timestamps: None,
            ..segment.options
        };
        let options = if others == Options::default() {
            NO_OPTIONS
        } else {
            self.options.push(others);
            u32::try_from(self.options.len() - 1).unwrap_or(NO_OPTIONS)
        };
        let checksum = match packet.checksum {
            Checksum::Right => mark::RIGHT,
            Checksum::Wrong => mark::WRONG,
            Checksum::Unknown => 0,
        };
        let way = match packet.way {
            Some(Crossing::Inbound) => mark::INBOUND,
            Some(Crossing::Outbound) => mark::OUTBOUND,
            None => 0,
        };
        let when = |is: bool, bit: u8| if is { bit } else { 0 };
        self.records.push(Record {
            at_ns: packet.at_ns,
            packet_id: packet.packet_id.unwrap_or(NO_ID),
            seq: segment.seq.0,
            ack: segment.ack.0,
            payload_len: segment.payload_len,
            stamps: stamps.map_or([0; 2], |stamps| [stamps.value, stamps.echo]),
            options,
            window: segment.window,
            flags: segment.flags.0 | u16::from(segment.ecn.bits()) << ECN_SHIFT,
            ip_id: packet.ip_id.unwrap_or(0),
            marks: when(packet.from == 1, mark::FROM)
                | when(packet.ip_id.is_some(), mark::HAS_IP_ID)
                | when(stamps.is_some(), mark::HAS_STAMPS)
                | when(packet.said_corrupted, mark::SAID_CORRUPTED)
                | checksum
                | way,
        });
    }

    /// The packet at this place.
    ///
    /// # Panics
    /// If there is none.
    pub(super) fn get(&self, place: usize) -> Seen {
        self.whole(&self.records[place])
    }

    /// When the packet at this place was captured.
    pub(super) fn at_ns(&self, place: usize) -> u64 {
        self.records[place].at_ns
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = Seen> + ExactSizeIterator + '_ {
        self.records.iter().map(|record| self.whole(record))
    }

    /// Puts them in order of time; those of one instant stay in theirs.
    pub(super) fn sort(&mut self) {
        self.records.sort_by_key(|record| record.at_ns);
    }

    fn whole(&self, record: &Record) -> Seen {
        let has = |bit: u8| record.marks & bit != 0;
        let place = usize::try_from(record.options).ok();
        let mut options = place
            .and_then(|place| self.options.get(place))
            .copied()
            .unwrap_or_default();
        let [value, echo] = record.stamps;
        options.timestamps = has(mark::HAS_STAMPS).then_some(Timestamps { value, echo });
        Seen {
            at_ns: record.at_ns,
            from: u8::from(has(mark::FROM)),
            ip_id: has(mark::HAS_IP_ID).then_some(record.ip_id),
            segment: Segment {
                seq: SeqNumber(record.seq),
                ack: SeqNumber(record.ack),
                flags: Flags(record.flags & !(u16::MAX << ECN_SHIFT)),
                ecn: Ecn::of_octet((record.flags >> ECN_SHIFT) as u8),
                window: record.window,
                options,
                payload_len: record.payload_len,
            },
            checksum: if has(mark::RIGHT) {
                Checksum::Right
            } else if has(mark::WRONG) {
                Checksum::Wrong
            } else {
                Checksum::Unknown
            },
            way: if has(mark::INBOUND) {
                Some(Crossing::Inbound)
            } else if has(mark::OUTBOUND) {
                Some(Crossing::Outbound)
            } else {
                None
            },
            packet_id: Some(record.packet_id).filter(|&id| id != NO_ID),
            said_corrupted: has(mark::SAID_CORRUPTED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_takes_48_octets() {
        assert_eq!(size_of::<Record>(), 48);
    }

    #[test]
    fn a_packet_comes_back_as_it_was_added() {
        let mut full = Seen {
            at_ns: 5,
            from: 1,
            ip_id: Some(7),
            segment: Segment {
                seq: SeqNumber(1),
                ack: SeqNumber(2),
                flags: Flags::SYN.with(Flags::ACK).with(Flags::NS),
                ecn: Ecn::Ce,
                window: 3,
                options: Options {
                    mss: Some(1460),
                    window_scale: Some(7),
                    sack_permitted: true,
                    timestamps: Some(Timestamps { value: 8, echo: 9 }),
                    ..Options::default()
                },
                payload_len: 4,
            },
            checksum: Checksum::Wrong,
            way: Some(Crossing::Outbound),
            packet_id: Some(11),
            said_corrupted: true,
        };
        let mut packets = Packets::default();
        packets.push(&full);
        let bare = Seen {
            from: 0,
            ip_id: None,
            segment: Segment::default(),
            checksum: Checksum::Unknown,
            way: None,
            packet_id: None,
            said_corrupted: false,
            ..full
        };
        packets.push(&bare);
        (full.checksum, full.way) = (Checksum::Right, Some(Crossing::Inbound));
        packets.push(&full);
        let seen: Vec<String> = packets.iter().map(|packet| format!("{packet:?}")).collect();
        assert_eq!(seen[1], format!("{bare:?}"));
        assert_eq!(seen[2], format!("{full:?}"));
        assert!(seen[0].contains("Wrong") && seen[0].contains("Outbound") && seen[0].contains("said_corrupted: true"));
    }
}
