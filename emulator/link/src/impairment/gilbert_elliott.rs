//! Gilbert-Elliott loss: two states, a transition drawn at each packet, then its loss by the state it finds.

use crate::draw::{self, PacketDraws};

use super::{Lanes, Source};

/// The chain of states; begins good. Both directions may share one.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) source: Source,
    pub(crate) lanes: Lanes,
    pub(crate) to_bad: f64,
    pub(crate) to_good: f64,
    pub(crate) bad: bool,
    pub(crate) draws: PacketDraws,
}

impl Chain {
    /// The next packet comes; whether the state changes at it.
    pub(crate) fn step(&mut self, again: bool) -> bool {
        let leaves = if self.bad { self.to_good } else { self.to_bad };
        let changes = draw::happens(self.draws.of(again), leaves);
        self.bad ^= changes;
        changes
    }
}
