//! Round trips: what gives one, and who is told.

use windlull_units::{Span, Time};
use windlull_wire::SenderEvent;

use crate::observer::EndpointObserver;
use crate::recovery::LossRecovery;
use crate::registry::RoundTrips;
use crate::timer::Sample;

use super::Sender;
use super::view::Ack;

impl Sender {
    /// Takes a round-trip time if what is acknowledged up to now gives one.
    #[inline]
    pub(super) fn measure(&mut self, now: Time, echo: Option<u32>, o: &mut impl EndpointObserver) {
        if self.measures_segments() {
            return;
        }
        if let Some(rtt) = self.meter.on_acknowledged(now, self.view.stream.una, echo) {
            self.take_sample(now, rtt, rtt, o);
        }
    }

    /// Whether each segment's own time gives its round trip, once the recovery has heard of the acknowledgement.
    fn measures_segments(&self) -> bool {
        self.policy.round_trips == RoundTrips::Linux && self.view.stream.max > 0 && self.recovery.trips().is_some()
    }

    /// A round trip, and that of the segment delivered last, which congestion control goes by.
    fn take_sample(&mut self, now: Time, rtt: Span, latest: Span, o: &mut impl EndpointObserver) {
        let sample = Sample {
            now,
            rtt,
            una: self.view.stream.una,
            max: self.view.stream.max,
        };
        self.view.timer.on_sample(&sample);
        let sample = Sample { rtt: latest, ..sample };
        self.view.congestion.on_sample(&sample, self.view.stream.smss);
        o.sender(now, &SenderEvent::RttSample { rtt });
    }

    /// Linux, `tcp_ack_update_rtt`: the first segment newly acknowledged, unless one of them was sent again; else the first one newly
    /// SACKed; else what the acknowledgement echoes, if it advances. The timer starts anew when it advances, and when what it
    /// SACKs was sent after the first segment outstanding (`tcp_clean_rtx_queue`).
    #[inline]
    pub(super) fn measure_segments(&mut self, ack: &Ack, o: &mut impl EndpointObserver) {
        if !self.measures_segments() {
            return;
        }
        let now = ack.now;
        let Some(trips) = self.recovery.trips() else { return };
        let acknowledged = trips.acknowledged.filter(|_| !trips.ambiguous);
        let echoed = || {
            let trip = self.view.clock.since(now, ack.echo.filter(|_| ack.advanced > 0)?)?;
            Some((trip, trip))
        };
        let Some((rtt, last)) = acknowledged.or(trips.selected).or_else(echoed) else {
            return;
        };
        let latest = trips.selected.map_or(last, |(_, last)| last);
        self.take_sample(now, rtt, latest, o);
        let restarts = if ack.advanced > 0 {
            self.view.stream.is_outstanding()
        } else {
            let since_first = self.recovery.first_sent().map(|sent| now.since(sent));
            since_first.is_some_and(|since| trips.selected.is_some_and(|(trip, _)| since < trip))
        };
        if restarts {
            self.view.timer.restart(now);
        }
    }
}
