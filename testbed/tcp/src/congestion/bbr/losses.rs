//! What losses change in the model: section 5.5.10; and what comes back if they were none: section 5.5.11.

use crate::bandwidth::{Bandwidth, Gain};
use crate::delivery::{LostPacket, RateSample};

use super::signals::{inflight_at_loss, is_too_high};
use super::state::{Phase, State, UNBOUNDED};
use super::undo::{Left, Undo};
use super::{Bbr, Connection};

/// Section 2.8, `Beta`.
const BETA: Gain = Gain::percent(70);

impl Bbr {
    /// `UpdateLatestDeliverySignals`.
    pub(super) fn update_latest_signals(&mut self, c: &Connection, sample: &RateSample) {
        let losses = &mut self.losses;
        losses.bw_latest = losses.bw_latest.max(sample.rate);
        losses.inflight_latest = losses.inflight_latest.max(sample.delivered);
        losses.round_ends = sample.prior_delivered >= losses.round_delivered;
        if losses.round_ends {
            losses.round_delivered = c.delivered;
        }
    }

    /// `AdvanceLatestDeliverySignals`.
    pub(super) const fn advance_latest_signals(&mut self, sample: &RateSample) {
        if self.losses.round_ends {
            self.losses.bw_latest = sample.rate;
            self.losses.inflight_latest = sample.delivered;
        }
    }

    /// `UpdateCongestionSignals` and `AdaptLowerBoundsFromCongestion` (section 5.5.10.3).
    pub(super) fn update_congestion_signals(&mut self, c: &Connection, sample: &RateSample) {
        self.update_max_bw(c, sample);
        if !self.losses.round_ends {
            return;
        }
        if self.losses.in_round && !self.state.accelerates() {
            if self.bw_shortterm == Bandwidth::UNLIMITED {
                self.bw_shortterm = self.max_bw.get();
            }
            if self.inflight_shortterm == UNBOUNDED {
                self.inflight_shortterm = c.cwnd;
            }
            self.bw_shortterm = self.losses.bw_latest.max(BETA.bandwidth(self.bw_shortterm));
            self.inflight_shortterm = self.losses.inflight_latest.max(BETA.octets(self.inflight_shortterm));
        }
        self.losses.in_round = false;
    }

    /// `NoteLoss`. State is saved for the first loss of a recovery, as section 5.5.11.1 says; the pseudocode would save it again
    /// for each round trip of the recovery, as it has become by then.
    pub(crate) fn note_loss(&mut self, c: &Connection) {
        if !self.losses.in_round {
            self.losses.round_delivered = c.delivered;
            if !self.recovers {
                self.save_state(c);
            }
        }
        self.losses.in_round = true;
    }

    /// `HandleLostPacket` (section 5.5.10.2).
    pub(crate) fn on_lost(&mut self, c: &Connection, packet: &LostPacket) {
        self.note_loss(c);
        self.losses.ranges += u32::from(self.losses.ranges == 0 || packet.octets.left != self.losses.last_lost);
        self.losses.last_lost = packet.octets.right;
        if self.probing.is_sample && is_too_high(packet.lost, packet.inflight) {
            self.on_inflight_too_high(c, packet);
        }
    }

    /// `HandleInflightTooHigh`.
    fn on_inflight_too_high(&mut self, c: &Connection, packet: &LostPacket) {
        self.probing.on_too_high();
        if !packet.app_limited {
            self.inflight_longterm = inflight_at_loss(packet).max(BETA.octets(self.target_inflight(c)));
        }
        if self.state == State::ProbeBw(Phase::Up) {
            self.undo.left = Some(Left::ProbeUp);
            self.start_down(c);
        }
    }

    /// `OnEnterFastRecovery`, and the end of any recovery (section 5.6.4.4). Losses have saved the state already.
    pub(crate) fn follow_recovery(&mut self, c: &mut Connection) {
        if c.recovers && !self.recovers {
            if !self.losses.in_round {
                self.save_state(c);
            }
            self.save_window(c);
        } else if !c.recovers && self.recovers {
            self.restore_window(c);
        }
        self.recovers = c.recovers;
        if std::mem::take(&mut self.is_spurious) {
            self.on_spurious_recovery(c);
        }
    }

    /// `OnEnterRTO` (section 5.6.4.4), before it is known what counts as lost.
    pub(crate) fn on_timeout(&mut self, c: &Connection) {
        self.save_window(c);
        self.save_state(c);
        self.recovers = true;
    }

    /// The rest of it: one segment may be sent.
    pub(crate) const fn after_timeout(&self, c: &mut Connection) {
        c.cwnd = c.inflight + c.smss;
    }

    /// `SaveStateUponLoss` (section 5.5.11.1).
    fn save_state(&mut self, c: &Connection) {
        self.save_window(c);
        self.undo = Undo {
            left: None,
            bw_shortterm: self.bw_shortterm,
            inflight_shortterm: self.inflight_shortterm,
            inflight_longterm: self.inflight_longterm,
        };
    }

    /// `HandleSpuriousLossDetection` (section 5.5.11.2).
    fn on_spurious_recovery(&mut self, c: &mut Connection) {
        self.restore_window(c);
        self.losses.in_round = false;
        self.full_pipe.look_from(Bandwidth::NONE);
        self.bw_shortterm = self.bw_shortterm.max(self.undo.bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(self.undo.inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(self.undo.inflight_longterm);
        let probes_round_trip = self.state.probes_round_trip();
        match self.undo.left.take() {
            Some(Left::Startup) if self.state != State::Startup => {
                self.full_pipe.set_reached(false);
                if !probes_round_trip {
                    self.enter_startup();
                }
            }
            Some(Left::ProbeUp) if self.state != State::ProbeBw(Phase::Up) && !probes_round_trip => {
                self.start_refill(c);
            }
            _ => {}
        }
    }

    /// `SaveCwnd`.
    pub(super) fn save_window(&mut self, c: &Connection) {
        self.prior_cwnd = if self.recovers || self.state.probes_round_trip() {
            self.prior_cwnd.max(c.cwnd)
        } else {
            c.cwnd
        };
    }

    /// `RestoreCwnd`.
    pub(super) fn restore_window(&self, c: &mut Connection) {
        c.cwnd = c.cwnd.max(self.prior_cwnd);
    }
}
