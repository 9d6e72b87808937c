//! What the sender keeps for a congestion control that models the path.

use windlull_units::Time;

use crate::congestion::bbr::Connection;
use crate::delivery::Delivery;

use super::repairs::Repairs;
use super::view::{Mode, View};

/// The samples of the delivery rate, and what tells of spurious recoveries.
#[derive(Clone, Debug, Default)]
pub(super) struct Modelling {
    pub(super) delivery: Delivery,
    /// What the last fast recovery has sent again.
    pub(super) repairs: Option<Repairs>,
}

impl Modelling {
    /// Octets outstanding.
    pub(super) const fn inflight(&self) -> u64 {
        self.delivery.inflight()
    }

    /// A fast recovery begins.
    pub(super) fn on_recovery(&mut self) {
        self.repairs = Some(Repairs::default());
    }

    /// Nothing counts as lost any more.
    pub(super) fn forgive(&mut self) {
        self.delivery.forgive();
    }

    pub(super) fn connection(&self, now: Time, view: &View) -> Connection {
        Connection {
            now,
            smss: view.stream.smss,
            cwnd: view.congestion.cwnd,
            inflight: self.delivery.inflight(),
            delivered: self.delivery.delivered(),
            is_window_limited: self.delivery.is_window_limited(),
            recovers: view.mode != Mode::Open,
            count_as_app_limited: false,
        }
    }
}
