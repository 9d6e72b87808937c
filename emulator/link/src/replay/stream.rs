//! Recorded packets, found by the octets of the stream that they carried.

use std::collections::BTreeMap;

use crate::TcpView;
use crate::model::RecordedFate;

/// Which recorded packets carried which octets, and which of them were played.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    /// Those that carried octets, by their first one, then in order of entry: first octet, the one behind the last, place.
    carriers: Vec<(u64, u64, usize)>,
    /// The octets of the longest of them.
    longest: u64,
    /// Those that carried none.
    others: Vec<usize>,
    next_other: usize,
    /// What was played: by the first octet, the ones behind the last.
    played: BTreeMap<u64, Vec<u64>>,
    /// The octets of the longest packet that was played.
    longest_played: u64,
    /// The sequence number of the first octet.
    first_seq: u32,
    /// The octet that was sent last, to tell those apart whose sequence numbers are the same.
    last: u64,
}

impl Stream {
    pub(super) fn new(recorded: &[RecordedFate]) -> Self {
        let all = || recorded.iter().enumerate();
        let carriers = all().filter_map(|(place, fate)| fate.octets.map(|(left, right)| (left, right, place)));
        let mut carriers: Vec<_> = carriers.collect();
        carriers.sort_unstable();
        Self {
            longest: carriers.iter().map(|(left, right, _)| right - left).max().unwrap_or(0),
            carriers,
            others: all()
                .filter_map(|(place, fate)| fate.octets.is_none().then_some(place))
                .collect(),
            next_other: 0,
            played: BTreeMap::new(),
            longest_played: 0,
            first_seq: 0,
            last: 0,
        }
    }

    /// The place of the recorded packet: the n-th that carried this packet's first octet, if it is the n-th packet to carry it.
    /// Those without octets go in their order.
    pub(super) fn choose(&mut self, tcp: Option<TcpView>) -> Option<usize> {
        let carries = tcp.filter(|view| view.payload_len > 0);
        if let Some(view) = tcp.filter(|view| view.syn) {
            self.first_seq = view.seq.wrapping_add(1);
        }
        let Some(view) = carries else {
            let place = self.others.get(self.next_other).copied();
            self.next_other += 1;
            return place;
        };
        let octet = self.octet(view.seq);
        let which = self.played(octet, u64::from(view.payload_len));
        let from = self
            .carriers
            .partition_point(|(left, _, _)| left + self.longest <= octet);
        let near = self
            .carriers
            .get(from..)?
            .iter()
            .take_while(|(left, _, _)| *left <= octet);
        let mut carried: Vec<usize> = near
            .filter(|(_, right, _)| *right > octet)
            .map(|(_, _, place)| *place)
            .collect();
        carried.sort_unstable();
        carried.get(which).copied()
    }

    /// How many packets have carried this octet before the one of `length` that begins with it now.
    fn played(&mut self, octet: u64, length: u64) -> usize {
        let near = self.played.range(octet.saturating_sub(self.longest_played)..=octet);
        let before = near.flat_map(|(_, ends)| ends).filter(|end| **end > octet).count();
        self.played.entry(octet).or_default().push(octet + length);
        self.longest_played = self.longest_played.max(length);
        before
    }

    /// The number of the octet with this sequence number, the nearest to the last one.
    fn octet(&mut self, seq: u32) -> u64 {
        let low = seq.wrapping_sub(self.first_seq);
        #[expect(clippy::cast_possible_truncation, reason = "the sequence number is the low half")]
        #[expect(clippy::cast_possible_wrap, reason = "half of all numbers are before")]
        let ahead = low.wrapping_sub(self.last as u32) as i32;
        self.last = self.last.saturating_add_signed(i64::from(ahead));
        self.last
    }
}
