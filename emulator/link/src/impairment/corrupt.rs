//! Corruption: bits flipped that the link layer does not see; the TCP checksum does.

use windlull_units::Rng;

use crate::draw;

/// Corrupts each packet with one probability.
#[derive(Clone, Debug)]
pub(crate) struct Corrupt {
    pub(crate) probability: f64,
    pub(crate) rng: Rng,
}

impl Corrupt {
    /// Whether the next packet is corrupted.
    pub(crate) fn flips(&mut self) -> bool {
        draw::happens(&mut self.rng, self.probability)
    }
}
