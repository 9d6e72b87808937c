//! Packets that wait before the queue for others, and come in together: what Wi-Fi, cable modems and mobile networks do
//! until they may send (draft-ietf-ccwg-bbr, section 5.5.9, on what that does to a sender by its model).
//!
//! All packets of a direction wait, not acknowledgements alone: none of these looks into packets to see what may be
//! gathered, and what overtook its neighbours would come out of order.

use std::num::NonZeroU32;

use windlull_units::{Rng, Time};

use super::onset::LEAST_TURN;
use crate::distribution::Sampler;

/// When the packets of one direction are let in: a process in time, whatever the traffic, and at so many.
#[derive(Clone, Debug)]
pub(crate) struct Aggregation {
    every: Sampler,
    most: NonZeroU32,
    rng: Rng,
    /// The first instant that had not come when the last packet arrived.
    next: Time,
    waiting: usize,
}

impl Aggregation {
    pub(crate) fn new(every: Sampler, most: NonZeroU32, rng: Rng) -> Self {
        let mut aggregation = Self {
            every,
            most,
            rng,
            next: Time::ZERO,
            waiting: 0,
        };
        aggregation.turn_to(Time::ZERO);
        aggregation
    }

    /// A packet arrives, and waits unless it is one of as many as may.
    pub(crate) fn gather(&mut self, now: Time) {
        if self.next <= now {
            self.waiting = 0;
            self.turn_to(now);
        }
        self.waiting += 1;
        if u32::try_from(self.waiting).is_ok_and(|waiting| waiting >= self.most.get()) {
            self.waiting = 0;
        }
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

    /// How many packets still wait for others at `now`, the last that arrived.
    pub(crate) fn waiting(&self, now: Time) -> usize {
        if self.next <= now { 0 } else { self.waiting }
    }

    /// When those that wait are let in.
    pub(crate) const fn next(&self) -> Time {
        self.next
    }

    /// How many packets wait for [`Self::next`], the last that arrived.
    pub(crate) const fn for_next(&self) -> usize {
        self.waiting
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

    fn every(distribution: &Distribution<Span>, most: u32) -> Aggregation {
        let most = NonZeroU32::new(most).expect("not zero");
        Aggregation::new(Sampler::new(distribution), most, Seed::new(1).stream("up/it"))
    }

    #[test]
    fn instants_do_not_depend_on_who_arrives() {
        let constant = Distribution::Constant(Span::from_ms(4));
        let random = Distribution::Exponential { mean: Span::from_ms(4) };
        for distribution in [constant, random] {
            let (mut often, mut seldom) = (every(&distribution, u32::MAX), every(&distribution, u32::MAX));
            for ms in 0..=1_000 {
                often.gather(at(ms));
                assert!(often.next() > at(ms));
            }
            seldom.gather(at(1_000));
            assert_eq!(often.next(), seldom.next());
        }
    }

    #[test]
    fn who_comes_at_the_instant_comes_after_it() {
        let mut regular = every(&Distribution::Constant(Span::from_ms(4)), 64);
        regular.gather(at(3));
        assert_eq!((regular.next(), regular.waiting(at(3))), (at(4), 1));
        assert_eq!(regular.waiting(at(4)), 0);
        regular.gather(at(4));
        assert_eq!((regular.next(), regular.waiting(at(4))), (at(8), 1));
    }

    #[test]
    fn as_many_as_may_wait_for_nothing() {
        let mut pairs = every(&Distribution::Constant(Span::from_ms(4)), 2);
        let waiting = [0, 1, 2].map(|ms| {
            pairs.gather(at(ms));
            pairs.waiting(at(ms))
        });
        assert_eq!(waiting, [1, 0, 1]);
        let mut alone = every(&Distribution::Constant(Span::from_ms(4)), 1);
        alone.gather(at(0));
        assert_eq!(alone.waiting(at(0)), 0);
    }

    #[test]
    fn no_interval_is_empty() {
        let mut none = every(&Distribution::Constant(Span::ZERO), 64);
        none.gather(at(5));
        assert_eq!(none.next(), at(5) + LEAST_TURN);
    }
}
