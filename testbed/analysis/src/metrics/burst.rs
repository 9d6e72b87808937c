//! How bursty the sender is: how many segments it sends at once (RFC 6582, section 3.2, step 3, warns of bursts after recovery, and
//! limits what one acknowledgement may release; gurtov2003, section III.B, asks whether a restored window causes them).

use windlull_units::{Span, Time};
use windlull_wire::Segment;

use super::{Meter, Metrics, Run};
use crate::result::Ends;

/// Segments that are sent closer to one another than this are sent at once: in virtual time all of a burst have the same
/// time, on real hosts it is the time that a host needs for a segment, tens of microseconds.
const AT_ONCE: Span = Span::from_us(100);

#[derive(Debug, Default)]
pub(super) struct BurstMeter {
    /// When the last segment was sent, if nothing has arrived since.
    last: Option<Time>,
    /// How many segments that was the last of.
    burst: u64,
    longest: u64,
}

impl Meter for BurstMeter {
    fn sent(&mut self, now: Time, _: &Segment) {
        let goes_on = self.last.is_some_and(|last| now.since(last) < AT_ONCE);
        self.burst = if goes_on { self.burst + 1 } else { 1 };
        self.longest = self.longest.max(self.burst);
        self.last = Some(now);
    }

    fn answered(&mut self, _: Time, _: &Segment) {
        self.last = None;
    }

    fn tell(&mut self, run: &Run<'_>, metrics: &mut Metrics) {
        // The link spreads a burst: at the receiver it is not seen.
        metrics.longest_burst = (run.ends != Ends::Receiver).then_some(self.longest);
    }
}
