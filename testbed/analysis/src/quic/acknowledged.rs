//! Acknowledgements of packet numbers as those of positions.

use std::collections::BTreeMap;

use windlull_transport::AckRange;
use windlull_wire::MAX_SACK_BLOCKS;

/// Which positions the data receiver has acknowledged by now.
#[derive(Debug)]
pub(crate) struct Acknowledged {
    /// Packets that no acknowledgement has named, and their positions.
    packets: BTreeMap<u64, Vec<(u64, u64)>>,
    /// Ranges that were acknowledged, by their starts, above `position`.
    above: BTreeMap<u64, u64>,
    /// All below it was acknowledged.
    position: u64,
}

impl Default for Acknowledged {
    fn default() -> Self {
        Self {
            packets: BTreeMap::new(),
            above: BTreeMap::new(),
            // SYN's.
            position: 1,
        }
    }
}

impl Acknowledged {
    /// A packet with these positions was sent.
    pub(crate) fn sent(&mut self, number: u64, ranges: Vec<(u64, u64)>) {
        self.packets.insert(number, ranges);
    }

    /// The receiver acknowledges packets.
    pub(crate) fn acknowledge(&mut self, ranges: &[AckRange]) {
        for range in ranges {
            while let Some((&number, _)) = self.packets.range(range.first..=range.last).next() {
                for (start, end) in self.packets.remove(&number).unwrap_or_default() {
                    self.add(start, end);
                }
            }
        }
    }

    /// The receiver has had everything below a position.
    pub(crate) fn acknowledge_below(&mut self, position: u64) {
        self.add(1, position);
    }

    fn add(&mut self, start: u64, mut end: u64) {
        let mut start = start.max(self.position);
        if start >= end {
            return;
        }
        while let Some((&left, &right)) = self
            .above
            .range(..=end)
            .next_back()
            .filter(|&(_, &right)| right >= start)
        {
            self.above.remove(&left);
            (start, end) = (start.min(left), end.max(right));
        }
        if start == self.position {
            self.position = end;
        } else {
            self.above.insert(start, end);
        }
    }

    /// The first position of a packet that was not acknowledged, if it has any.
    pub(crate) fn first_of(&self, number: u64) -> Option<u64> {
        self.packets.get(&number)?.first().map(|range| range.0)
    }

    /// The first position that was not acknowledged.
    pub(crate) const fn position(&self) -> u64 {
        self.position
    }

    /// The highest ranges above it, as many as a segment has room for.
    pub(crate) fn above(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let ranges = self.above.iter().map(|(&left, &right)| (left, right));
        ranges.rev().take(MAX_SACK_BLOCKS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_stay_until_their_octets_come() {
        let mut acknowledged = Acknowledged::default();
        for number in 0..6 {
            acknowledged.sent(number, vec![(1 + 100 * number, 101 + 100 * number)]);
        }
        // Packet 6 repeats what packet 1 had.
        acknowledged.sent(6, vec![(101, 201)]);
        let mut acknowledge = |first, last| {
            acknowledged.acknowledge(&[AckRange { first, last }]);
            (acknowledged.position(), acknowledged.above().collect::<Vec<_>>())
        };
        assert_eq!(acknowledge(0, 0), (101, vec![]));
        assert_eq!(acknowledge(2, 3), (101, vec![(201, 401)]));
        assert_eq!(acknowledge(5, 5), (101, vec![(501, 601), (201, 401)]));
        assert_eq!(acknowledge(6, 6), (401, vec![(501, 601)]));
        assert_eq!(acknowledge(0, 6), (601, vec![]));
        acknowledged.acknowledge_below(700);
        assert_eq!(acknowledged.position(), 700);
    }
}
