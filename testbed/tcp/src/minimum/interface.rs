//! What decides which segments have the minimum is told, and what it says.

use ambassador::delegatable_trait;

use crate::ranges::Range;

/// Segments with data that left back to back, in octets of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Train {
    /// The first of them.
    pub(crate) first: Range,
    /// The last of them.
    pub(crate) last: Range,
    /// How many they are.
    pub(crate) segments: u64,
}

/// One way to choose the segments that the minimum is for.
#[delegatable_trait]
pub(crate) trait MinimumRto {
    /// A train left, in fast recovery or not.
    fn on_train(&mut self, train: &Train, recovering: bool);

    /// All before `una` is acknowledged.
    fn on_acknowledged(&mut self, una: u64);

    /// Slow start begins anew, after a timeout.
    fn on_slow_start(&mut self);

    /// Whether the timeout of the segment that `una` lies in has the minimum.
    fn applies(&self, una: u64) -> bool;
}
