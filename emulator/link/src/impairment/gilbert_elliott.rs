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

/// The loss in one direction, by a chain's state.
#[derive(Clone, Debug)]
pub(crate) struct GilbertElliott {
    pub(crate) chain: usize,
    pub(crate) loss_good: f64,
    pub(crate) loss_bad: f64,
    pub(crate) draws: PacketDraws,
}

impl GilbertElliott {
    /// With which probability a packet is lost in this state.
    pub(crate) const fn loss_in(&self, bad: bool) -> f64 {
        if bad { self.loss_bad } else { self.loss_good }
    }

    /// Whether the next packet is lost in this state.
    pub(crate) fn loses(&mut self, bad: bool, again: bool) -> bool {
        let probability = self.loss_in(bad);
        draw::happens(self.draws.of(again), probability)
    }
}
