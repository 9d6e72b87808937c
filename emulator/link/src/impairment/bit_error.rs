//! Bit errors that the link layer detects: a packet with a wrong bit is dropped.

use crate::draw::{self, PacketDraws};

/// Loses packets by their length.
#[derive(Clone, Debug)]
pub(crate) struct BitError {
    rate: f64,
    draws: PacketDraws,
    /// Bits of the last packet, and the probability that one of them is wrong.
    last: (u64, f64),
}

impl BitError {
    pub(crate) const fn new(rate: f64, draws: PacketDraws) -> Self {
        Self {
            rate,
            draws,
            last: (0, 0.0),
        }
    }

    /// Whether the next packet, of so many bits, is lost.
    pub(crate) fn loses(&mut self, bits: u64, again: bool) -> bool {
        if self.last.0 != bits {
            self.last = (bits, loss(self.rate, bits));
        }
        draw::happens(self.draws.of(again), self.last.1)
    }
}

/// The probability that one of so many bits is wrong.
pub(crate) fn loss(rate: f64, bits: u64) -> f64 {
    1.0 - draw::power(1.0 - rate, bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use windlull_units::Seed;

    #[test]
    fn long_packets_are_lost_more_often() {
        let mut loss = BitError::new(1e-5, PacketDraws::new(Seed::new(1), "down/noise"));
        // 1 - (1 - 1e-5)^12000 = 0.113; 1 - (1 - 1e-5)^320 = 0.0032.
        let lost = (0..20_000).filter(|_| loss.loses(12_000, false)).count();
        assert!((2_030..2_490).contains(&lost), "{lost} of 20000");
        let lost = (0..20_000).filter(|_| loss.loses(320, false)).count();
        assert!((24..104).contains(&lost), "{lost} of 20000");
        assert!(!loss.loses(0, false));
    }

    #[test]
    fn the_extremes_are_certain() {
        let draws = || PacketDraws::new(Seed::new(1), "down/noise");
        assert!(BitError::new(1.0, draws()).loses(8, false));
        assert!(!BitError::new(0.0, draws()).loses(12_000, false));
    }
}
