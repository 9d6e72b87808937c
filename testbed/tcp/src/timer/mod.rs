//! The one timer of a sender: retransmission (RFC 6298) or, with a closed window, persist (RFC 9293, section 3.8.6.1).
//!
//! ```text
//!           data sent                           window closed, nothing outstanding
//!    Off ---------------> Retransmit      Off -------------------------------------> Persist
//!     ^                    |  ^   |        ^                                           |  |
//!     +-- all acked -------+  +---+        +-------- window opened --------------------+  +-- expired: probe, back off
//!                       expired: back off
//! ```

pub(crate) mod backoff;
mod interface;
pub(crate) mod jacobson88;
pub(crate) mod jacobson88_2v;
pub(crate) mod linux;
pub(crate) mod ns2;
pub(crate) mod rfc6298;
pub(crate) mod rfc793;
mod rtt;

use windlull_units::{Span, Time};

use backoff::doubled;
pub(crate) use rtt::{RttMeter, StampClock};

use crate::after_spurious::{Adaptation, AfterSpuriousMechanism, TimerAdaptation};
use crate::minimum::{MinimumMechanism, MinimumRto, Train};
use crate::registry::{BackOff, mechanisms};
use crate::variant::TimerSettings;
pub(crate) use interface::*;

mechanisms! {
    /// How the retransmission timeout is computed from round-trip times.
    Estimator as EstimatorMechanism: RtoEstimator(settings: &TimerSettings) {
        /// A smoothed mean, doubled (RFC 793, with jacobson1988's gains).
        Rfc793 = "rfc793" as "RFC 793" => rfc793::Rfc793, rfc793::Rfc793::new();
        /// Mean and four mean deviations in integer ticks (jacobson1988, appendix A).
        Jacobson88 = "jacobson88" as "Jacobson 1988" => jacobson88::Jacobson88,
            jacobson88::Jacobson88::new(settings.granularity);
        /// The same with two mean deviations (jacobson1988, footnote 21).
        Jacobson88TwoV = "jacobson88-2v" as "Jacobson 1988, twice the variation" => jacobson88_2v::Jacobson88TwoV,
            jacobson88_2v::Jacobson88TwoV::new(settings.granularity);
        /// ns-2's: that of jacobson1988, appendix A, of round trips to the nearest tick, at least one.
        Ns2 = "ns2" as "ns-2" => ns2::Ns2, ns2::Ns2::new(settings.granularity);
        /// Smoothed mean and four mean deviations (RFC 6298).
        Rfc6298 = "rfc6298" as "RFC 6298" => rfc6298::Rfc6298, rfc6298::Rfc6298::new(settings);
        /// The Linux kernel's: the largest deviation of a window, with a floor under the variance term.
        Linux = "linux" as "Linux" => linux::Linux, linux::Linux::new(settings.minimum_rto);
    }
}

/// What the timer waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiting {
    Off,
    /// An acknowledgement of outstanding data.
    Retransmit {
        /// When it gives up.
        due: Time,
    },
    /// The peer to open its window.
    Persist {
        due: Time,
        /// Probes sent so far.
        probes: u32,
    },
}

/// RFC 4015's `SRTT_prev` and `RTTVAR_prev`.
#[derive(Clone, Copy, Debug)]
struct Previous {
    srtt: Span,
    rttvar: Span,
}

/// The timer with its estimator, its minimum and back-off.
#[derive(Clone, Debug)]
pub(crate) struct SendTimer {
    estimator: EstimatorMechanism,
    /// What the estimator has said since its last measurement: it is asked for more often than it changes.
    estimated: Option<Span>,
    minimum: MinimumMechanism,
    after_spurious: AfterSpuriousMechanism,
    lower: Span,
    maximum: Span,
    initial: Span,
    granularity: Span,
    back_off: BackOff,
    backoff: u32,
    /// Back-offs when it last fired.
    backoff_fired: u32,
    /// So much was sent when it fired for a segment for the first time.
    sent_before: u64,
    /// Back-offs that outlive measurements.
    backoff_held: u32,
    /// What spurious timeouts have added to the minimum.
    raised: Span,
    /// Whether the segment waited for has the minimum.
    has_minimum: bool,
    latest: Option<Sample>,
    /// The shortest round trip of all, as measured.
    shortest: Option<Span>,
    /// The next measurement counts as the first one.
    begins_anew: bool,
    before_timeout: Option<Previous>,
    /// What the first measurement of new data must not fall below.
    conserved: Option<Previous>,
    /// (5.7) What the timeout must not fall below until the next measurement.
    after_syn_loss: Span,
    started: Time,
    waiting: Waiting,
}

