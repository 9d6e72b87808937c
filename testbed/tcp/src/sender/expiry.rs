//! What the timer changes: the retransmission timeout (RFC 6298, 5.4 to 5.6) and the persist timer.

use windlull_units::Time;
use windlull_wire::{SenderEvent, TransmitCause};

use crate::detection::{Detector, Expiry, Stance};
use crate::observer::EndpointObserver;
use crate::ranges::Range;
use crate::recovery::{Expired, LossRecovery};
use crate::registry::RepeatedTimeout;
use crate::response::{FollowUp, Windows};
use crate::timer::Waiting;

use super::stream::{Held, Stream};
use super::view::{Ack, Mode, Setback};
use super::{BeforeTimeout, Forced, ForcedRange, Limit, Sender, see};

impl Sender {
    /// Does what is due at `now`, if anything.
    pub(crate) fn on_timer(&mut self, now: Time, o: &mut impl EndpointObserver) {
        if self.recovery.due().is_some_and(|due| due <= now) {
            self.on_recovery_timer(now, o);
        }
        if let Some(pace) = &mut self.pace {
            pace.on_timer(now);
        }
        match self.timer.waiting() {
            Waiting::Retransmit { due } if due <= now => self.on_timeout(now, o),
            Waiting::Persist { due, .. } if due <= now => {
                self.unanswered += 1;
                self.probe_due = true;
                self.timer.persist(now);
            }
            _ => {}
        }
    }

    /// A timer of the recovery's own fired.
    fn on_recovery_timer(&mut self, now: Time, o: &mut impl EndpointObserver) {
        self.changed = true;
        self.quota = self.policy.burst_limit.unwrap_or(u32::MAX);
        match self.recovery.on_timer(&see!(self), now) {
            Expired::Nothing => {}
            Expired::Probe { tail } => {
                self.forced = Some(Forced {
                    cause: TransmitCause::LossProbe,
                    part: ForcedRange::NewOr(tail),
                });
                // RFC 8985, section 7.3: after a probe the retransmission timer is armed, and starts anew.
                self.timer.restart(now);
            }
            Expired::Decided(decision) => self.act_on_decision(now, decision, &Ack::default(), o),
        }
    }

    /// The handshake's segment was not answered in time.
    pub(crate) fn on_handshake_timeout(&mut self, now: Time, o: &mut impl EndpointObserver) {
        self.tell_timeout(now, o);
        self.timer.back_off(now);
    }

    fn tell_timeout(&mut self, now: Time, o: &mut impl EndpointObserver) {
        self.changed = true;
        self.timeouts += 1;
        self.unanswered += 1;
        let event = SenderEvent::Timeout {
            ordinal: self.timeouts,
            una: self.stream.una,
            max: self.stream.max,
            rto: self.timer.rto(),
            backoff: self.timer.backoff(),
            rule: Some(self.timer.rule().into()),
        };
        o.sender(now, &event);
    }

    fn on_timeout(&mut self, now: Time, o: &mut impl EndpointObserver) {
        self.tell_timeout(now, o);
        self.quota = self.policy.burst_limit.unwrap_or(u32::MAX);
        self.limited = 0;
        self.follow_up = FollowUp::None;
        // RFC 2018, section 8: SND.UNA cannot have been SACKed, unless the receiver discarded it since.
        if self
            .scoreboard
            .first()
            .is_some_and(|range| range.left <= self.stream.una)
        {
            self.scoreboard.clear();
        }
        let repeated = self.before.is_some_and(|before| before.una == self.stream.una);
        if !repeated {
            self.remember_windows();
            self.timer.on_first_timeout(self.stream.max);
            // RFC 5681, section 3.1, equation 4; held constant when the same segment times out again.
            let flight = match self.mode {
                Mode::GoingBack { .. } => self.outstanding(),
                Mode::Open | Mode::FastRecovery | Mode::Detecting { .. } => self.stream.flight(),
            };
            if self.policy.congestion_window {
                self.lower_threshold(flight);
            }
        } else if self.policy.congestion_window {
            self.lower_threshold_again();
        }
        let expiry = Expiry { now, repeated };
        let step = self.detector.on_timeout(&see!(self), &expiry);
        self.recovery.on_timeout(&see!(self), now);
        self.timer.back_off(now);
        self.timer.on_slow_start();
        let point = self.stream.max;
        match step.outcome {
            Stance::Hold => {
                self.mode = Mode::Detecting {
                    probes: 0,
                    point,
                    resent: self.stream.una,
                }
            }
            Stance::GoBack => self.go_back(1, point, self.stream.una, Setback::Timeout),
        }
        self.forced = Some(Forced {
            cause: TransmitCause::Timeout,
            part: ForcedRange::First(self.detector.shape()),
        });
        self.tell_rule(now, step.rule, None, o);
    }

