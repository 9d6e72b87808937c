//! Prague (draft-briscoe-iccrg-prague-congestion-control-04): DCTCP for paths of many lengths, whose queue tells a packet with ECT(1) of
//! waits below a millisecond or two (RFC 9331, section 4).

use windlull_units::{Span, Time};

use super::share::{MarkedShare, Told};
use super::{Growth, WindowControl, halved};

/// `RTT_virt_min` (section 2.4.4): a shorter round trip counts as this one, so that it has no larger share of a link.
const LEAST_ROUND_TRIP: Span = Span::from_ms(25);

/// The share of marks, and what the window grows by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prague {
    share: MarkedShare,
    /// Octets acknowledged since the window last grew, as far as they count for growth.
    acknowledged: u64,
    /// When a mark last reduced the window.
    reduced: Option<Time>,
}

impl Prague {
    pub(crate) const fn new() -> Self {
        Self {
            share: MarkedShare::new(LEAST_ROUND_TRIP),
            acknowledged: 0,
            reduced: None,
        }
    }
}

/// How many of so many octets count for growth: over a round trip of a part of the least, that part's square (section 2.4.4). A window
/// that grows so has the rate of a flow with the least round trip.
fn counted(octets: u64, rtt: Span) -> u64 {
    if rtt >= LEAST_ROUND_TRIP {
        return octets;
    }
    let (rtt, least) = (u128::from(rtt.as_ns()), u128::from(LEAST_ROUND_TRIP.as_ns()));
    u64::try_from(u128::from(octets) * rtt * rtt / (least * least)).unwrap_or(octets)
}

impl WindowControl for Prague {
    /// Section 2.4.1, after Reno: a loss may be a queue's that does not mark.
    fn threshold(&self, flight: u64, _: u64, smss: u64) -> u64 {
        halved(flight, smss)
    }

    /// Section 2.4.2.
    fn threshold_by_mark(&self, _: u64, cwnd: u64, smss: u64) -> u64 {
        self.share.reduced(cwnd, smss)
    }

    /// One segment a round trip (section 2.4.3), or less where that is short.
    #[inline]
    fn grow(&mut self, cwnd: u64, growth: &Growth) -> u64 {
        self.acknowledged += counted(growth.octets, growth.rtt);
        if self.acknowledged < cwnd {
            return cwnd;
        }
        self.acknowledged -= cwnd;
        cwnd + growth.smss
    }

    fn on_told(&mut self, told: &Told) {
        self.share.on_told(told);
    }

    /// Once in the least round trip: growth is that of one, too.
    fn may_answer(&mut self, now: Time) -> bool {
        let may = self.reduced.is_none_or(|before| now.since(before) >= LEAST_ROUND_TRIP);
        if may {
            self.reduced = Some(now);
        }
        may
    }

    /// A mark takes little, and growth goes on from where it was.
    fn on_window_set(&mut self) {}

    fn on_loss(&mut self, _: u64, _: bool) {}

    fn on_spurious(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_round_trip_grows_by_the_square_of_its_part() {
        let counted = |ms| counted(10_000, Span::from_ms(ms));
        assert_eq!([5, 10, 25, 100].map(counted), [400, 1600, 10_000, 10_000]);
    }

    #[test]
    fn a_mark_is_answered_once_in_the_least_round_trip() {
        let mut prague = Prague::new();
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        assert_eq!(
            [100, 110, 124, 125, 149, 150].map(|ms| prague.may_answer(at(ms))),
            [true, false, false, true, false, true]
        );
    }
}
