//! Handovers: at instants of a process in time the path becomes another one, whose delay stays until the next, and about
//! each of them packets are kept or lost.
//!
//! Terminals of low-orbit constellations are given another satellite every 15 s (Huston, A transport protocol's view of
//! Starlink, APNIC, 17 May 2024: the minimum latency changes at these instants, with spikes and losses about them).

use windlull_units::{Rng, Seed, Span, Time};

use super::onset::Renewal;
use super::{Lanes, Source};
use crate::distribution::Sampler;
use crate::model::{Distribution, ImpairmentKind};

/// The handovers of one direction, or of both together.
#[derive(Clone, Debug)]
pub(crate) struct Handovers {
    pub(crate) source: Source,
    pub(crate) lanes: Lanes,
    instants: Option<Renewal>,
    delay: Sampler,
    hold: Sampler,
    outage: Sampler,
    rng: Rng,
    /// Whether the path of the run's start is chosen.
    begun: bool,
    /// When the outage under way ends.
    lossy_until: Option<Time>,
}

/// What happens at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The run begins on a path that adds this.
    Begins { delay: Span },
    /// The path changes.
    Handover {
        /// What the new one adds to the delay.
        delay: Span,
        /// When delivery goes on.
        held_until: Time,
        /// Whether packets are lost from now on.
        lossy: bool,
    },
    /// Packets are no longer lost.
    LossEnds,
}

impl Handovers {
    /// Those of this kind; `None` of another. A packet begins none.
    pub(crate) fn of(kind: &ImpairmentKind, source: Source, lanes: Lanes, seed: Seed, process: &str) -> Option<Self> {
        let ImpairmentKind::Handovers {
            every,
            delay,
            hold,
            outage,
            ..
        } = kind
        else {
            return None;
        };
        Some(Self {
            source,
            lanes,
            instants: Renewal::of(every, &Distribution::Constant(Span::ZERO), seed, process),
            delay: Sampler::new(delay),
            hold: Sampler::new(hold),
            outage: Sampler::new(outage),
            rng: seed.stream(&format!("{process}/paths")),
            begun: false,
            lossy_until: None,
        })
    }

    /// When something happens next: first at the start of the run.
    pub(crate) fn next(&self) -> Time {
        if !self.begun {
            return Time::ZERO;
        }
        let handover = self.instants.as_ref().map_or(Time::NEVER, Renewal::next);
        handover.min(self.lossy_until.unwrap_or(Time::NEVER))
    }

    /// Whether packets are lost now.
    pub(crate) const fn is_lossy(&self) -> bool {
        self.lossy_until.is_some()
    }

    /// Does what is due at `now`, one thing at a time. A handover takes its three draws whatever they mean.
    pub(crate) fn turn(&mut self, now: Time) -> Option<Turn> {
        if !self.begun {
            self.begun = true;
            let delay = self.delay.draw(&mut self.rng);
            return Some(Turn::Begins { delay });
        }
        if self.lossy_until.is_some_and(|until| until <= now) {
            self.lossy_until = None;
            return Some(Turn::LossEnds);
        }
        let instants = self.instants.as_mut().filter(|instants| instants.next() <= now)?;
        instants.turn();
        let delay = self.delay.draw(&mut self.rng);
        let held_until = now + self.hold.draw(&mut self.rng);
        let outage = self.outage.draw(&mut self.rng);
        if !outage.is_zero() {
            let until = now + outage;
            self.lossy_until = self.lossy_until.max(Some(until));
        }
        Some(Turn::Handover {
            delay,
            held_until,
            lossy: !outage.is_zero(),
        })
    }
}
