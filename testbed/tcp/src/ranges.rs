//! Sorted, disjoint ranges of stream offsets: what a receiver holds out of order, what a sender knows to have arrived.

use std::collections::VecDeque;

/// The octets from `left` up to, not including, `right`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) left: u64,
    pub(crate) right: u64,
}

impl Range {
    pub(crate) const fn new(left: u64, right: u64) -> Self {
        Self { left, right }
    }

    pub(crate) const fn len(self) -> u64 {
        self.right.saturating_sub(self.left)
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.left >= self.right
    }

    pub(crate) fn intersection(self, other: Self) -> Self {
        Self::new(self.left.max(other.left), self.right.min(other.right))
    }

    pub(crate) const fn covers(self, other: Self) -> bool {
        self.left <= other.left && other.right <= self.right
    }
}

/// Ranges in ascending order with a gap between any two. Losses make them few or long, and they grow at the high end
/// and shrink at the low end, so that a ring with binary search serves better than a tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct RangeSet {
    ranges: VecDeque<Range>,
    octets: u64,
}

/// What an insertion did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inserted {
    /// The range that now holds the inserted one.
    pub(crate) merged: Range,
    /// Octets that were not in the set before.
    pub(crate) added: u64,
}

impl RangeSet {
    pub(crate) const fn new() -> Self {
        Self {
            ranges: VecDeque::new(),
            octets: 0,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Octets in all ranges together.
    pub(crate) const fn octets(&self) -> u64 {
        self.octets
    }

    pub(crate) fn first(&self) -> Option<Range> {
        self.ranges.front().copied()
    }

    pub(crate) fn last(&self) -> Option<Range> {
        self.ranges.back().copied()
    }

    /// From the highest range downwards.
    pub(crate) fn descending(&self) -> impl Iterator<Item = Range> + '_ {
        self.ranges.iter().rev().copied()
    }

    /// The ranges that end above `offset`, lowest first.
    pub(crate) fn above(&self, offset: u64) -> impl Iterator<Item = Range> + '_ {
        let at = self.ranges.partition_point(|range| range.right <= offset);
        self.ranges.range(at..).copied()
    }

    /// Octets of `range` that the set holds.
    pub(crate) fn covered(&self, range: Range) -> u64 {
        self.above(range.left)
            .take_while(|held| held.left < range.right)
            .map(|held| held.intersection(range).len())
            .sum()
    }

    pub(crate) fn clear(&mut self) {
        self.ranges.clear();
        self.octets = 0;
    }

    /// Adds a range, which must not be empty; ranges that touch become one.
    pub(crate) fn insert(&mut self, range: Range) -> Inserted {
        debug_assert!(!range.is_empty(), "an empty range cannot be inserted");
        let inserted = match self.ranges.back_mut() {
            Some(last) if range.left > last.right => None,
            Some(last) if range.left >= last.left => {
                let added = range.right.saturating_sub(last.right);
                last.right += added;
                Some(Inserted { merged: *last, added })
            }
            Some(_) => Some(self.insert_inside(range)),
            None => None,
        };
        let inserted = inserted.unwrap_or_else(|| {
            self.ranges.push_back(range);
            Inserted {
                merged: range,
                added: range.len(),
            }
        });
        self.octets += inserted.added;
        inserted
    }

    fn insert_inside(&mut self, range: Range) -> Inserted {
        let begin = self.ranges.partition_point(|held| held.right < range.left);
        let end = self.ranges.partition_point(|held| held.left <= range.right);
        if begin == end {
            self.ranges.insert(begin, range);
            return Inserted {
                merged: range,
                added: range.len(),
            };
        }
        let held: u64 = self.ranges.range(begin..end).map(|held| held.len()).sum();
        let merged = Range::new(
            range.left.min(self.ranges[begin].left),
            range.right.max(self.ranges[end - 1].right),
        );
        self.ranges[begin] = merged;
        self.ranges.drain(begin + 1..end);
        Inserted {
            merged,
            added: merged.len() - held,
        }
    }

    /// Removes all octets below `offset`; returns how many those were.
    pub(crate) fn remove_below(&mut self, offset: u64) -> u64 {
        let mut removed = 0;
        while let Some(first) = self.ranges.front_mut() {
            if first.right <= offset {
                removed += first.len();
                self.ranges.pop_front();
            } else {
                if first.left < offset {
                    removed += offset - first.left;
                    first.left = offset;
                }
                break;
            }
        }
        self.octets -= removed;
        removed
    }

    /// Removes the lowest range.
    pub(crate) fn pop_first(&mut self) -> Option<Range> {
        let first = self.ranges.pop_front()?;
        self.octets -= first.len();
        Some(first)
    }
}
