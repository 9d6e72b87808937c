//! Reordering: a packet is kept back and may be overtaken.

use windlull_units::{Rng, Span};

use crate::distribution::Sampler;
use crate::draw;

/// Keeps each packet back with one probability.
#[derive(Clone, Debug)]
pub(crate) struct Reorder {
    pub(crate) probability: f64,
    pub(crate) by: Sampler,
    pub(crate) rng: Rng,
}

impl Reorder {
    /// By how much the next packet comes later.
    pub(crate) fn delay(&mut self) -> Span {
        if draw::happens(&mut self.rng, self.probability) {
            self.by.draw(&mut self.rng)
        } else {
            Span::ZERO
        }
    }
}
