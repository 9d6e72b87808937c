//! Sending at intervals, where congestion control sets one (jacobson1988, footnote 13).

use windlull_units::{Span, Time};

/// When the next segment may leave.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    next: Time,
    /// Whether a segment may be waiting for it.
    waiting: bool,
}

impl Pace {
    /// Whether a segment must wait at `now`.
    pub(super) fn holds(&mut self, now: Time) -> bool {
        self.waiting = now < self.next;
        self.waiting
    }

    /// A segment left; the next one may follow after `interval`.
    pub(super) fn on_sent(&mut self, now: Time, interval: Span) {
        self.next = now + interval;
    }

    /// It is due: nothing waits any more.
    pub(super) fn on_timer(&mut self, now: Time) {
        self.waiting &= now < self.next;
    }

    /// When a segment that had to wait may leave.
    pub(super) fn due(&self) -> Option<Time> {
        self.waiting.then_some(self.next)
    }
}
