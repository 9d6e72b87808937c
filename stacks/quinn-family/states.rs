//! Where congestion control stands (RFC 9002, figure 1), told from what passes between quinn and its controller.
//!
//! Recovery begins with a congestion event of a packet that was sent after the last recovery began, and ends when a packet is
//! acknowledged that was sent after this one began (section 7.3.2; quinn's Cubic and NewReno compare the same instants).
//! Otherwise the window and the threshold say which state it is.

use std::time::Instant;

use windlull_transport::{CongestionState, Said};

use super::log::Log;
use crate::proto::congestion::ControllerMetrics;

/// The states of one controller.
#[derive(Clone, Debug)]
pub(crate) struct States {
    log: Log,
    /// When the recovery period that lasts began.
    pub(crate) recovery: Option<Instant>,
    told: Option<CongestionState>,
}

impl States {
    pub(crate) const fn new(log: Log) -> Self {
        Self {
            log,
            recovery: None,
            told: None,
        }
    }

    /// A packet that was sent then is acknowledged, and the controller stands so.
    pub(crate) fn on_ack(&mut self, sent: Instant, metrics: &ControllerMetrics) {
        if self.recovery.is_some_and(|began| sent > began) {
            self.recovery = None;
        }
        self.tell(metrics);
    }

    /// A packet that was sent then is lost or was marked, and the controller stands so.
    pub(crate) fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        metrics: &ControllerMetrics,
    ) {
        if self.recovery.is_none_or(|began| sent > began) {
            // After persistent congestion the sender is in slow start again (RFC 9002, section 7.6.2).
            self.recovery = (!is_persistent_congestion).then_some(now);
        }
        self.tell(metrics);
    }

    /// Tells the state of a controller that stands so, if it is another than before.
    pub(crate) fn tell(&mut self, metrics: &ControllerMetrics) {
        let state = if self.recovery.is_some() {
            CongestionState::Recovery
        } else if metrics
            .ssthresh
            .is_none_or(|threshold| metrics.congestion_window < threshold)
        {
            CongestionState::SlowStart
        } else {
            CongestionState::CongestionAvoidance
        };
        if self.told.replace(state) != Some(state) {
            self.log.say(Said::CongestionState(state));
        }
    }
}
