//! Duplication, where a packet arrives twice, the copy right behind it; and corruption, where bits are flipped that the link layer
//! does not see, but the TCP checksum does. Either happens to each packet with one probability.

use windlull_units::Rng;

use crate::draw;

/// Something that happens to each packet with one probability.
#[derive(Clone, Debug)]
pub(crate) struct Chance {
    pub(crate) probability: f64,
    pub(crate) rng: Rng,
}

impl Chance {
    /// Whether it happens to the next packet.
    pub(crate) fn happens(&mut self) -> bool {
        draw::happens(&mut self.rng, self.probability)
    }
}
