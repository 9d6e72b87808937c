//! The scoreboard of RFC 6675, section 3: which octets the peer holds beyond the cumulative acknowledgement.
//!
//! RFC 6675 asks about single octets. Here the answers come from ranges and running counts, so that neither an
//! acknowledgement nor a decision to send ever walks over the window:
//!
//! - `IsLost` depends only on what lies above an octet, hence there is one *lost edge*: every hole below it is lost, none
//!   above. It is found among the three highest ranges, because three discontiguous ranges above are enough.
//! - `Pipe` needs the SACKed octets above the lost edge (those three ranges) and below `HighRxt` (a running count).

use crate::ranges::{Range, RangeSet};

/// Discontiguous ranges above an octet that prove it lost (RFC 6675, section 2, `DupThresh`).
pub(crate) const DUP_THRESH: u32 = 3;

/// What is known to have arrived out of order, and a mark that moves up through it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scoreboard {
    sacked: RangeSet,
    /// `HighRxt + 1` in recovery, `SND.NXT` while going back N.
    mark: u64,
    /// SACKed octets from the cumulative acknowledgement up to the mark.
    below_mark: u64,
}

/// Where the holes that `IsLost` calls lost end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LostEdge {
    /// Every octet below it that is not SACKed is lost.
    offset: u64,
    /// SACKed octets above it.
    sacked_above: u64,
}

impl Scoreboard {
    /// Records a block, `Update()` of RFC 6675; returns how many of its octets were news.
    pub(crate) fn record(&mut self, block: Range) -> u64 {
        if block.left < self.mark {
            let below = Range::new(block.left, block.right.min(self.mark));
            self.below_mark += below.len() - self.sacked.covered(below);
        }
        self.sacked.insert(block).added
    }

    /// Forgets what the cumulative acknowledgement `una` covers.
    #[inline]
    pub(crate) fn acknowledge(&mut self, una: u64) {
        if !self.sacked.is_empty() {
            let removed = self.sacked.remove_below(una);
            self.below_mark = if self.mark > una { self.below_mark - removed } else { 0 };
        }
        self.mark = self.mark.max(una);
    }

    /// Forgets everything (a receiver that reneged, RFC 2018, section 8).
    pub(crate) fn clear(&mut self) {
        self.sacked.clear();
        self.below_mark = 0;
    }

    /// The lowest SACKed range.
    pub(crate) fn first(&self) -> Option<Range> {
        self.sacked.first()
    }

    /// The SACKed ranges that end above `offset`, lowest first.
    pub(crate) fn sacked_above(&self, offset: u64) -> impl Iterator<Item = Range> + '_ {
        self.sacked.above(offset)
    }

    /// The octet after the highest one SACKed.
    pub(crate) fn highest(&self) -> Option<u64> {
        self.sacked.last().map(|range| range.right)
    }

    /// The mark: the octet after the highest one retransmitted, or the next to send.
    pub(crate) const fn mark(&self) -> u64 {
        self.mark
    }

    /// Puts the mark back to `una`, where recovery and going back begin.
    pub(crate) fn reset_mark(&mut self, una: u64) {
        self.mark = una;
        self.below_mark = 0;
    }

    /// Moves the mark up to `offset`.
    pub(crate) fn advance_mark(&mut self, offset: u64) {
        if offset > self.mark {
            if !self.sacked.is_empty() {
                self.below_mark += self.sacked.covered(Range::new(self.mark, offset));
            }
            self.mark = offset;
        }
    }

    /// Octets from `una` to the mark that are not SACKed.
    #[inline]
    pub(crate) const fn unsacked_below_mark(&self, una: u64) -> u64 {
        self.mark - una - self.below_mark
    }

    /// The first hole at or above `from` and below `end`.
    pub(crate) fn hole(&self, from: u64, end: u64) -> Option<Range> {
        let mut left = from;
        for range in self.sacked.above(from) {
            if range.left > left {
                return Some(Range::new(left, range.left.min(end))).filter(|hole| !hole.is_empty());
            }
            left = range.right;
        }
        Some(Range::new(left, end)).filter(|hole| !hole.is_empty())
    }

    /// The highest hole from `una` up to `end`: outstanding octets that are not SACKed.
    pub(crate) fn highest_hole(&self, una: u64, end: u64) -> Option<Range> {
        let mut right = end;
        for range in self.sacked.descending() {
            if range.right < right {
                return Some(Range::new(range.right, right));
            }
            right = range.left;
        }
        Some(Range::new(una, right)).filter(|hole| !hole.is_empty())
    }

    /// `IsLost(offset)` for an octet that is not SACKed.
    pub(crate) fn is_lost(&self, offset: u64, smss: u64) -> bool {
        self.lost_edge(smss).is_some_and(|edge| offset < edge.offset)
    }

    /// `SetPipe()`: octets outstanding in the network, for octets sent from `una` up to `max`.
    pub(crate) fn pipe(&self, una: u64, max: u64, smss: u64) -> u64 {
        // (a) not SACKed and not lost; (b) not SACKed and retransmitted.
        let not_lost = match self.lost_edge(smss) {
            Some(edge) => max - edge.offset - edge.sacked_above,
            None => max - una - self.sacked.octets(),
        };
        not_lost + self.unsacked_below_mark(una)
    }

    /// Octets outstanding if nothing is ever given up for lost: whatever is not SACKed, and what was retransmitted of it.
    pub(crate) fn pipe_with_missing(&self, una: u64, max: u64) -> u64 {
        max - una - self.sacked.octets() + self.unsacked_below_mark(una)
    }

    /// RFC 6675, section 4, `IsLost`: `DupThresh` discontiguous ranges above, or more than `DupThresh - 1` segments' octets.
    fn lost_edge(&self, smss: u64) -> Option<LostEdge> {
        let mut sacked_above = 0;
        for (range, ranges_above) in self.sacked.descending().zip(1..) {
            sacked_above += range.len();
            if ranges_above >= DUP_THRESH || sacked_above > u64::from(DUP_THRESH - 1) * smss {
                return Some(LostEdge {
                    offset: range.left,
                    sacked_above,
                });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
