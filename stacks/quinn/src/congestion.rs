//! quinn's congestion controllers, and where each stands.
//!
//! A controller is quinn's own. If the end is recorded, one that has a threshold is wrapped, and its calls are passed on as they
//! come; the wrapper tells the state of RFC 9002, figure 1, from what passes: recovery begins with a congestion event of a packet
//! that was sent after the last recovery began, and ends when a packet is acknowledged that was sent after this one began
//! (section 7.3.2; quinn's Cubic and NewReno compare the same instants). Otherwise the window and the threshold say which it is.
//!
//! BBR's modes are hidden, and it has no threshold. So nothing is told of it.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{
    BbrConfig, Controller, ControllerFactory, ControllerMetrics, CubicConfig, NewRenoConfig,
};
use windlull_transport::{CongestionState, Said};

use crate::log::Log;
use crate::options::{Congestion, Options};

type Factory = Arc<dyn ControllerFactory + Send + Sync>;

/// What makes the controller that the options name.
pub(crate) fn factory(options: &Options, log: &Log) -> Factory {
    let window = options.initial_window;
    let inner: Factory = match options.congestion {
        Congestion::Cubic => {
            let mut config = CubicConfig::default();
            window.map(|octets| config.initial_window(octets));
            Arc::new(config)
        }
        Congestion::NewReno => {
            let mut config = NewRenoConfig::default();
            window.map(|octets| config.initial_window(octets));
            Arc::new(config)
        }
        Congestion::Bbr => {
            let mut config = BbrConfig::default();
            window.map(|octets| config.initial_window(octets));
            Arc::new(config)
        }
    };
    if log.is_recorded() && options.congestion != Congestion::Bbr {
        Arc::new(Watch {
            inner,
            log: log.clone(),
        })
    } else {
        inner
    }
}

struct Watch {
    inner: Factory,
    log: Log,
}

impl ControllerFactory for Watch {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let mut watched = Watched {
            inner: Arc::clone(&self.inner).build(now, current_mtu),
            log: self.log.clone(),
            recovery: None,
            told: None,
        };
        watched.tell();
        Box::new(watched)
    }
}

struct Watched {
    inner: Box<dyn Controller>,
    log: Log,
    /// When the recovery period that lasts began.
    recovery: Option<Instant>,
    told: Option<CongestionState>,
}

impl Watched {
    fn tell(&mut self) {
        let metrics = self.inner.metrics();
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

impl Controller for Watched {
    fn on_sent(&mut self, now: Instant, bytes: u64, last_packet_number: u64) {
        self.inner.on_sent(now, bytes, last_packet_number);
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, app_limited: bool, rtt: &RttEstimator) {
        self.inner.on_ack(now, sent, bytes, app_limited, rtt);
        if self.recovery.is_some_and(|began| sent > began) {
            self.recovery = None;
        }
        self.tell();
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, largest_packet_num_acked: Option<u64>) {
        self.inner
            .on_end_acks(now, in_flight, app_limited, largest_packet_num_acked);
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, is_persistent_congestion: bool, lost_bytes: u64) {
        self.inner
            .on_congestion_event(now, sent, is_persistent_congestion, lost_bytes);
        if self.recovery.is_none_or(|began| sent > began) {
            // After persistent congestion the sender is in slow start again (RFC 9002, section 7.6.2).
            self.recovery = (!is_persistent_congestion).then_some(now);
        }
        self.tell();
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.inner.on_mtu_update(new_mtu);
    }

    fn window(&self) -> u64 {
        self.inner.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        self.inner.metrics()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Self {
            inner: self.inner.clone_box(),
            log: self.log.clone(),
            recovery: self.recovery,
            told: self.told,
        })
    }

    fn initial_window(&self) -> u64 {
        self.inner.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self.inner.into_any()
    }
}
