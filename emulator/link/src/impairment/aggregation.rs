//! Packets that wait before the queue for others, and come in together: what Wi-Fi, cable modems and mobile networks do
//! until they may send (draft-ietf-ccwg-bbr, section 5.5.9, on what that does to a sender by its model).
//!
//! All packets of a direction wait, not acknowledgements alone: none of these looks into packets to see what may be
//! gathered, and what overtook its neighbours would come out of order.

use std::num::NonZeroU32;

use windlull_units::Time;

use super::instants::Instants;

/// When the packets of one direction are let in: at instants, and at so many.
#[derive(Clone, Debug)]
pub(crate) struct Aggregation {
    instants: Instants,
    most: NonZeroU32,
    waiting: usize,
}

impl Aggregation {
    pub(crate) const fn new(instants: Instants, most: NonZeroU32) -> Self {
        Self {
            instants,
            most,
            waiting: 0,
        }
    }

    /// A packet arrives, and waits unless it is one of as many as may.
    pub(crate) fn gather(&mut self, now: Time) {
        if self.instants.passed(now) {
            self.waiting = 0;
        }
        self.waiting += 1;
        if u32::try_from(self.waiting).is_ok_and(|waiting| waiting >= self.most.get()) {
            self.waiting = 0;
        }
    }

    /// How many packets still wait for others at `now`, the last that arrived.
    pub(crate) fn waiting(&self, now: Time) -> usize {
        if self.next() <= now { 0 } else { self.waiting }
    }

    /// When those that wait are let in.
    pub(crate) const fn next(&self) -> Time {
        self.instants.next()
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
    use crate::distribution::Sampler;
    use crate::model::Distribution;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn every(distribution: &Distribution<Span>, most: u32) -> Aggregation {
        let most = NonZeroU32::new(most).expect("not zero");
        let instants = Instants::new(Sampler::new(distribution), Seed::new(1).stream("up/it"));
        Aggregation::new(instants, most)
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
}
