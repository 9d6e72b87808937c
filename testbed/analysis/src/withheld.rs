//! Timeouts that the receiver alone explains: it had the segment, and delayed its acknowledgement for too long.

use windlull_units::{Span, Time};

/// Timeouts at which the receiver had the segment and had not acknowledged it yet, until that is acknowledged.
#[derive(Debug, Default)]
pub(crate) struct Withheld(Vec<Case>);

#[derive(Debug)]
struct Case {
    /// The timeout's place in the run's list.
    place: usize,
    timed_out: Time,
    /// When the receiver had all of the segment.
    arrived: Time,
    /// The position behind the segment.
    end: u64,
}

impl Withheld {
    pub(crate) fn begin(&mut self, place: usize, timed_out: Time, arrived: Time, end: u64) {
        self.0.push(Case {
            place,
            timed_out,
            arrived,
            end,
        });
    }

    /// All below this position is acknowledged, and what said so was `way` on its way back, if that is known: yields the
    /// timeouts, by place, before which an acknowledgement sent at once would have come, and for how long the receiver
    /// had had the segment by then.
    pub(crate) fn acknowledged(&mut self, ack: u64, way: Option<Span>) -> impl Iterator<Item = (usize, Span)> + '_ {
        let in_time = move |case: &Case| way.is_some_and(|way| case.arrived + way < case.timed_out);
        // Segments are waited for in order.
        let over = self.0.partition_point(|case| case.end <= ack);
        self.0
            .drain(..over)
            .filter(in_time)
            .map(|case| (case.place, case.timed_out.since(case.arrived)))
    }
}
