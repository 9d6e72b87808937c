//! Single losses in time: how often there is one does not depend on how fast the sender is, as it does where each packet may be
//! lost.

use windlull_units::Time;

use super::instants::Instants;

/// Loses the first packet after each instant.
#[derive(Clone, Debug)]
pub(crate) struct TimedLoss {
    instants: Instants,
}

impl TimedLoss {
    pub(crate) const fn new(instants: Instants) -> Self {
        Self { instants }
    }

    /// Whether the packet that comes at `now` is lost. One that the link layer sends again passes.
    pub(crate) fn loses(&mut self, now: Time, again: bool) -> bool {
        !again && self.instants.passed(now)
    }
}

#[cfg(test)]
mod tests {
    use windlull_units::{Seed, Span};

    use super::*;
    use crate::distribution::Sampler;
    use crate::model::Distribution;

    #[test]
    fn one_packet_is_lost_after_each_instant_that_packets_followed() {
        let every = Distribution::Constant(Span::from_ms(10));
        let instants = Instants::new(Sampler::new(&every), Seed::new(1).stream("down/it"));
        let mut loss = TimedLoss::new(instants);
        // Two instants without a packet in between lose one.
        let lost = [
            (9, false),
            (10, true),
            (10, false),
            (11, false),
            (20, false),
            (35, false),
            (36, false),
        ]
        .map(|(ms, again)| loss.loses(Time::ZERO + Span::from_ms(ms), again));
        assert_eq!(lost, [false, false, true, false, true, true, false]);
    }
}
