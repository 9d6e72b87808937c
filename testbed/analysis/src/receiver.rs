//! Which octets have arrived at the data receiver, in whatever order.

use std::collections::VecDeque;

/// Octets that arrived: all below `next`, and islands above it.
#[derive(Debug)]
pub(crate) struct Received {
    next: u64,
    /// Ranges above `next`, in order, none touching another. They grow at the high end and go at the low one.
    islands: VecDeque<(u64, u64)>,
}

impl Received {
    /// Nothing yet; the first octet is at `first`.
    pub(crate) const fn from(first: u64) -> Self {
        Self {
            next: first,
            islands: VecDeque::new(),
        }
    }

    /// Adds a range and returns how many of its octets are new.
    #[inline]
    pub(crate) fn add(&mut self, start: u64, end: u64) -> u64 {
        let start = start.max(self.next);
        if start >= end {
            return 0;
        }
        if self.islands.is_empty() && start == self.next {
            self.next = end;
            return end - start;
        }
        self.add_beside_islands(start, end)
    }

    #[inline(never)]
    fn add_beside_islands(&mut self, start: u64, end: u64) -> u64 {
        // The islands that the range touches become one with it.
        let first = self.islands.partition_point(|island| island.1 < start);
        let after = self.islands.partition_point(|island| island.0 <= end);
        let (mut left, mut right, mut known) = (start, end, 0);
        for &(from, to) in self.islands.range(first..after) {
            (left, right) = (left.min(from), right.max(to));
            known += to.min(end).saturating_sub(from.max(start));
        }
        if left <= self.next {
            self.next = right;
            self.islands.drain(..after);
        } else if first == after {
            self.islands.insert(first, (left, right));
        } else {
            self.islands[first] = (left, right);
            self.islands.drain(first + 1..after);
        }
        end - start - known
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_every_octet_once(ranges in proptest::collection::vec((0_u64..60, 0_u64..12), 0..30)) {
            let mut received = Received::from(5);
            let mut octets = [false; 80];
            for (start, len) in ranges {
                let mut new = 0;
                for octet in start.max(5)..start + len {
                    let octet = usize::try_from(octet).expect("small");
                    new += u64::from(!octets[octet]);
                    octets[octet] = true;
                }
                prop_assert_eq!(received.add(start, start + len), new);
            }
            let next = (5..80).find(|&octet| !octets[octet]).expect("the last is never there");
            prop_assert_eq!(received.next, next as u64);
        }
    }
}
