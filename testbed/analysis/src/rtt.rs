//! Round trips as the data sender's end shows them: from a segment to the first acknowledgement that covers it.

use schemars::JsonSchema;
use serde::Serialize;
use windlull_units::{Span, Time};

/// The round trips of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RoundTrips {
    /// How many were measured.
    pub samples: u64,
    /// The shortest.
    pub min_ns: Span,
    /// The mean, rounded down.
    pub mean_ns: Span,
    /// The longest.
    pub max_ns: Span,
}

/// Measures round trips by Karn's rule (RFC 6298, section 3): an acknowledgement of octets that were sent twice tells nothing, as nobody knows
/// which copy it answers. Nor does one that a retransmission below it made possible.
#[derive(Debug, Default)]
pub(crate) struct RoundTripMeter {
    /// The position behind all that was sent again.
    resent: u64,
    samples: u64,
    sum: u128,
    min: Option<Span>,
    max: Span,
    smoothed: Option<Span>,
    last: Option<(Time, Span)>,
}

impl RoundTripMeter {
    /// Octets up to this position were sent again.
    pub(crate) fn resent(&mut self, end: u64) {
        self.resent = self.resent.max(end);
    }

    /// An acknowledgement arrived that covers new octets from `before` on; the last segment of them was sent at `sent`.
    pub(crate) fn acknowledged(&mut self, now: Time, before: u64, sent: Option<Time>) {
        let Some(sent) = sent.filter(|_| before >= self.resent) else {
            return;
        };
        let sample = now.since(sent);
        self.samples += 1;
        self.sum += u128::from(sample.as_ns());
        self.min = Some(self.min.map_or(sample, |min| min.min(sample)));
        self.max = self.max.max(sample);
        self.smoothed = Some(Span::smoothed(self.smoothed, sample));
        self.last = Some((now, sample));
    }

    /// The smoothed round trip.
    pub(crate) const fn smoothed(&self) -> Option<Span> {
        self.smoothed
    }

    /// The sample of the last acknowledgement, once.
    pub(crate) fn take_last(&mut self) -> Option<(Time, Span)> {
        self.last.take()
    }

    /// What was measured; `None` if nothing was.
    pub(crate) fn summary(&self) -> Option<RoundTrips> {
        let mean = u64::try_from(self.sum / u128::from(self.samples.max(1))).unwrap_or(u64::MAX);
        self.min.map(|min_ns| RoundTrips {
            samples: self.samples,
            min_ns,
            mean_ns: Span::from_ns(mean),
            max_ns: self.max,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::from_ns(ms * 1_000_000)
    }

    #[test]
    fn nothing_is_measured_below_what_was_sent_again() {
        let mut meter = RoundTripMeter::default();
        meter.acknowledged(at(100), 0, Some(at(0)));
        meter.resent(3000);
        // Octets before the retransmitted ones are acknowledged with them, and after: neither is a round trip.
        meter.acknowledged(at(400), 1000, Some(at(200)));
        meter.acknowledged(at(410), 2999, Some(at(200)));
        meter.acknowledged(at(700), 3000, Some(at(500)));
        let trips = meter.summary().expect("two samples");
        assert_eq!(
            (trips.samples, trips.min_ns, trips.max_ns),
            (2, Span::from_ms(100), Span::from_ms(200))
        );
        assert_eq!(trips.mean_ns, Span::from_ms(150));
        assert_eq!(meter.take_last(), Some((at(700), Span::from_ms(200))));
        assert_eq!(meter.take_last(), None);
    }

    #[test]
    fn a_run_without_acknowledgements_has_no_round_trips() {
        assert_eq!(RoundTripMeter::default().summary(), None);
    }
}
