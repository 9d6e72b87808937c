//! Which blocks a receiver reports, and in which order (RFC 2018, section 4; RFC 2883, section 4).

use windlull_wire::MAX_SACK_BLOCKS;

use crate::ranges::Range;

/// What goes into SACK options: the ranges held out of order, the most recently changed first, and a duplicate if the last
/// segment was one.
#[derive(Clone, Debug, Default)]
pub(crate) struct SackReport {
    recent: [Range; MAX_SACK_BLOCKS],
    len: usize,
    /// The duplicate that the last segment brought; reported once.
    duplicate: Option<Range>,
}

impl SackReport {
    /// A segment went into `merged`: it is the first block to report, and all it has absorbed vanish.
    pub(crate) fn on_held(&mut self, merged: Range) {
        let mut recent = [merged; MAX_SACK_BLOCKS];
        let mut len = 1;
        for range in self.blocks().iter().filter(|range| !merged.covers(**range)) {
            if let Some(place) = recent.get_mut(len) {
                *place = *range;
                len += 1;
            }
        }
        (self.recent, self.len) = (recent, len);
    }

    /// Everything below `next` is in order now.
    pub(crate) fn on_advance(&mut self, next: u64) {
        let mut len = 0;
        for at in 0..self.len {
            if self.recent[at].left > next {
                self.recent[len] = self.recent[at];
                len += 1;
            }
        }
        self.len = len;
    }

    /// Octets arrived that were there already.
    pub(crate) const fn on_duplicate(&mut self, range: Range) {
        self.duplicate = Some(range);
    }

    /// The duplicate to report, once.
    pub(crate) const fn take_duplicate(&mut self) -> Option<Range> {
        self.duplicate.take()
    }

    /// A duplicate waits to be reported.
    pub(crate) const fn duplicate(&self) -> Option<Range> {
        self.duplicate
    }

    /// The ranges to report, newest first.
    pub(crate) fn blocks(&self) -> &[Range] {
        &self.recent[..self.len]
    }
}
