//! Independent loss: each packet by itself.

use crate::draw::{self, PacketDraws};

/// Loses each packet with one probability.
#[derive(Clone, Debug)]
pub(crate) struct Loss {
    pub(crate) probability: f64,
    pub(crate) draws: PacketDraws,
}

impl Loss {
    /// Whether the next packet is lost.
    pub(crate) fn loses(&mut self, again: bool) -> bool {
        draw::happens(self.draws.of(again), self.probability)
    }
}
