//! What the timer changes: the retransmission timeout (RFC 6298, 5.4 to 5.6) and the persist timer.

use windlull_units::Time;
use windlull_wire::{SenderEvent, TransmitCause};

use crate::congestion::Congestion;
use crate::detection::{Detector, Expiry, Stance};
use crate::observer::EndpointObserver;
use crate::ranges::Range;
use crate::recovery::{Expired, LossRecovery};
use crate::registry::RepeatedTimeout;
use crate::response::{FollowUp, Windows};
use crate::timer::Waiting;

use super::stream::{Held, Stream};
use super::undoable::Undoable;
use super::view::{Ack, Mode, Setback};
use super::{BeforeTimeout, Forced, ForcedRange, Limit, Sender};

impl Sender {
    /// Does what is due at `now`, if anything.
    pub(crate) fn on_timer(&mut self, now: Time, o: &mut impl EndpointObserver) {
        self.check_application();
        if self.recovery.due().is_some_and(|due| due <= now) {
            self.on_recovery_timer(now, o);
            self.tell_model_of_losses(now);
        }
        if let Some(pace) = &mut self.pace {
            pace.on_timer(now);
        }
        match self.view.timer.waiting() {
            Waiting::Retransmit { due } if due <= now => self.on_timeout(now, o),
            Waiting::Persist { due, .. } if due <= now => {
                self.unanswered += 1;
                self.probe_due = true;
                self.view.timer.persist(now);
            }
            _ => {}
        }
    }

    /// A timer of the recovery's own fired.
    fn on_recovery_timer(&mut self, now: Time, o: &mut impl EndpointObserver) {
        self.changed = true;
        self.quota = self.policy.burst_limit.unwrap_or(u32::MAX);
        match self.recovery.on_timer(&self.view, now) {
            Expired::Nothing => {}
            Expired::Probe { tail } => {
                o.sender(now, &SenderEvent::LossProbe);
                self.forced = Some(Forced {
                    cause: TransmitCause::LossProbe,
                    part: ForcedRange::NewOr(tail),
                });
                // RFC 8985, section 7.3: after a probe the retransmission timer is armed, and starts anew.
                self.view.timer.restart(now);
            }
            Expired::Decided(decision) => self.act_on_decision(now, decision, &Ack::default(), o),
        }
    }

    /// The handshake's segment was not answered in time.
    pub(crate) fn on_handshake_timeout(&mut self, now: Time, o: &mut impl EndpointObserver) {
        self.tell_timeout(now, o);
        self.view.timer.back_off(now);
    }

    fn tell_timeout(&mut self, now: Time, o: &mut impl EndpointObserver) {
        self.changed = true;
        self.timeouts += 1;
        self.unanswered += 1;
        let event = SenderEvent::Timeout {
            ordinal: self.timeouts,
            una: self.view.stream.una,
            max: self.view.stream.max,
            rto: self.view.timer.rto(),
            backoff: self.view.timer.backoff(),
            rule: Some(self.view.timer.rule().into()),
        };
        o.sender(now, &event);
    }

    fn on_timeout(&mut self, now: Time, o: &mut impl EndpointObserver) {
        self.tell_timeout(now, o);
        self.quota = self.policy.burst_limit.unwrap_or(u32::MAX);
        self.view.limited = 0;
        self.follow_up = FollowUp::None;
        let undoable = self.undoable.take();
        // RFC 2018, section 8: SND.UNA cannot have been SACKed, unless the receiver discarded it since.
        if self
            .view
            .scoreboard
            .first()
            .is_some_and(|range| range.left <= self.view.stream.una)
        {
            self.view.scoreboard.clear();
        }
        let repeated = self.before.is_some_and(|before| before.una == self.view.stream.una);
        if !repeated {
            self.remember_windows(undoable);
            self.tell_model_of_timeout(now);
            self.view.timer.on_first_timeout(self.view.stream.max);
            // RFC 5681, section 3.1, equation 4; held constant when the same segment times out again.
            let flight = match self.view.mode {
                Mode::GoingBack { .. } => self.outstanding(),
                Mode::Open | Mode::FastRecovery | Mode::Detecting { .. } => self.view.stream.flight(),
            };
            if self.view.mode == Mode::FastRecovery && self.recovery.has_reduced_for_timeouts() {
                self.view.congestion.on_spared_timeout();
            } else if self.policy.congestion_window {
                self.lower_threshold(flight);
            }
        } else if self.policy.congestion_window {
            self.lower_threshold_again();
        }
        let expiry = Expiry { now, repeated };
        let step = self.detector.on_timeout(&self.view, &expiry);
        self.recovery.on_timeout(&self.view, now);
        self.view.timer.back_off(now);
        self.view.timer.on_slow_start();
        let point = self.view.stream.max;
        match step.outcome {
            Stance::Hold => {
                self.view.mode = Mode::Detecting {
                    probes: 0,
                    point,
                    resent: self.view.stream.una,
                }
            }
            Stance::GoBack => self.go_back(1, point, self.view.stream.una, Setback::Timeout),
        }
        self.forced = Some(Forced {
            cause: TransmitCause::Timeout,
            part: ForcedRange::First(self.detector.shape()),
        });
        self.let_model_answer_timeout(now);
        self.tell_rule(now, step.rule, None, o);
    }

