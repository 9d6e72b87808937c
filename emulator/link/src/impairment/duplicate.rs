//! Duplication: a packet arrives twice, the copy right behind it.

use windlull_units::Rng;

use crate::draw;

/// Duplicates each packet with one probability.
#[derive(Clone, Debug)]
pub(crate) struct Duplicate {
    pub(crate) probability: f64,
    pub(crate) rng: Rng,
}

impl Duplicate {
    /// Whether the next packet arrives twice.
    pub(crate) fn doubles(&mut self) -> bool {
        draw::happens(&mut self.rng, self.probability)
    }
}