/// RFC 6298 (5.7): what the timeout becomes when a SYN had to be sent again.
const AFTER_SYN_LOSS: Span = Span::from_secs(3);

impl SendTimer {
    pub(crate) fn new(settings: &TimerSettings) -> Self {
        Self {
            estimator: EstimatorMechanism::new(settings.estimator, settings),
            estimated: None,
            minimum: MinimumMechanism::new(settings.minimum),
            after_spurious: AfterSpuriousMechanism::new(settings.after_spurious),
            lower: settings.minimum_rto,
            maximum: settings.maximum_rto,
            initial: settings.initial_rto,
            granularity: settings.granularity,
            back_off: settings.back_off,
            backoff: 0,
            backoff_fired: 0,
            sent_before: 0,
            backoff_held: 0,
            raised: Span::ZERO,
            has_minimum: MinimumMechanism::new(settings.minimum).applies(0),
            latest: None,
            shortest: None,
            begins_anew: false,
            before_timeout: None,
            conserved: None,
            after_syn_loss: Span::ZERO,
            started: Time::ZERO,
            waiting: Waiting::Off,
        }
    }

    pub(crate) fn measured(&self) -> Option<Measured> {
        self.estimator.measured()
    }

    /// When a round trip was last measured.
    pub(crate) fn measured_at(&self) -> Option<Time> {
        self.latest.map(|sample| sample.now)
    }

    /// The shortest round trip that was measured so far, in ticks of the clock.
    pub(crate) const fn shortest(&self) -> Option<Span> {
        self.shortest
    }

    /// The time from one moment to a later one, as the clock that measures round trips sees it.
    pub(crate) fn ticks_between(&self, from: Time, to: Time) -> Span {
        rtt::ticks_between(self.granularity, from, to)
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

    /// The timeout before bounds and back-off, once a round trip was measured.
    pub(crate) const fn estimated(&self) -> Option<Span> {
        self.estimated
    }

    /// The lower bound of the segment that is waited for.
    pub(crate) fn lower(&self) -> Span {
        if self.has_minimum {
            self.lower + self.raised
        } else {
            // A round trip within a tick measures as nothing, and estimators that add no tick of their own would time out at once.
            self.granularity
        }
    }

    /// What bounds and back-off apply to, once a round trip was measured.
    fn basis(&self) -> Option<Span> {
        if self.back_off.multiplies_the_mean(self.backoff) {
            self.estimator.measured().map(|measured| measured.srtt)
        } else {
            self.estimated
        }
    }

    /// The timeout in force: bounded below (2.4), longer at each back-off (5.5), bounded above (2.5).
    pub(crate) fn rto(&self) -> Span {
        let floor = self.lower().max(self.after_syn_loss);
        let timeout = self.basis().unwrap_or(self.initial).max(floor);
        self.back_off.applied(timeout, self.backoff).min(self.maximum)
    }

    /// Why the timeout in force is what it is before back-off, for people.
    pub(crate) fn rule(&self) -> &'static str {
        match self.basis() {
            _ if self.rto() == self.maximum => "RFC 6298 (2.5), the maximum",
            None => "RFC 6298 (2.1) and (5.7), no round trip measured yet",
            Some(timeout) if timeout < self.after_syn_loss => "RFC 6298 (5.7), the SYN was sent again",
            Some(timeout) if self.has_minimum && timeout < self.lower + self.raised => {
                if self.raised.is_zero() {
                    "RFC 6298 (2.4), the minimum"
                } else {
                    "the minimum, raised at spurious timeouts (gurtov2003, III.C)"
                }
            }
            Some(timeout) if !self.has_minimum && timeout < self.granularity => "one tick of the clock",
            Some(_) => self
                .back_off
                .rule(self.backoff)
                .unwrap_or_else(|| self.estimator.rule()),
        }
    }

    /// A measurement ends the back-off (RFC 6298, section 5: only a new measurement does), unless it is held or lasts longer.
    pub(crate) fn on_sample(&mut self, sample: &Sample) {
        self.after_syn_loss = Span::ZERO;
        self.shortest = Some(self.shortest.map_or(sample.rtt, |shortest| shortest.min(sample.rtt)));
        let counted = Sample {
            rtt: self.back_off.counted(sample.rtt, self.granularity),
            ..*sample
        };
        if std::mem::take(&mut self.begins_anew) {
            // (2.2)
            self.estimator.seed(counted.rtt, counted.rtt.div(2));
        } else {
            self.estimator.on_sample(&counted);
        }
        if self.back_off.ends_measured(sample.una, self.sent_before) {
            self.backoff = self.backoff_held;
        }
        self.latest = Some(counted);
        if let Some(previous) = self.conserved.take_if(|_| sample.una > self.sent_before) {
            let rtt = counted.rtt;
            self.estimator
                .seed(previous.srtt.max(rtt), previous.rttvar.max(rtt.div(2)));
        }
        self.estimated = self.estimator.timeout();
    }

