//! Chances: every draw of the link goes through here or through [`crate::distribution`].

use rand::Rng as _;
use windlull_units::{Rng, Seed};

/// Whether something of this probability happens; takes exactly one number off the stream, whatever the probability.
pub(crate) fn happens(rng: &mut Rng, probability: f64) -> bool {
    unit(rng) < probability
}

/// What a hash is salted with.
pub(crate) fn salt(rng: &mut Rng) -> u64 {
    rng.next_u64()
}

/// Uniform in `[0, 1)`, in steps of 2^-53.
#[expect(clippy::cast_precision_loss, reason = "53 bits fit a double exactly")]
pub(crate) fn unit(rng: &mut Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// `base` to the power of `exponent`, by multiplications alone, so that it is the same on every machine.
pub(crate) fn power(mut base: f64, mut exponent: u64) -> f64 {
    let mut result = 1.0;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result *= base;
        }
        base *= base;
        exponent >>= 1;
    }
    result
}

/// The draws about packets that one impairment makes in one direction.
///
/// A packet that the link layer sends again meets the channel again, but draws from a stream of its own, so that
/// the n-th packet of a direction has the same draw in every run of a seed.
#[derive(Clone, Debug)]
pub(crate) struct PacketDraws {
    first: Rng,
    again: Rng,
}

impl PacketDraws {
    /// The streams `name` and `name/again`.
    pub(crate) fn new(seed: Seed, name: &str) -> Self {
        Self {
            first: seed.stream(name),
            again: seed.stream(&format!("{name}/again")),
        }
    }

    /// The stream for a packet's first transmission, or for a later one.
    pub(crate) const fn of(&mut self, again: bool) -> &mut Rng {
        if again { &mut self.again } else { &mut self.first }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extremes_are_certain() {
        let mut rng = Seed::new(1).stream("test");
        assert!((0..1000).all(|_| happens(&mut rng, 1.0)));
        assert!((0..1000).all(|_| !happens(&mut rng, 0.0)));
        assert!(!happens(&mut rng, f64::NAN));
    }

    #[test]
    fn a_chance_comes_as_often_as_it_says() {
        let mut rng = Seed::new(2).stream("test");
        let hits = (0..100_000).filter(|_| happens(&mut rng, 0.02)).count();
        // Mean 2000, deviation 44: five of them either way.
        assert!((1780..2220).contains(&hits), "{hits} of 100000 at 2 %");
    }
}
