//! Loss of each packet by itself: with one probability, or with that of a state.

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

/// Loses packets of one direction by a state.
#[derive(Clone, Debug)]
pub(crate) struct LossByState {
    /// Which chain, or which states in time.
    pub(crate) states: usize,
    pub(crate) good: f64,
    pub(crate) bad: f64,
    pub(crate) draws: PacketDraws,
}

impl LossByState {
    /// With which probability a packet is lost in this state.
    pub(crate) const fn loss_in(&self, bad: bool) -> f64 {
        if bad { self.bad } else { self.good }
    }

    /// Whether the next packet is lost in this state.
    pub(crate) fn loses(&mut self, bad: bool, again: bool) -> bool {
        let probability = self.loss_in(bad);
        draw::happens(self.draws.of(again), probability)
    }
}
