//! What follows once a timeout proved spurious.

use std::borrow::Cow;

use windlull_units::Time;
use windlull_wire::SenderEvent;

use crate::observer::EndpointObserver;
use crate::recovery::LossRecovery;
use crate::response::{FollowUp, Moment, SpuriousResponse, Windows};

use super::view::{Ack, Mode, Setback};
use super::{BeforeTimeout, Reduced, Sender};

impl Sender {
    /// The response sets the windows, and new data follows what was sent last.
    pub(super) fn respond(&mut self, now: Time, ack: &Ack, o: &mut impl EndpointObserver) {
        let now_windows = Windows {
            cwnd: self.view.congestion.cwnd,
            ssthresh: self.view.congestion.ssthresh,
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
        let after = self.response.respond(&self.view, &moment);
        self.view.congestion.on_spurious();
        self.view.congestion.set_ssthresh(after.ssthresh);
        self.view.congestion.set_cwnd(after.cwnd);
        self.recovery.on_spurious(&self.view);
        if let Some(modelling) = &mut self.modelling {
            modelling.forgive();
        }
        self.view.stream.nxt = self.view.stream.max;
        if self.response.restores(&moment) {
            self.on_restored(before);
        }
        self.follow_up = self.response.follow_up();
        self.reduced = before.map(|before| Reduced {
            before,
            ssthresh: after.ssthresh,
        });
        self.view.timer.on_spurious(now);
        self.tell_response(now, now_windows.cwnd, after, o);
        // An answer that comes late finds the recovery over.
        if self.view.mode != Mode::Open {
            self.open(now, o);
        }
    }

    fn tell_response(&self, now: Time, cwnd_before: u64, after: Windows, o: &mut impl EndpointObserver) {
        let event = SenderEvent::Response {
            ordinal: self.timeouts,
            name: Cow::Borrowed(self.response.name()),
            cwnd_before,
            cwnd_after: after.cwnd,
            ssthresh_after: after.ssthresh,
        };
        o.sender(now, &event);
    }

    /// The timeout has reduced nothing, hence it has answered no mark either (RFC 3168, section 6.1.2).
    fn on_restored(&mut self, before: Option<BeforeTimeout>) {
        let Some((before, answer)) = before.and_then(|before| Some((before, before.answer?))) else {
            return;
        };
        self.view.marks.on_restored(answer);
        if before.echoed {
            self.answer_mark();
        }
    }

    /// An acknowledgement after a response; tells whether the response took it.
    pub(super) fn follow_up(&mut self, now: Time, ack: &Ack, o: &mut impl EndpointObserver) -> bool {
        match self.follow_up {
            FollowUp::None => false,
            FollowUp::GoBackIfDuplicate { rule } => self.go_back_if_duplicate(now, ack, rule, o),
            FollowUp::RestoreIfReported { rule } => {
                self.restore_if_reported(now, ack, rule, o);
                false
            }
        }
    }

    fn go_back_if_duplicate(
        &mut self,
        now: Time,
        ack: &Ack,
        rule: &'static str,
        o: &mut impl EndpointObserver,
    ) -> bool {
        if ack.advanced == 0 && !ack.duplicate {
            return false;
        }
        self.follow_up = FollowUp::None;
        if ack.advanced > 0 {
            return false;
        }
        self.tell_rule(now, Some(rule), None, o);
        self.lower_threshold(self.view.stream.flight());
        self.recovery.on_timeout(&self.view, now);
        self.go_back(1, self.view.stream.max, self.view.stream.una, Setback::Timeout);
        true
    }

    fn restore_if_reported(&mut self, now: Time, ack: &Ack, rule: &'static str, o: &mut impl EndpointObserver) {
        let Some(Reduced { before, ssthresh }) = self.reduced else {
            return;
        };
        if ack.reported.is_none_or(|reported| reported.left != before.una) {
            return;
        }
        self.follow_up = FollowUp::None;
        if self.view.mode != Mode::Open || self.view.congestion.ssthresh != ssthresh {
            return;
        }
        self.tell_rule(now, Some(rule), None, o);
        let cwnd_before = self.view.congestion.cwnd;
        let after = Windows {
            cwnd: before.windows.cwnd.max(cwnd_before),
            ssthresh: before.windows.ssthresh,
        };
        self.view.congestion.set_ssthresh(after.ssthresh);
        self.view.congestion.set_cwnd(after.cwnd);
        self.on_restored(Some(before));
        self.tell_response(now, cwnd_before, after, o);
    }
}
