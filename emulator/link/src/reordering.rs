//! How long the far end waits for a packet that the link layer sends again.
//!
//! As the receiving side of unacknowledged mode does (3GPP TS 36.322, section 5.1.2.2; for 5G TS 38.323, section 5.2.2.2):
//! one timer runs from the moment a packet comes while an earlier one is missing. When it expires, all that are missing
//! before that packet are passed over: what waits for them is delivered, and they are dropped when they come. Orders are
//! numbers of packets; none is missing below `next`.

use windlull_units::{Span, Time};

use crate::model::InOrder;

/// What the far end waits for.
#[derive(Clone, Debug)]
pub(crate) struct Reordering {
    /// `None`: for nothing.
    wait: Option<Span>,
    /// `VR(UR)`: the earliest that it waits for.
    next: u64,
    /// `VR(UH)`: after the highest that has come.
    high: u64,
    /// When the timer expires, and `VR(UX)`: after the packet that started it.
    timer: Option<(Time, u64)>,
}

impl Reordering {
    /// `None` if packets are always released in order.
    pub(crate) const fn new(in_order: InOrder) -> Option<Self> {
        let wait = match in_order {
            InOrder::Always => return None,
            InOrder::Never => None,
            InOrder::For(wait) => Some(wait),
        };
        Some(Self {
            wait,
            next: 0,
            high: 0,
            timer: None,
        })
    }

    /// Whether packets are delivered as they come.
    pub(crate) const fn waits(&self) -> bool {
        self.wait.is_some()
    }

    /// Whether this one was passed over.
    pub(crate) const fn is_late(&self, order: u64) -> bool {
        order < self.next
    }

    pub(crate) const fn next(&self) -> u64 {
        self.next
    }

    /// A packet has come.
    pub(crate) fn came(&mut self, order: u64) {
        self.high = self.high.max(order + 1);
    }

    /// Nothing is missing before `next` any longer; starts and stops the timer.
    pub(crate) fn advance(&mut self, now: Time, next: u64) {
        self.next = self.next.max(next);
        if self.timer.is_some_and(|(_, after)| after <= self.next) {
            self.timer = None;
        }
        if let (Some(wait), None) = (self.wait, self.timer) {
            if self.high > self.next {
                self.timer = Some((now + wait, self.high));
            }
        }
    }

    /// When the timer expires.
    pub(crate) fn deadline(&self) -> Time {
        self.timer.map_or(Time::NEVER, |(at, _)| at)
    }

    /// Nothing can be delivered before `until`: the timer goes on.
    pub(crate) fn postpone(&mut self, until: Time) {
        if let Some((at, _)) = &mut self.timer {
            *at = (*at).max(until);
        }
    }

    /// The timer has expired: from which on and before which packets are passed over.
    pub(crate) fn expire(&mut self) -> Option<(u64, u64)> {
        let (_, after) = self.timer.take()?;
        let before = self.next;
        self.next = after;
        Some((before, after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    #[test]
    fn the_timer_runs_from_the_first_that_waits_and_starts_again_for_those_behind_it() {
        let mut reordering = Reordering::new(InOrder::For(Span::from_ms(35))).expect("a timer");
        // 0 comes, 1 is missing; 2 comes at 10 ms, 3 and 5 later.
        reordering.came(0);
        reordering.advance(at(5), 1);
        assert_eq!(reordering.deadline(), Time::NEVER);
        for (order, ms) in [(2, 10), (3, 11), (5, 12)] {
            reordering.came(order);
            reordering.advance(at(ms), 1);
            assert_eq!(reordering.deadline(), at(45));
        }
        assert_eq!(reordering.expire(), Some((1, 3)));
        assert!(reordering.is_late(1) && !reordering.is_late(4));
        // 3 goes out with 2; 5 still waits for 4.
        reordering.advance(at(45), 4);
        assert_eq!(reordering.deadline(), at(80));
        // 4 comes in time.
        reordering.came(4);
        reordering.advance(at(50), 6);
        assert_eq!(reordering.deadline(), Time::NEVER);
    }
}
