//! Which segments are lost: RFC 8985, section 6.

use windlull_units::{Span, Time};

use crate::scoreboard::DUP_THRESH;
use crate::sender::Mode;
use crate::timer::StampClock;

use super::log::{Log, Segment};

/// Section 6.2, step 4: recoveries without a report of duplicates after which the window is as narrow as at first.
const PERSIST: u32 = 16;

/// RACK's variables (section 5.3).
#[derive(Clone, Copy, Debug)]
pub(super) struct Rack {
    /// `RACK.xmit_ts` and `RACK.end_seq`: of all segments delivered, the one sent last.
    latest: Option<(Time, u64)>,
    /// `RACK.rtt`: how long the segment took that was delivered last.
    rtt: Span,
    /// `RACK.min_RTT`, the least of the connection.
    min_rtt: Option<Span>,
    /// `RACK.fack`: the right end of the highest segment delivered.
    highest: u64,
    /// `RACK.reordering_seen`.
    reordering_seen: bool,
    /// `RACK.dsack_round`: no further report of a duplicate counts before this is acknowledged.
    dsack_round: Option<u64>,
    /// `RACK.reo_wnd_mult`: the window's width in quarters of the least round trip.
    quarters: u32,
    /// `RACK.reo_wnd_persist`.
    persist: u32,
    /// `RACK.reo_wnd`, as it was last used.
    window: Span,
}

impl Rack {
    pub(super) const fn new() -> Self {
        Self {
            latest: None,
            rtt: Span::ZERO,
            min_rtt: None,
            highest: 0,
            reordering_seen: false,
            dsack_round: None,
            quarters: 1,
            persist: PERSIST,
            window: Span::ZERO,
        }
    }

    /// Section 6.2, step 1: a round trip of what was sent once.
    pub(super) fn on_round_trip(&mut self, rtt: Span) {
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
    }

    /// Section 6.2, steps 1 to 3, for a segment newly delivered at `now`. `echo` is the timestamp that was echoed of it, if
    /// one was: that of an acknowledgement which only selects it is of the last segment in order (RFC 7323, section 4.3).
    pub(super) fn on_delivered(&mut self, segment: &Segment, now: Time, echo: Option<u32>, clock: &StampClock) {
        let rtt = now.since(segment.sent);
        let end = segment.octets.right;
        // Step 1.
        if !segment.repeated {
            self.on_round_trip(rtt);
        }
        // Step 3.
        if end < self.highest && !segment.repeated {
            self.reordering_seen = true;
        }
        self.highest = self.highest.max(end);
        // Step 2: what was sent again may have been delivered as it was sent first.
        let is_original = segment.repeated
            && (echo.is_some_and(|echo| clock.is_older(echo, segment.sent))
                || self.min_rtt.is_some_and(|least| rtt < least));
        if !is_original {
            self.rtt = rtt;
            self.latest = self.latest.max(Some((segment.sent, end)));
        }
    }

    /// An original arrived after its retransmission had been sent, which step 3 cannot tell.
    pub(super) const fn on_reordered(&mut self) {
        self.reordering_seen = true;
    }

    /// Section 6.2, step 4, for an acknowledgement: reports of duplicates widen the window, recoveries without any narrow it.
    pub(super) fn adapt(&mut self, una: u64, max: u64, duplicate_reported: bool, leaves_recovery: bool) {
        self.dsack_round = self.dsack_round.filter(|round| una < *round);
        if self.dsack_round.is_none() && duplicate_reported {
            self.dsack_round = Some(max);
            self.quarters = self.quarters.saturating_add(1);
            self.persist = PERSIST;
        } else if leaves_recovery {
            self.persist = self.persist.saturating_sub(1);
            if self.persist == 0 {
                self.quarters = 1;
            }
        }
    }

    /// Section 6.2, step 4: the reordering window; none while nothing was ever reordered and a loss is likely.
    pub(super) fn window(&mut self, mode: Mode, selected_segments: usize, srtt: Option<Span>) -> Span {
        let likely = mode != Mode::Open || selected_segments >= DUP_THRESH as usize;
        self.window = if !self.reordering_seen && likely {
            Span::ZERO
        } else {
            let least = self.min_rtt.unwrap_or(Span::ZERO);
            let window = least.saturating_mul(u64::from(self.quarters)).div(4);
            srtt.map_or(window, |srtt| window.min(srtt))
        };
        self.window
    }

    /// Section 6.2, step 5; tells how long the reordering timer must wait for the rest.
    pub(super) fn detect(&self, log: &mut Log, now: Time, window: Span) -> Option<Span> {
        let mut wait = Span::ZERO;
        log.lose_before(self.latest?, |segment| {
            let remaining = (segment.sent + self.rtt + window).since(now);
            wait = wait.max(remaining);
            remaining.is_zero()
        });
        Some(wait).filter(|wait| !wait.is_zero())
    }

    /// Section 6.3: the first segment is lost, and all that were sent long enough ago.
    pub(super) fn on_timeout(&self, log: &mut Log, now: Time) {
        let mut first = true;
        log.lose_before((Time::NEVER, u64::MAX), |segment| {
            std::mem::take(&mut first) || segment.sent + self.rtt + self.window <= now
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Span = Span::from_ms(100);

    fn window(rack: &mut Rack) -> Span {
        rack.window(Mode::Open, 0, None)
    }

    #[test]
    fn sixteen_recoveries_without_a_report_narrow_the_window() {
        let mut rack = Rack {
            min_rtt: Some(RTT),
            ..Rack::new()
        };
        for recoveries in [0, 15] {
            // A report anew lets the window persist for all sixteen again.
            rack.adapt(10, 10, true, false);
            for _ in 0..recoveries {
                rack.adapt(20, 20, false, true);
            }
        }
        assert_eq!(window(&mut rack), RTT.div(4).saturating_mul(3));
        rack.adapt(20, 20, false, true);
        assert_eq!(window(&mut rack), RTT.div(4));
    }

    #[test]
    fn a_report_on_leaving_counts_as_a_report() {
        let mut rack = Rack {
            min_rtt: Some(RTT),
            persist: 1,
            ..Rack::new()
        };
        rack.adapt(10, 10, true, true);
        assert_eq!(window(&mut rack), RTT.div(2));
        assert_eq!(rack.persist, PERSIST);
    }

    #[test]
    fn a_likely_loss_leaves_no_window_until_something_was_reordered() {
        let mut rack = Rack {
            min_rtt: Some(RTT),
            ..Rack::new()
        };
        assert_eq!(rack.window(Mode::Open, 2, None), RTT.div(4));
        assert_eq!(rack.window(Mode::Open, 3, None), Span::ZERO);
        assert_eq!(rack.window(Mode::FastRecovery, 0, None), Span::ZERO);
        rack.reordering_seen = true;
        assert_eq!(rack.window(Mode::Open, 3, None), RTT.div(4));
        assert_eq!(rack.window(Mode::FastRecovery, 0, None), RTT.div(4));
        assert_eq!(rack.window(Mode::Open, 0, Some(Span::from_ms(20))), Span::from_ms(20));
    }
}
