//! Timeouts that the receiver alone explains: it had the segment, and delayed its acknowledgement for too long.

use windlull_units::{Span, Time};

/// Timeouts at which the receiver had the segment, until an acknowledgement of it arrives.
#[derive(Debug, Default)]
pub(crate) struct Withheld(Vec<Case>);

/// Such a timeout.
#[derive(Debug)]
pub(crate) struct Case {
    /// Its place in the run's list.
    pub(crate) place: usize,
    /// When the receiver had all of the segment.
    pub(crate) arrived: Time,
    /// When the receiver acknowledged it first; if it had not by then, when the timer fired.
    pub(crate) until: Time,
    pub(crate) timed_out: Time,
    /// The position behind the segment.
    pub(crate) end: u64,
}

impl Withheld {
    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn begin(&mut self, case: Case) {
        self.0.push(case);
    }

    /// All below this position is acknowledged, and what said so was `way` on its way back, if that is known: yields the
    /// timeouts, by place, before which an acknowledgement sent at once would have come, and for how long the receiver
    /// had the segment without one.
    pub(crate) fn acknowledged(&mut self, ack: u64, way: Option<Span>) -> impl Iterator<Item = (usize, Span)> + '_ {
        let in_time =
            move |case: &Case| case.arrived < case.until && way.is_some_and(|way| case.arrived + way < case.timed_out);
        // Segments are waited for in order.
        let over = self.0.partition_point(|case| case.end <= ack);
        self.0
            .drain(..over)
            .filter(in_time)
            .map(|case| (case.place, case.until.since(case.arrived)))
    }
}
