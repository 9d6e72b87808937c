//! The one timer of a sender: retransmission (RFC 6298) or, with a closed window, persist (RFC 9293, section 3.8.6.1).
//!
//! ```text
//!           data sent                           window closed, nothing outstanding
//!    Off ---------------> Retransmit      Off -------------------------------------> Persist
//!     ^                    |  ^   |        ^                                           |  |
//!     +-- all acked -------+  +---+        +-------- window opened --------------------+  +-- expired: probe, back off
//!                       expired: back off
//! ```

pub(crate) mod rfc6298;
mod rtt;

use windlull_units::{Span, Time};

pub(crate) use rtt::{RttMeter, StampClock};

use crate::registry::{EstimatorMechanism, dispatch_estimator};
use crate::variant::TimerSettings;

/// What an estimator knows of the round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Measured {
    /// Smoothed round-trip time.
    pub(crate) srtt: Span,
    /// Its mean deviation.
    pub(crate) rttvar: Span,
}

/// Computes the timeout from round-trip times.
pub(crate) trait RtoEstimator {
    /// A round trip was measured.
    fn on_sample(&mut self, rtt: Span);
    /// What is known so far.
    fn measured(&self) -> Option<Measured>;
    /// The timeout before bounds and back-off; `None` before the first measurement.
    fn timeout(&self) -> Option<Span>;
}

impl EstimatorMechanism {
    fn on_sample(&mut self, rtt: Span) {
        dispatch_estimator!(self, mechanism => mechanism.on_sample(rtt));
    }

    fn measured(&self) -> Option<Measured> {
        dispatch_estimator!(self, mechanism => mechanism.measured())
    }

    fn timeout(&self) -> Option<Span> {
        dispatch_estimator!(self, mechanism => mechanism.timeout())
    }
}

/// What the timer waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// Nothing.
    Off,
    /// An acknowledgement of outstanding data.
    Retransmit {
        /// When it gives up.
        due: Time,
    },
    /// The peer to open its window.
    Persist {
        /// When to probe.
        due: Time,
        /// Probes sent so far.
        probes: u32,
    },
}

/// The timer with its estimator and back-off.
#[derive(Clone, Debug)]
pub(crate) struct SendTimer {
    estimator: EstimatorMechanism,
    minimum: Span,
    maximum: Span,
    initial: Span,
    backoff: u32,
    waiting: Waiting,
}

/// RFC 6298 (5.7): what the timeout becomes when a SYN had to be sent again.
const AFTER_SYN_LOSS: Span = Span::from_secs(3);

impl SendTimer {
    pub(crate) fn new(settings: &TimerSettings) -> Self {
        Self {
            estimator: EstimatorMechanism::new(settings.estimator, settings),
            minimum: settings.minimum_rto,
            maximum: settings.maximum_rto,
            initial: settings.initial_rto,
            backoff: 0,
            waiting: Waiting::Off,
        }
    }

    pub(crate) fn measured(&self) -> Option<Measured> {
        self.estimator.measured()
    }

    pub(crate) const fn backoff(&self) -> u32 {
        self.backoff
    }

    pub(crate) const fn waiting(&self) -> Waiting {
        self.waiting
    }

    /// When it will fire.
    pub(crate) const fn due(&self) -> Option<Time> {
        match self.waiting {
            Waiting::Off => None,
            Waiting::Retransmit { due } | Waiting::Persist { due, .. } => Some(due),
        }
    }

    /// The timeout in force: bounded below (2.4), doubled at each back-off (5.5), bounded above (2.5).
    pub(crate) fn rto(&self) -> Span {
        let timeout = self.estimator.timeout().unwrap_or(self.initial).max(self.minimum);
        backed_off(timeout, self.backoff).min(self.maximum)
    }

    /// A measurement ends the back-off (RFC 6298, section 5: only a new measurement does).
    pub(crate) fn on_sample(&mut self, rtt: Span) {
        self.estimator.on_sample(rtt);
        self.backoff = 0;
    }

    /// (5.1) Data was sent: starts the timer unless it runs for retransmission.
    pub(crate) fn start(&mut self, now: Time) {
        if !matches!(self.waiting, Waiting::Retransmit { .. }) {
            self.restart(now);
        }
    }

    /// (5.3) New data was acknowledged and more is outstanding.
    pub(crate) fn restart(&mut self, now: Time) {
        self.waiting = Waiting::Retransmit { due: now + self.rto() };
    }

    /// (5.2) All is acknowledged.
    pub(crate) const fn stop(&mut self) {
        self.waiting = Waiting::Off;
    }

    /// (5.5), (5.6) It fired: backs off and starts again.
    pub(crate) fn back_off(&mut self, now: Time) {
        self.backoff += 1;
        self.restart(now);
    }

    /// (5.7) The handshake is over. A SYN that was sent again leaves no valid measurement, and three seconds instead of
    /// one for the data.
    pub(crate) fn end_handshake(&mut self) {
        if self.backoff > 0 {
            self.backoff = 0;
            self.initial = self.initial.max(AFTER_SYN_LOSS).min(self.maximum);
        }
        self.stop();
    }

    /// The window is closed and nothing is outstanding: the first probe goes out after one timeout, further ones at
    /// exponentially growing intervals (RFC 9293, section 3.8.6.1).
    pub(crate) fn persist(&mut self, now: Time) {
        let probes = match self.waiting {
            Waiting::Persist { probes, .. } => probes + 1,
            _ => 0,
        };
        let due = now + backed_off(self.rto(), probes).min(self.maximum);
        self.waiting = Waiting::Persist { due, probes };
    }
}

/// `timeout` doubled `times` times.
const fn backed_off(timeout: Span, times: u32) -> Span {
    // 2^32 times any timeout is beyond every upper bound.
    timeout.saturating_mul(1 << if times < 32 { times } else { 32 })
}
