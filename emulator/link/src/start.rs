//! Where in its period that begins which repeats: at its beginning, at a given place, or anywhere.

use rand::Rng as _;
use windlull_units::{Seed, Span};

use crate::model::Start;

/// Where everything of one link that repeats begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// So far into each period.
    At(Span),
    /// At this share of each period, in parts of 2^64: what has one period begins at one instant of it.
    Share(u64),
}

impl Beginning {
    /// That of a link; the stream of the random one is called `start`.
    pub(crate) fn of(start: Start, seed: Seed) -> Self {
        match start {
            Start::Beginning => Self::At(Span::ZERO),
            Start::Random => Self::Share(seed.stream("start").next_u64()),
            Start::At(span) => Self::At(span),
        }
    }

    /// How far into a period of this length.
    pub(crate) fn within(self, period: Span) -> Span {
        if period.is_zero() {
            return Span::ZERO;
        }
        match self {
            Self::At(span) => Span::from_ns(span.as_ns() % period.as_ns()),
            Self::Share(share) => {
                let ns = (u128::from(share) * u128::from(period.as_ns())) >> 64;
                Span::from_ns(u64::try_from(ns).unwrap_or(0))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_random_start_is_another_one_for_another_seed_and_within_the_period() {
        let period = Span::from_secs(100);
        let at = |seed| Beginning::of(Start::Random, Seed::new(seed)).within(period);
        assert_eq!(at(1), at(1));
        assert!((1..50).all(|seed| at(seed) < period));
        let early = (1..=400).filter(|&seed| at(seed) < Span::from_secs(50)).count();
        assert!((150..=250).contains(&early), "{early} of 400 in the first half");
    }

    #[test]
    fn what_has_one_period_begins_at_one_instant_and_twice_the_period_at_twice_as_much() {
        let start = Beginning::of(Start::Random, Seed::new(7));
        let (once, twice) = (start.within(Span::from_secs(10)), start.within(Span::from_secs(20)));
        assert!(twice.as_ns() / 2 == once.as_ns());
    }

    #[test]
    fn a_given_start_counts_within_the_period() {
        let start = Beginning::of(Start::At(Span::from_secs(25)), Seed::new(1));
        assert_eq!(start, Beginning::of(Start::At(Span::from_secs(25)), Seed::new(2)));
        assert_eq!(start.within(Span::from_secs(10)), Span::from_secs(5));
        assert_eq!(start.within(Span::ZERO), Span::ZERO);
    }
}
