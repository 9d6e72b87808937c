//! What follows once a timeout proved spurious.

use std::borrow::Cow;

use windlull_units::Time;
use windlull_wire::SenderEvent;

use crate::observer::EndpointObserver;
use crate::response::{FollowUp, Moment, Windows};

use super::view::{Ack, Mode, Setback};
use super::{BeforeTimeout, Sender, see};

impl Sender {
    /// The response sets the windows, and new data follows what was sent last.
    pub(super) fn respond(&mut self, now: Time, ack: &Ack, o: &mut impl EndpointObserver) {
        let now_windows = Windows {
            cwnd: self.congestion.cwnd,
            ssthresh: self.congestion.ssthresh,
        };
        let moment = Moment {
            before: self.before.map_or(now_windows, |before| before.windows),
            flight_before: self.before.map_or(0, |before| before.flight),
            halved_again: self.before.and_then(|before| before.halved_again),
            acknowledged: ack.advanced,
            marked: ack.marked || self.before.is_some_and(|before| before.echoed),
            initial_window: self.initial_window(),
        };
        let before = self.before.take();
        let after = self.response.respond(&see!(self), &moment);
        self.congestion.on_spurious();
        self.congestion.ssthresh = after.ssthresh;
        self.congestion.set_cwnd(after.cwnd);
        self.recovery.on_spurious(&see!(self));
        self.stream.nxt = self.stream.max;
        if self.response.restores(&moment) {
            self.on_restored(before);
        }
        self.follow_up = self.response.follow_up();
        self.timer.on_spurious(now);
        let event = SenderEvent::Response {
            ordinal: self.timeouts,
            name: Cow::Borrowed(self.response.name()),
            cwnd_before: now_windows.cwnd,
            cwnd_after: after.cwnd,
            ssthresh_after: after.ssthresh,
        };
        o.sender(now, &event);
        // An answer that comes late finds the recovery over.
        if self.mode != Mode::Open {
            self.open(now, o);
        }
    }

    /// The timeout has reduced nothing, hence it has answered no mark either (RFC 3168, section 6.1.2).
    fn on_restored(&mut self, before: Option<BeforeTimeout>) {
        let Some((before, answer)) = before.and_then(|before| Some((before, before.answer?))) else {
            return;
        };
        self.marks.on_restored(answer);
        if before.echoed {
            self.answer_mark();
        }
    }

    /// The first acknowledgement after a response that advances or is a duplicate; tells whether the response took it.
    pub(super) fn follow_up(&mut self, now: Time, ack: &Ack, o: &mut impl EndpointObserver) -> bool {
        let FollowUp::GoBackIfDuplicate { rule } = self.follow_up else {
            return false;
        };
        if ack.advanced == 0 && !ack.duplicate {
            return false;
        }
        self.follow_up = FollowUp::None;
        if ack.advanced > 0 {
            return false;
        }
        self.tell_rule(now, Some(rule), None, o);
        self.lower_threshold(self.stream.flight());
        self.recovery.on_timeout(&see!(self), now);
        self.go_back(1, self.stream.max, self.stream.una, Setback::Timeout);
        true
    }
}