    /// The sender is about to go back for the first segment outstanding: the threshold follows from what was in `flight`
    /// (RFC 5681, equation 4). But it stays if a mark on the same window of data has lowered it; the window becomes one segment
    /// all the same (RFC 3168, section 6.1.2).
    pub(super) fn lower_threshold(&mut self, flight: u64) {
        let Stream { una, max, smss, .. } = self.view.stream;
        let spared = self.view.is_spared(Some(Range::new(una, max)));
        if spared {
            self.view.congestion.on_spared_timeout();
        } else {
            self.view.congestion.on_loss(self.view.congestion.cwnd, true);
            self.view
                .congestion
                .set_ssthresh(self.view.congestion.reduced(flight, smss));
        }
        self.view.marks.on_loss(max);
        if let Some(before) = &mut self.before {
            before.spared = spared;
        }
    }

    /// The same segment timed out again.
    fn lower_threshold_again(&mut self) {
        let (cwnd, smss) = (self.view.congestion.cwnd, self.view.stream.smss);
        let Some(before) = &mut self.before else { return };
        if self.policy.repeated_timeout == RepeatedTimeout::Halve {
            self.view
                .congestion
                .set_ssthresh(self.view.congestion.reduced(cwnd, smss));
            before.halved_again = Some(self.view.congestion.ssthresh);
        } else if std::mem::take(&mut before.spared) {
            // RFC 3168, section 6.1.2: the retransmission was lost, and no mark has told of that.
            self.view.congestion.set_ssthresh(
                self.view
                    .congestion
                    .reduced(before.flight, smss)
                    .min(self.view.congestion.ssthresh),
            );
        }
    }

    /// What a full response will restore.
    fn remember_windows(&mut self, undoable: Option<Undoable>) {
        let Congestion { cwnd, ssthresh, .. } = self.view.congestion;
        let now = Windows { cwnd, ssthresh };
        let windows = match (self.view.mode, undoable) {
            // A timeout that reduces nothing further leaves `prior_cwnd` and `prior_ssthresh` as they are.
            (Mode::FastRecovery, Some(recovery)) if self.recovery.has_reduced_for_timeouts() => recovery.before(),
            // What the recovery would have left of it.
            (Mode::FastRecovery, _) if !self.view.congestion.is_modelled() => Windows {
                cwnd: self.recovery.window_left(&self.view),
                ..now
            },
            _ => now,
        };
        self.before = Some(BeforeTimeout {
            una: self.view.stream.una,
            windows,
            flight: self.view.stream.flight(),
            halved_again: None,
            answer: self.view.marks.answer(),
            echoed: false,
            spared: false,
        });
    }

    /// Conventional recovery: slow start from `segments`, sending again from the first unacknowledged octet that was not
    /// `resent` already.
    pub(super) fn go_back(&mut self, segments: u64, point: u64, resent: u64, after: Setback) {
        self.view.mode = Mode::GoingBack { point, after };
        self.view.timer.on_slow_start();
        self.view.congestion.set_cwnd(if self.policy.congestion_window {
            segments * self.view.stream.smss
        } else {
            self.offered
        });
        self.view.stream.nxt = self.view.stream.una.max(resent);
        self.view.scoreboard.reset_mark(self.view.stream.una);
        self.view.scoreboard.advance_mark(self.view.stream.nxt);
        self.limit = Limit::Window;
    }

    /// With nothing outstanding, a window too small to send into is watched by the persist timer.
    #[inline]
    pub(super) fn look_after_persist(&mut self, now: Time) {
        let stream = &self.view.stream;
        let held = !stream.is_exhausted() && matches!(stream.unsent(stream.smss), Err(Held::ByWindow));
        match self.view.timer.waiting() {
            Waiting::Off if held => self.view.timer.persist(now),
            Waiting::Persist { .. } if !held => self.view.timer.stop(),
            _ => {}
        }
    }
}
