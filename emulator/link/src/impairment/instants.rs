//! Instants that come one after another in time, whatever the traffic.

use windlull_units::{Rng, Time};

use super::onset::LEAST_TURN;
use crate::distribution::Sampler;

/// The instants of one direction, and which of them is the next.
#[derive(Clone, Debug)]
pub(crate) struct Instants {
    every: Sampler,
    rng: Rng,
    next: Time,
}

impl Instants {
    /// The first one comes after an interval.
    pub(crate) fn new(every: Sampler, rng: Rng) -> Self {
        let mut instants = Self {
            every,
            rng,
            next: Time::ZERO,
        };
        instants.turn_to(Time::ZERO);
        instants
    }

    /// The first instant that had not come when [`Self::passed`] was asked last.
    pub(crate) const fn next(&self) -> Time {
        self.next
    }

    /// Whether one has come since this was asked last.
    pub(crate) fn passed(&mut self, now: Time) -> bool {
        if now < self.next {
            return false;
        }
        self.turn_to(now);
        true
    }

    /// Moves to the first instant after `now`.
    fn turn_to(&mut self, now: Time) {
        if let Some(interval) = self.every.constant() {
            let interval = interval.max(LEAST_TURN);
            let whole = now.since(self.next).as_ns() / interval.as_ns();
            self.next += interval.saturating_mul(whole + 1);
            return;
        }
        while self.next <= now {
            self.next += self.every.draw(&mut self.rng).max(LEAST_TURN);
        }
    }
}

#[cfg(test)]
mod tests {
    use windlull_units::{Seed, Span};

    use super::*;
    use crate::model::Distribution;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn every(distribution: &Distribution<Span>) -> Instants {
        Instants::new(Sampler::new(distribution), Seed::new(1).stream("up/it"))
    }

    #[test]
    fn they_do_not_depend_on_who_asks() {
        let constant = Distribution::Constant(Span::from_ms(4));
        let random = Distribution::Exponential { mean: Span::from_ms(4) };
        for distribution in [constant, random] {
            let (mut often, mut seldom) = (every(&distribution), every(&distribution));
            for ms in 0..=1_000 {
                often.passed(at(ms));
                assert!(often.next() > at(ms));
            }
            assert!(seldom.passed(at(1_000)));
            assert_eq!(often.next(), seldom.next());
        }
    }

    #[test]
    fn an_instant_has_passed_when_it_comes() {
        let mut regular = every(&Distribution::Constant(Span::from_ms(4)));
        assert_eq!(
            [3, 4, 5, 8].map(|ms| regular.passed(at(ms))),
            [false, true, false, true]
        );
    }

    #[test]
    fn no_interval_is_empty() {
        let mut none = every(&Distribution::Constant(Span::ZERO));
        assert!(none.passed(at(5)));
        assert_eq!(none.next(), at(5) + LEAST_TURN);
    }
}