    /// The sender is about to go back for the first segment outstanding: the threshold follows from what was in `flight`
    /// (RFC 5681, equation 4). But it stays if a mark on the same window of data has lowered it; the window becomes one segment
    /// all the same (RFC 3168, section 6.1.2).
    pub(super) fn lower_threshold(&mut self, flight: u64) {
        let Stream { una, max, smss, .. } = self.stream;
        let spared = see!(self).is_spared(Some(Range::new(una, max)));
        if spared {
            self.congestion.on_spared_timeout();
        } else {
            self.congestion.on_loss(self.congestion.cwnd, true);
            self.congestion.ssthresh = self.congestion.reduced(flight, smss);
        }
        self.marks.on_loss(max);
        if let Some(before) = &mut self.before {
            before.spared = spared;
        }
    }

    /// The same segment timed out again.
    fn lower_threshold_again(&mut self) {
        let (cwnd, smss) = (self.congestion.cwnd, self.stream.smss);
        let Some(before) = &mut self.before else { return };
        if self.policy.repeated_timeout == RepeatedTimeout::Halve {
            self.congestion.ssthresh = self.congestion.reduced(cwnd, smss);
            before.halved_again = Some(self.congestion.ssthresh);
        } else if std::mem::take(&mut before.spared) {
            // RFC 3168, section 6.1.2: the retransmission was lost, and no mark has told of that.
            self.congestion.ssthresh = self
                .congestion
                .reduced(before.flight, smss)
                .min(self.congestion.ssthresh);
        }
    }

    /// What a full response will restore.
    fn remember_windows(&mut self) {
        let cwnd = match self.mode {
            // What the recovery would have left of it.
            Mode::FastRecovery => self.recovery.window_left(&see!(self)),
            Mode::Open | Mode::Detecting { .. } | Mode::GoingBack { .. } => self.congestion.cwnd,
        };
        self.before = Some(BeforeTimeout {
            una: self.stream.una,
            windows: Windows {
                cwnd,
                ssthresh: self.congestion.ssthresh,
            },
            flight: self.stream.flight(),
            halved_again: None,
            answer: self.marks.answer(),
            echoed: false,
            spared: false,
        });
    }

    /// Conventional recovery: slow start from `segments`, sending again from the first unacknowledged octet that was not
    /// `resent` already.
    pub(super) fn go_back(&mut self, segments: u64, point: u64, resent: u64, after: Setback) {
        self.mode = Mode::GoingBack { point, after };
        self.timer.on_slow_start();
        self.congestion.set_cwnd(if self.policy.congestion_window {
            segments * self.stream.smss
        } else {
            self.offered
        });
        self.stream.nxt = self.stream.una.max(resent);
        self.scoreboard.reset_mark(self.stream.una);
        self.scoreboard.advance_mark(self.stream.nxt);
        self.limit = Limit::Window;
    }

    /// With nothing outstanding, a window too small to send into is watched by the persist timer.
    #[inline]
    pub(super) fn look_after_persist(&mut self, now: Time) {
        let held = matches!(self.stream.unsent(self.stream.smss), Err(Held::ByWindow));
        match self.timer.waiting() {
            Waiting::Off if held => self.timer.persist(now),
            Waiting::Persist { .. } if !held => self.timer.stop(),
            _ => {}
        }
    }
}
