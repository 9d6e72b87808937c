//! quinn's congestion controllers, and where each stands.
//!
//! A controller is quinn's own. If the end is recorded, one that has a threshold is wrapped, and its calls are passed on as they
//! come; the wrapper hears of them what it needs to tell the state (`States`).
//!
//! BBR's modes are hidden, and it has no threshold. So nothing is told of it.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use crate::family::config::Given;
use crate::family::log::Log;
use crate::family::options::Congestion;
use crate::family::states::States;
use quinn_proto::RttEstimator;
use quinn_proto::congestion::{
    BbrConfig, Controller, ControllerFactory, ControllerMetrics, CubicConfig, NewRenoConfig,
};

type Factory = Arc<dyn ControllerFactory + Send + Sync>;

/// What makes the controller that the options name.
pub(crate) fn factory(given: Given<'_>) -> Factory {
    let Given { options, log, .. } = given;
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
            states: States::new(self.log.clone()),
        };
        watched.states.tell(&watched.inner.metrics());
        Box::new(watched)
    }
}

struct Watched {
    inner: Box<dyn Controller>,
    states: States,
}

impl Controller for Watched {
    fn on_sent(&mut self, now: Instant, bytes: u64, last_packet_number: u64) {
        self.inner.on_sent(now, bytes, last_packet_number);
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, app_limited: bool, rtt: &RttEstimator) {
        self.inner.on_ack(now, sent, bytes, app_limited, rtt);
        self.states.on_ack(sent, &self.inner.metrics());
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, largest_packet_num_acked: Option<u64>) {
        self.inner
            .on_end_acks(now, in_flight, app_limited, largest_packet_num_acked);
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, is_persistent_congestion: bool, lost_bytes: u64) {
        self.inner
            .on_congestion_event(now, sent, is_persistent_congestion, lost_bytes);
        self.states
            .on_congestion_event(now, sent, is_persistent_congestion, &self.inner.metrics());
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
            states: self.states.clone(),
        })
    }

    fn initial_window(&self) -> u64 {
        self.inner.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self.inner.into_any()
    }
}
