//! A channel that an idle sender loses and must request again.
//!
//! ```text
//!            a packet wants to go            it is granted
//!   Released --------------------> Acquiring -------------> Busy
//!      ^                                                    | ^  a packet wants to go
//!      |  idle for `idle_after`      nothing left to send   v |
//!      +-------------------------------------------------- Idle
//! ```

use windlull_units::{Rng, Seed, Span, Time};

use crate::distribution::Sampler;
use crate::model::AllocationModel;

/// The state of the channel. A run begins with the channel released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Channel {
    Released,
    Acquiring { until: Time },
    Busy,
    Idle { since: Time },
}

/// The channel's allocation in one direction.
#[derive(Clone, Debug)]
pub(crate) struct Allocation {
    idle_after: Span,
    delay: Sampler,
    rng: Rng,
    channel: Channel,
}

impl Allocation {
    pub(crate) fn new(model: &AllocationModel, seed: Seed, name: &str) -> Self {
        Self {
            idle_after: model.idle_after,
            delay: Sampler::new(&model.delay),
            rng: seed.stream(name),
            channel: Channel::Released,
        }
    }

    /// A packet wants to go. If the channel must be acquired for it, says when it will be usable.
    pub(crate) fn want(&mut self, now: Time) -> Option<Time> {
        match self.channel {
            Channel::Acquiring { .. } | Channel::Busy => return None,
            Channel::Idle { since } if now.since(since) < self.idle_after => {
                self.channel = Channel::Busy;
                return None;
            }
            Channel::Idle { .. } | Channel::Released => {}
        }
        let until = now + self.delay.draw(&mut self.rng);
        self.channel = Channel::Acquiring { until };
        Some(until)
    }

    /// From when on a packet that wants to go may go.
    pub(crate) const fn usable_from(&self) -> Time {
        match self.channel {
            Channel::Acquiring { until } => until,
            Channel::Busy | Channel::Idle { .. } | Channel::Released => Time::ZERO,
        }
    }

    pub(crate) const fn occupy(&mut self) {
        self.channel = Channel::Busy;
    }

    /// There is nothing to send.
    pub(crate) fn rest(&mut self, now: Time) {
        if self.channel == Channel::Busy {
            self.channel = Channel::Idle { since: now };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Distribution;

    #[test]
    fn an_idle_channel_is_lost_at_its_deadline_and_not_before() {
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let model = AllocationModel {
            idle_after: Span::from_ms(100),
            delay: Distribution::Constant(Span::from_ms(30)),
        };
        let mut channel = Allocation::new(&model, Seed::new(1), "down/allocation");
        assert_eq!(channel.want(at(0)), Some(at(30)));
        assert_eq!(channel.want(at(10)), None);
        assert_eq!(channel.usable_from(), at(30));
        channel.occupy();
        channel.rest(at(50));
        let mut later = channel.clone();
        assert_eq!(channel.want(Time::from_ns(at(150).as_ns() - 1)), None);
        assert_eq!(channel.usable_from(), Time::ZERO);
        assert_eq!(later.want(at(150)), Some(at(180)));
    }
}
