//! Two states that alternate in time, whatever the traffic (sarolahti2003, section 5.1, "bursty losses").

use windlull_units::{Rng, Span, Time};

use super::onset::LEAST_TURN;
use super::{Lanes, Source};
use crate::distribution::Sampler;

/// The states over time; begins good. Both directions may share one.
#[derive(Clone, Debug)]
pub(crate) struct TwoStates {
    pub(crate) source: Source,
    pub(crate) lanes: Lanes,
    good: Sampler,
    bad: Sampler,
    rng: Rng,
    is_bad: bool,
    next: Time,
}

impl TwoStates {
    pub(crate) fn new(source: Source, lanes: Lanes, good: Sampler, bad: Sampler, mut rng: Rng) -> Self {
        let next = Time::ZERO + good.draw(&mut rng);
        Self {
            source,
            lanes,
            good,
            bad,
            rng,
            is_bad: false,
            next,
        }
    }

    /// When the state changes next.
    pub(crate) const fn next(&self) -> Time {
        self.next
    }

    pub(crate) const fn is_bad(&self) -> bool {
        self.is_bad
    }

    /// The state changes.
    pub(crate) fn turn(&mut self) {
        self.is_bad = !self.is_bad;
        let lasts: Span = if self.is_bad { &self.bad } else { &self.good }.draw(&mut self.rng);
        self.next += lasts.max(LEAST_TURN);
    }
}
