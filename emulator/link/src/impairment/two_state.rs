//! Two states that alternate in time, whatever the traffic (sarolahti2003, section 5.1, "bursty losses").

use windlull_units::{Rng, Span, Time};

use crate::distribution::Sampler;
use crate::draw::{self, PacketDraws};

use super::onset::LEAST_TURN;
use super::{Lanes, Source};

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

/// The loss in one direction, by the state.
#[derive(Clone, Debug)]
pub(crate) struct TwoState {
    pub(crate) states: usize,
    pub(crate) loss_good: f64,
    pub(crate) loss_bad: f64,
    pub(crate) draws: PacketDraws,
}

impl TwoState {
    /// With which probability a packet is lost in this state.
    pub(crate) const fn loss_in(&self, bad: bool) -> f64 {
        if bad { self.loss_bad } else { self.loss_good }
    }

    /// Whether the next packet is lost in this state.
    pub(crate) fn loses(&mut self, bad: bool, again: bool) -> bool {
        let probability = self.loss_in(bad);
        draw::happens(self.draws.of(again), probability)
    }
}
