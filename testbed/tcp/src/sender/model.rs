//! What a congestion control that models the path is told: samples of the delivery rate, losses, recoveries, and whether these
//! were spurious. Without one all of this costs a look whether there is one.

use windlull_units::{Seed, Time};

use crate::delivery::Arrival;
use crate::ranges::Range;
use crate::recovery::LossRecovery;

use super::Sender;
use super::modelling::Modelling;
use super::view::{Ack, Mode};

impl Sender {
    /// The connection stands. Its seed is its first sequence number, which testbeds draw.
    pub(super) fn begin_model(&mut self, now: Time) {
        if !self.view.congestion.is_modelled() {
            return;
        }
        let modelling = Box::<Modelling>::default();
        let connection = modelling.connection(now, &self.view);
        let srtt = self.view.timer.measured().map(|measured| measured.srtt);
        let seed = Seed::new(u64::from(self.view.stream.number(0).0));
        if let Some(model) = self.view.congestion.model() {
            model.begin(&connection, srtt, seed);
        }
        self.modelling = Some(modelling);
    }

    /// Before data is written or acknowledged, or a timer does something: whether the application leaves the path idle.
    #[inline]
    pub(crate) fn check_application(&mut self) {
        if let Some(modelling) = &mut self.modelling {
            let has_unsent = !self.view.stream.is_exhausted();
            modelling
                .delivery
                .check_application(has_unsent, self.view.congestion.cwnd);
        }
    }

    /// Octets are about to leave.
    #[inline]
    pub(super) fn tell_model_of_sending(&mut self, now: Time, octets: Range, again: bool) {
        let Some(modelling) = &mut self.modelling else {
            return;
        };
        if modelling.delivery.inflight() == 0 && modelling.delivery.is_app_limited() {
            let mut connection = modelling.connection(now, &self.view);
            if let Some(model) = self.view.congestion.model() {
                model.on_restart_from_idle(&mut connection);
            }
            self.view.congestion.cwnd = connection.cwnd;
        }
        if again && self.view.mode == Mode::FastRecovery {
            if let Some(repairs) = &mut modelling.repairs {
                repairs.on_sent_again(now, octets);
            }
        }
        let (cwnd, smss) = (self.view.congestion.cwnd, self.view.stream.smss);
        modelling.delivery.on_sent(now, octets, again, cwnd, smss);
    }

    /// An acknowledgement has had its effect on all else.
    #[inline]
    pub(super) fn tell_model_of_ack(&mut self, now: Time, ack: &Ack) {
        if self.modelling.is_some() {
            self.update_model(now, ack);
        }
    }

    fn update_model(&mut self, now: Time, ack: &Ack) {
        let Some(modelling) = &mut self.modelling else {
            return;
        };
        let una = self.view.stream.una;
        let arrival = Arrival {
            now,
            una,
            echo: ack.echo,
            clock: &self.view.clock,
        };
        let scoreboard = &self.view.scoreboard;
        let held = (ack.sacked > 0).then(|| scoreboard.sacked_above(una));
        let sample = modelling.delivery.on_arrival(&arrival, held.into_iter().flatten());
        let repairs = modelling.repairs.as_mut();
        if repairs.is_some_and(|repairs| repairs.are_spurious(una, ack, &self.view.clock)) {
            modelling.repairs = None;
            self.view.congestion.on_spurious();
        }
        self.tell_model_of_losses(now);
        let Some(modelling) = &mut self.modelling else {
            return;
        };
        let mut connection = modelling.connection(now, &self.view);
        if let Some(model) = self.view.congestion.model() {
            match sample {
                Some(sample) => model.on_ack(&mut connection, &sample),
                None => model.follow_recovery(&mut connection),
            }
        }
        if connection.count_as_app_limited {
            modelling.delivery.mark_application_limited();
        }
        self.view.congestion.cwnd = connection.cwnd;
    }

    /// Recovery may have found more lost.
    pub(super) fn tell_model_of_losses(&mut self, now: Time) {
        let Some(modelling) = &mut self.modelling else {
            return;
        };
        let connection = modelling.connection(now, &self.view);
        if let Some(model) = self.view.congestion.model() {
            let delivery = &mut modelling.delivery;
            self.recovery.each_lost(&mut |lost| {
                delivery.lose(lost, |packet| model.on_lost(&connection, &packet));
            });
        }
    }

    /// A probe has repaired a loss that nothing else told of.
    pub(super) fn tell_model_of_repaired_loss(&mut self, now: Time) {
        if let Some(modelling) = &self.modelling {
            let connection = modelling.connection(now, &self.view);
            if let Some(model) = self.view.congestion.model() {
                model.note_loss(&connection);
            }
        }
    }

    /// The retransmission timer fired; nothing counts as lost for it yet.
    pub(super) fn tell_model_of_timeout(&mut self, now: Time) {
        if let Some(modelling) = &mut self.modelling {
            modelling.repairs = None;
            let connection = modelling.connection(now, &self.view);
            if let Some(model) = self.view.congestion.model() {
                model.on_timeout(&connection);
            }
        }
    }

    /// What is lost by the timeout is known.
    pub(super) fn let_model_answer_timeout(&mut self, now: Time) {
        self.tell_model_of_losses(now);
        if let Some(modelling) = &self.modelling {
            let mut connection = modelling.connection(now, &self.view);
            if let Some(model) = self.view.congestion.model() {
                model.after_timeout(&mut connection);
            }
            self.view.congestion.cwnd = connection.cwnd;
        }
    }
}
