//! When a hold or a drop begins and how long it lasts.

use windlull_units::{Rng, Seed, Span, Time};

use crate::distribution::Sampler;
use crate::draw;
use crate::model::Distribution;

/// Every process in time takes at least this long from turn to turn, so that none turns for ever within an instant.
pub(crate) const LEAST_TURN: Span = Span::from_ns(1);

/// A renewal process in time: a gap, a spell, a gap, and so on, whatever the traffic.
#[derive(Clone, Debug)]
pub(crate) struct Renewal {
    every: Sampler,
    length: Sampler,
    rng: Rng,
    next: Time,
}

impl Renewal {
    /// The first gap begins at the start of the run.
    pub(crate) fn new(every: &Distribution<Span>, length: &Distribution<Span>, seed: Seed, name: &str) -> Self {
        let mut renewal = Self {
            every: Sampler::new(every),
            length: Sampler::new(length),
            rng: seed.stream(name),
            next: Time::ZERO,
        };
        renewal.next = Time::ZERO + renewal.every.draw(&mut renewal.rng);
        renewal
    }

    /// When the next spell begins.
    pub(crate) const fn next(&self) -> Time {
        self.next
    }

    /// The next spell begins; says when it ends.
    pub(crate) fn turn(&mut self) -> Time {
        let until = self.next + self.length.draw(&mut self.rng);
        let following = until + self.every.draw(&mut self.rng);
        self.next = following.max(self.next + LEAST_TURN);
        until
    }
}

/// Spells that begin at a packet. One decision for each packet, whatever the weather, so that the n-th packet of a
/// direction is hit or spared alike in every run of a seed.
#[derive(Clone, Debug)]
pub(crate) struct AtPacket {
    probability: f64,
    length: Sampler,
    rng: Rng,
}

impl AtPacket {
    pub(crate) fn new(probability: f64, length: &Distribution<Span>, seed: Seed, name: &str) -> Self {
        Self {
            probability,
            length: Sampler::new(length),
            rng: seed.stream(name),
        }
    }

    /// How long a spell begins at the next packet, if one does.
    pub(crate) fn draw(&mut self) -> Option<Span> {
        draw::happens(&mut self.rng, self.probability).then(|| self.length.draw(&mut self.rng))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_renewal_counts_from_the_end_of_a_spell() {
        let secs = |secs| Distribution::Constant(Span::from_secs(secs));
        let at = |secs| Time::ZERO + Span::from_secs(secs);
        let mut renewal = Renewal::new(&secs(20), &secs(3), Seed::new(1), "down/spike");
        for turn in 0..3 {
            assert_eq!(renewal.next(), at(20 + 23 * turn));
            assert_eq!(renewal.turn(), at(23 + 23 * turn));
        }
    }

    #[test]
    fn a_renewal_without_length_moves_on() {
        let none = Distribution::Constant(Span::ZERO);
        let mut renewal = Renewal::new(&none, &none, Seed::new(1), "down/spike");
        renewal.turn();
        assert!(renewal.next() > Time::ZERO);
    }
}
