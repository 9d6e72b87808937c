//! What measures a metric while a run happens.

use windlull_units::{Fate, Time};
use windlull_wire::{Segment, SenderEvent};

use super::Metrics;
use crate::result::{Ends, TimeoutRecord};
use crate::totals::Totals;

/// Measures something of a connection that no verdict needs. It hears what it asks to hear of, and no more: what a meter
/// does not override costs nothing.
pub(crate) trait Meter {
    /// The link is done with a packet of either direction.
    fn fate(&mut self, _fate: &Fate) {}

    /// The data sender sent a segment with data, for the first time or again.
    fn sent(&mut self, _now: Time, _segment: &Segment) {}

    /// A packet arrived at the data sender.
    fn answered(&mut self, _now: Time, _segment: &Segment) {}

    /// The data sender said something of itself.
    fn said(&mut self, _now: Time, _event: &SenderEvent) {}

    /// The data sender's timer fired, as it said or as it is inferred; the timeout is the last of the list.
    fn timed_out(&mut self, _timeouts: &[TimeoutRecord]) {}

    /// The data sender began a fast retransmit, as it said or as it is inferred.
    fn fast_retransmitted(&mut self) {}

    /// The connection is over: writes down what was measured.
    fn tell(&mut self, run: &Run<'_>, metrics: &mut Metrics);
}

/// What is known of a connection at its end.
pub(crate) struct Run<'a> {
    pub(crate) data_sender: windlull_units::Host,
    pub(crate) ends: Ends,
    pub(crate) totals: &'a Totals,
}

/// Makes one meter of several.
macro_rules! meters {
    ($($name:ident: $meter:ty,)*) => {
        /// All that measure.
        #[derive(Debug, Default)]
        pub(crate) struct Meters {
            $($name: $meter,)*
        }

        impl Meter for Meters {
            #[inline]
            fn fate(&mut self, fate: &windlull_units::Fate) {
                $(self.$name.fate(fate);)*
            }

            #[inline]
            fn sent(&mut self, now: windlull_units::Time, segment: &windlull_wire::Segment) {
                $(self.$name.sent(now, segment);)*
            }

            #[inline]
            fn answered(&mut self, now: windlull_units::Time, segment: &windlull_wire::Segment) {
                $(self.$name.answered(now, segment);)*
            }

            #[inline]
            fn said(&mut self, now: windlull_units::Time, event: &windlull_wire::SenderEvent) {
                $(self.$name.said(now, event);)*
            }

            fn timed_out(&mut self, timeouts: &[$crate::result::TimeoutRecord]) {
                $(self.$name.timed_out(timeouts);)*
            }

            fn fast_retransmitted(&mut self) {
                $(self.$name.fast_retransmitted();)*
            }

            fn tell(&mut self, run: &Run<'_>, metrics: &mut Metrics) {
                $(self.$name.tell(run, metrics);)*
            }
        }
    };
}
