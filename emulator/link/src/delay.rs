//! Propagation: how long a packet travels, and that none overtakes another on the way.

use windlull_units::{Direction, Seed, Span, Time};

use crate::distribution::Sampler;
use crate::draw::PacketDraws;
use crate::model::{Distribution, PathModel};

/// The way from the bottleneck to the far end.
#[derive(Clone, Debug)]
pub(crate) struct Propagation {
    travel: Travel,
    /// When the last packet that is on its way arrives.
    last_due: Time,
}

/// What is in force of a direction's delay, beside the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DelaysInForce {
    /// Instead of the model's.
    pub(crate) set: Option<Span>,
    /// On top of either: what the path of this moment adds.
    pub(crate) of_path: Span,
}

#[derive(Clone, Debug)]
enum Travel {
    Constant(Span),
    Random(Box<(Sampler, PacketDraws)>),
}

impl Propagation {
    /// That of one direction, with draws of its own stream.
    pub(crate) fn of(path: &PathModel, direction: Direction, seed: Seed) -> Self {
        Self::new(&path.delay, seed, &format!("{}/delay", direction.name()))
    }

    /// Delays of `distribution`, drawn from the stream `name`.
    pub(crate) fn new(distribution: &Distribution<Span>, seed: Seed, name: &str) -> Self {
        let sampler = Sampler::new(distribution);
        let travel = match sampler.constant() {
            Some(span) => Travel::Constant(span),
            None => Travel::Random(Box::new((sampler, PacketDraws::new(seed, name)))),
        };
        Self {
            travel,
            last_due: Time::ZERO,
        }
    }

    /// How long the next packet travels. One draw a packet, also while a delay is `set`.
    #[inline]
    pub(crate) fn draw(&mut self, again: bool, delays: DelaysInForce) -> Span {
        let drawn = match &mut self.travel {
            Travel::Constant(span) => *span,
            Travel::Random(random) => {
                let (sampler, draws) = &mut **random;
                sampler.draw(draws.of(again))
            }
        };
        delays.set.unwrap_or(drawn) + delays.of_path
    }

    /// When a packet arrives that would be there at `due`, were it alone: not before those ahead of it.
    pub(crate) fn behind_others(&self, due: Time) -> Time {
        due.max(self.last_due)
    }

    /// A packet is on its way and arrives at `due`.
    pub(crate) const fn depart(&mut self, due: Time) {
        self.last_due = due;
    }

    /// The model's delay, if it is always the same.
    pub(crate) const fn constant(&self) -> Option<Span> {
        match self.travel {
            Travel::Constant(span) => Some(span),
            Travel::Random(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scripted_delay_does_not_move_the_draws() {
        let random = Distribution::Exponential {
            mean: Span::from_ms(200),
        };
        let mut plain = Propagation::new(&random, Seed::new(1), "down/delay");
        let mut scripted = plain.clone();
        let none = DelaysInForce::default();
        plain.draw(false, none);
        let (set, of_path) = (Span::from_ms(7), Span::from_ms(2));
        let scripted_delay = DelaysInForce {
            set: Some(set),
            of_path,
        };
        assert_eq!(scripted.draw(false, scripted_delay), set + of_path);
        assert_eq!(scripted.draw(false, none), plain.draw(false, none));
        // Link-layer retransmissions draw elsewhere.
        scripted.draw(true, none);
        assert_eq!(scripted.draw(false, none), plain.draw(false, none));
    }
}