    /// All before `una` is acknowledged.
    #[inline]
    pub(crate) fn on_acknowledged(&mut self, una: u64) {
        self.minimum.on_acknowledged(una);
        self.has_minimum = self.minimum.applies(una);
        if self.back_off.ends_unmeasured() {
            self.backoff = self.backoff_held;
        }
    }

    /// A train of segments left, or nothing did; the timer that runs gets the minimum that is due now.
    pub(crate) fn on_train(&mut self, now: Time, train: &Train, recovering: bool, una: u64) {
        self.minimum.on_train(train, recovering);
        let has_minimum = self.minimum.applies(una);
        if has_minimum != self.has_minimum {
            self.has_minimum = has_minimum;
            if matches!(self.waiting, Waiting::Retransmit { .. }) {
                let due = (self.started + self.rto()).max(now);
                self.waiting = Waiting::Retransmit { due };
            }
        }
    }

    /// Slow start begins anew.
    pub(crate) fn on_slow_start(&mut self) {
        self.minimum.on_slow_start();
    }

    /// It fires for a segment for the first time; so much was sent by then.
    pub(crate) fn on_first_timeout(&mut self, sent: u64) {
        self.sent_before = sent;
        self.conserved = None;
        self.before_timeout = self.measured().map(|measured| Previous {
            // RFC 4015, section 3.2: SRTT_prev = SRTT + 2 G.
            srtt: measured.srtt + self.granularity.saturating_mul(2),
            rttvar: measured.rttvar.unwrap_or(Span::ZERO),
        });
    }

    /// The timeout proved spurious.
    pub(crate) fn on_spurious(&mut self, now: Time) {
        match self.after_spurious.adapt() {
            Adaptation::Keep => return,
            Adaptation::Conserve => {
                self.conserved = self.before_timeout;
                return;
            }
            Adaptation::Reseed => {
                let Some(sample) = self.latest.filter(|sample| sample.now == now) else {
                    return;
                };
                self.estimator.seed(sample.rtt, sample.rtt.div(2));
                self.estimated = self.estimator.timeout();
            }
            Adaptation::HoldBackOff => {
                self.backoff_held = self.backoff_fired;
                self.backoff = self.backoff_held;
            }
            Adaptation::RaiseMinimum { by } => self.raised = self.raised + by,
        }
        self.restart_running(now);
    }

    /// The timeout proved genuine: what spurious ones had changed for good is undone.
    pub(crate) fn on_genuine(&mut self, now: Time) {
        if self.backoff_held > 0 {
            self.backoff_held = 0;
            self.backoff = 0;
            self.restart_running(now);
        }
        if !self.raised.is_zero() {
            self.raised = Span::ZERO;
            self.restart_running(now);
        }
    }

    fn restart_running(&mut self, now: Time) {
        if matches!(self.waiting, Waiting::Retransmit { .. }) {
            self.restart(now);
        }
    }

    /// (5.1) Data was sent: starts the timer unless it runs for retransmission.
    pub(crate) fn start(&mut self, now: Time) {
        if !matches!(self.waiting, Waiting::Retransmit { .. }) {
            self.restart(now);
        }
    }

    /// (5.3) New data was acknowledged and more is outstanding.
    pub(crate) fn restart(&mut self, now: Time) {
        self.started = now;
        self.waiting = Waiting::Retransmit { due: now + self.rto() };
    }

    /// (5.2) All is acknowledged.
    pub(crate) const fn stop(&mut self) {
        self.waiting = Waiting::Off;
    }

    /// (5.5), (5.6) It fired: backs off and starts again.
    pub(crate) fn back_off(&mut self, now: Time) {
        self.backoff += 1;
        self.backoff_fired = self.backoff;
        self.begins_anew |= self.back_off.forgets(self.backoff);
        self.restart(now);
    }

    /// (5.7) The handshake is over. If the timer fired for the SYN, data starts with three seconds at least: without
    /// timestamps there is no measurement, and with them the one that the SYN's echo gave does not shorten the timeout.
    pub(crate) fn end_handshake(&mut self) {
        if self.backoff_fired > 0 {
            self.backoff = 0;
            self.after_syn_loss = AFTER_SYN_LOSS;
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
        let due = now + doubled(self.rto(), probes).min(self.maximum);
        self.waiting = Waiting::Persist { due, probes };
    }
}
