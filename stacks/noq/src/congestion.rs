//! noq's congestion controllers, and where each stands.
//!
//! A controller is noq's own. If its end's events are of use it is wrapped, and its calls are passed on as they come; the wrapper
//! hears of them what it needs to tell the state (`States`) and that Cubic restored its window after spurious losses.
//!
//! BBR's modes are hidden, and it has no threshold. So no state is told of it.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use noq_proto::RttEstimator;
use noq_proto::congestion::{Bbr3Config, Controller, ControllerFactory, ControllerMetrics, CubicConfig, NewRenoConfig};
use windlull_transport::Said;

use crate::family::config::Given;
use crate::family::log::Log;
use crate::family::options::Congestion;
use crate::family::random::Random;
use crate::family::states::States;
use crate::generator;

type Factory = Arc<dyn ControllerFactory + Send + Sync>;

/// What makes the controller that the options name.
pub(crate) fn factory(given: Given<'_>) -> Factory {
    let Given { options, log, seed, .. } = given;
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
            let mut config = Bbr3Config::default();
            window.map(|octets| config.initial_window(octets));
            Arc::new(Seeded {
                config: Arc::new(config),
                seeds: Mutex::new(Random::new(seed, "bbr")),
                log: log.clone(),
            })
        }
    };
    if log.needs_qlog() {
        Arc::new(Watch {
            inner,
            log: log.clone(),
            has_states: log.is_recorded() && options.congestion != Congestion::Bbr,
        })
    } else {
        inner
    }
}

/// Makes BBRs that draw from the run.
struct Seeded {
    config: Arc<Bbr3Config>,
    seeds: Mutex<Random>,
    log: Log,
}

impl ControllerFactory for Seeded {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let seed: [u8; 32] = self.seeds.lock().unwrap_or_else(PoisonError::into_inner).array();
        let build = || Arc::clone(&self.config).build(now, current_mtu);
        generator::seeded(Random::new(&seed, "generator"), build).unwrap_or_else(|error| {
            self.log.fail(format!("noq's BBR cannot be seeded: {error}"));
            build()
        })
    }
}

struct Watch {
    inner: Factory,
    log: Log,
    has_states: bool,
}

impl ControllerFactory for Watch {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let inner = Arc::clone(&self.inner).build(now, current_mtu);
        let mut states = self.has_states.then(|| States::new(self.log.clone()));
        if let Some(states) = &mut states {
            states.tell(&inner.metrics());
        }
        Box::new(Watched {
            inner,
            log: self.log.clone(),
            states,
        })
    }
}

#[derive(Debug)]
struct Watched {
    inner: Box<dyn Controller>,
    log: Log,
    states: Option<States>,
}

impl Controller for Watched {
    fn on_sent(&mut self, now: Instant, bytes: u64, largest_pn: u64) {
        self.inner.on_sent(now, bytes, largest_pn);
    }

    fn on_packet_sent(&mut self, now: Instant, bytes: u16, pn: u64) {
        self.inner.on_packet_sent(now, bytes, pn);
    }

    fn on_cwnd_limited(&mut self) {
        self.inner.on_cwnd_limited();
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, pn: u64, app_limited: bool, rtt: &RttEstimator) {
        self.inner.on_ack(now, sent, bytes, pn, app_limited, rtt);
        if let Some(states) = &mut self.states {
            states.on_ack(sent, &self.inner.metrics());
        }
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, largest_packet_num_acked: Option<u64>) {
        self.inner
            .on_end_acks(now, in_flight, app_limited, largest_packet_num_acked);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        is_ecn: bool,
        lost_bytes: u64,
        largest_lost_pn: u64,
    ) {
        self.inner
            .on_congestion_event(now, sent, is_persistent_congestion, is_ecn, lost_bytes, largest_lost_pn);
        if let Some(states) = &mut self.states {
            states.on_congestion_event(now, sent, is_persistent_congestion, &self.inner.metrics());
        }
    }

    fn on_packet_lost(&mut self, lost_bytes: u16, pn: u64, now: Instant) {
        self.inner.on_packet_lost(lost_bytes, pn, now);
    }

    fn on_spurious_congestion_event(&mut self) {
        let before = self.inner.window();
        self.inner.on_spurious_congestion_event();
        // NewReno keeps what it took; BBR gives back bounds, and its window grows as acknowledgements come.
        if self.inner.window() > before {
            self.log.say(Said::SpuriousLoss);
            if let Some(states) = &mut self.states {
                states.recovery = None;
                states.tell(&self.inner.metrics());
            }
        }
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.inner.on_mtu_update(new_mtu);
    }

    fn on_ack_frequency_update(&mut self, ack_eliciting_threshold: u64, requested_max_ack_delay: Duration) {
        self.inner
            .on_ack_frequency_update(ack_eliciting_threshold, requested_max_ack_delay);
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
