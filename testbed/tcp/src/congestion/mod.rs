//! The congestion window, and how it grows outside of recovery.

pub(crate) mod bbr;
pub(crate) mod by_rate;
pub(crate) mod cubic;
pub(crate) mod cubic_linux;
pub(crate) mod dctcp;
mod hystart;
mod hystart_plus_plus;
mod initial;
mod interface;
pub(crate) mod prague;
pub(crate) mod reno;
pub(crate) mod reno_by_acks;
mod share;

use windlull_units::{Span, Time};

pub(crate) use initial::InitialWindow;

use crate::registry::{SlowStart, mechanisms};
use crate::timer::Sample;
use hystart::HyStart;
use hystart_plus_plus::HyStartPlusPlus;
pub(crate) use interface::*;
pub(crate) use share::Told;

mechanisms! {
    /// How the congestion window grows in congestion avoidance, and by how much a loss reduces it.
    CongestionControl as ControlMechanism: WindowControl() {
        /// One segment a round trip, and half (RFC 5681).
        Reno = "reno" as "Reno, by octets acknowledged" => reno::Reno, reno::Reno::new();
        /// A part of a segment for each acknowledgement, and half (RFC 2581).
        RenoByAcks = "reno-by-acks" as "Reno, by acknowledgements" => reno_by_acks::RenoByAcks, reno_by_acks::RenoByAcks;
        /// A cubic function of the time since the last loss, and seven tenths (RFC 9438).
        Cubic = "cubic" as "CUBIC" => cubic::Cubic, cubic::Cubic::new();
        /// The same in whole segments, and forgetful of its plateau at a timeout, as Linux computes it.
        CubicLinux = "cubic-linux" as "CUBIC, as Linux computes it" => cubic_linux::CubicLinux, cubic_linux::CubicLinux::new();
        /// A model of the path's bandwidth and round trip sets a rate and a window; losses bound them (BBRv3,
        /// draft-ietf-ccwg-bbr-06).
        Bbr = "bbr" as "BBR, version 3" => bbr::Bbr, bbr::Bbr::new();
        /// As Reno, but a mark takes half of the share of the window that was marked lately (RFC 8257).
        Dctcp = "dctcp" as "DCTCP" => dctcp::Dctcp, dctcp::Dctcp::new();
        /// The same by accurate ECN, paced, with a growth that depends less on the round trip
        /// (draft-briscoe-iccrg-prague-congestion-control-04).
        Prague = "prague" as "Prague" => prague::Prague, prague::Prague::new();
        /// An interval between segments in place of a window: each segment adds a constant to the rate, and a loss halves it
        /// (jacobson1988, footnote 13).
        ByRate = "by-rate" as "An interval, by a constant of the rate" => by_rate::ByRate,
            by_rate::ByRate::new(by_rate::Step::Rate);
        /// The same, but each segment takes a constant from the interval: the policy that the paper warns of.
        ByInterval = "by-interval" as "An interval, by a constant" => by_rate::ByRate,
            by_rate::ByRate::new(by_rate::Step::Interval);
    }
}

/// Congestion state in octets, as RFC 5681 counts.
#[derive(Clone, Debug)]
pub(crate) struct Congestion {
    /// Congestion window.
    pub(crate) cwnd: u64,
    /// Slow start threshold; `UNSET` until the first loss.
    pub(crate) ssthresh: u64,
    /// What ends the first slow start before a loss does, if anything.
    first: Option<FirstSlowStart>,
    control: ControlMechanism,
}

/// What ends the first slow start before a loss does.
#[derive(Clone, Copy, Debug)]
enum FirstSlowStart {
    HyStart(HyStart),
    /// Not the first one alone.
    Linux(LinuxSlowStart),
    HyStartPlusPlus(HyStartPlusPlus),
}

/// HyStart, until it has found the end of a slow start; a timeout lets it begin anew.
#[derive(Clone, Copy, Debug, Default)]
struct LinuxSlowStart {
    hystart: HyStart,
    found: bool,
}

impl FirstSlowStart {
    fn new(kind: SlowStart) -> Self {
        match kind {
            SlowStart::HyStart => Self::HyStart(HyStart::default()),
            SlowStart::Linux => Self::Linux(LinuxSlowStart::default()),
            SlowStart::HyStartPlusPlus => Self::HyStartPlusPlus(HyStartPlusPlus::default()),
        }
    }

    /// What the window grows by when so many octets were acknowledged.
    fn growth(&self, octets: u64, smss: u64) -> u64 {
        match self {
            Self::HyStart(_) | Self::Linux(_) => octets,
            Self::HyStartPlusPlus(hystart) => hystart.growth(octets, smss),
        }
    }

    /// A round trip was measured with a window of so many segments; whether congestion avoidance begins.
    fn on_sample(&mut self, sample: &Sample, window: u64) -> bool {
        match self {
            Self::HyStart(hystart) => hystart.on_sample(sample, window),
            Self::Linux(state) if state.found => false,
            Self::Linux(state) => {
                state.found = state.hystart.on_sample_of_rounds(sample, window);
                state.found
            }
            Self::HyStartPlusPlus(hystart) => hystart.on_sample(sample),
        }
    }
}

impl Congestion {
    pub(crate) fn new(control: CongestionControl, slow_start: Option<SlowStart>, initial_window: u64) -> Self {
        Self {
            cwnd: initial_window,
            ssthresh: UNSET,
            first: slow_start.map(FirstSlowStart::new),
            control: ControlMechanism::new(control),
        }
    }

    /// Slow start, or what is in its place.
    pub(crate) const fn in_slow_start(&self) -> bool {
        match &self.control {
            ControlMechanism::Bbr(model) => model.is_in_startup(),
            _ => self.cwnd < self.ssthresh,
        }
    }

    /// Whether a model of the path sets the window, and nothing else does.
    pub(crate) const fn is_modelled(&self) -> bool {
        matches!(self.control, ControlMechanism::Bbr(_))
    }

    /// The model of the path, if there is one.
    pub(crate) const fn model(&mut self) -> Option<&mut bbr::Bbr> {
        match &mut self.control {
            ControlMechanism::Bbr(model) => Some(model),
            _ => None,
        }
    }

    /// The threshold, if it was ever set.
    pub(crate) fn threshold(&self) -> Option<u64> {
        Some(self.ssthresh).filter(|octets| *octets != UNSET)
    }

    /// The connection stands, with this window.
    pub(crate) fn begin(&mut self, octets: u64) {
        self.cwnd = octets;
        self.control.on_window_set();
    }

    /// Sets the window, unless a model does; what congestion avoidance has counted starts anew.
    pub(crate) fn set_cwnd(&mut self, octets: u64) {
        if !self.is_modelled() {
            self.cwnd = octets;
            self.control.on_window_set();
        }
    }

    /// Sets the threshold, unless a model does without.
    pub(crate) const fn set_ssthresh(&mut self, octets: u64) {
        if !self.is_modelled() {
            self.ssthresh = octets;
        }
    }

    /// The threshold after a loss with so much outstanding.
    pub(crate) fn reduced(&self, flight: u64, smss: u64) -> u64 {
        self.control.threshold(flight, self.cwnd, smss)
    }

    /// Whether a mark reduces the window by how much was marked, and not as a loss does.
    pub(crate) const fn counts_marks(&self) -> bool {
        matches!(self.control, ControlMechanism::Dctcp(_) | ControlMechanism::Prague(_))
    }

    /// Whether it wants the rate of its window, and has its data in the queue of low latency (RFC 9331, section 4.1).
    pub(crate) const fn is_prague(&self) -> bool {
        matches!(self.control, ControlMechanism::Prague(_))
    }

    /// Whether a mark that asks for a reduction gets it now.
    pub(crate) fn may_answer(&mut self, now: Time) -> bool {
        self.control.may_answer(now)
    }

    /// The threshold after a mark with so much outstanding.
    pub(crate) fn reduced_by_mark(&self, flight: u64, smss: u64) -> u64 {
        self.control.threshold_by_mark(flight, self.cwnd, smss)
    }

    /// An acknowledgement came, with or without marks, where the connection has them.
    pub(crate) fn on_told(&mut self, told: &Told) {
        self.control.on_told(told);
    }

    /// Octets were acknowledged while the window was the limit.
    #[inline]
    pub(crate) fn grow(&mut self, growth: &Growth) {
        if self.is_modelled() {
            return;
        }
        if matches!(self.first, Some(FirstSlowStart::Linux(_))) && self.in_slow_start() {
            // Up to the threshold; what is left is congestion avoidance's.
            let slow = growth.octets.min(self.ssthresh - self.cwnd);
            self.cwnd += slow;
            if slow < growth.octets {
                let rest = Growth {
                    octets: growth.octets - slow,
                    ..*growth
                };
                self.cwnd = self.control.grow(self.cwnd, &rest);
            }
        } else if self.in_slow_start() {
            self.cwnd += match &self.first {
                Some(first) if self.looks_for_the_end(first) => first.growth(growth.octets, growth.smss),
                // RFC 5681, section 3.1, equation 2: at most one segment an acknowledgement.
                _ => growth.octets.min(growth.smss),
            };
        } else {
            let cwnd = self.cwnd;
            self.cwnd = self.control.grow(cwnd, growth);
        }
    }

    /// Whether this slow start may end before a loss does.
    const fn looks_for_the_end(&self, first: &FirstSlowStart) -> bool {
        match first {
            FirstSlowStart::Linux(_) => self.in_slow_start(),
            FirstSlowStart::HyStart(_) | FirstSlowStart::HyStartPlusPlus(_) => self.ssthresh == UNSET,
        }
    }

    /// A round trip was measured.
    #[inline]
    pub(crate) fn on_sample(&mut self, sample: &Sample, smss: u64) {
        self.control.on_sample(sample);
        if !self.first.as_ref().is_some_and(|first| self.looks_for_the_end(first)) {
            return;
        }
        if let Some(first) = self.first.as_mut() {
            if first.on_sample(sample, self.cwnd / smss) {
                self.ssthresh = self.cwnd;
            }
        }
    }

    /// A slow start follows a timeout.
    fn look_anew(&mut self) {
        if let Some(FirstSlowStart::Linux(state)) = &mut self.first {
            *state = LinuxSlowStart::default();
        }
    }

    /// A loss was found, by duplicates or by the timer, with this window.
    pub(crate) fn on_loss(&mut self, cwnd: u64, by_timer: bool) {
        if by_timer {
            self.look_anew();
        }
        self.control.on_loss(cwnd, by_timer);
    }

    /// The timer fired for a loss that a mark has told of.
    pub(crate) fn on_spared_timeout(&mut self) {
        self.look_anew();
        self.control.on_spared_timeout();
    }

    /// The window is the limit again; the application was it for so long.
    pub(crate) fn on_application_limited(&mut self, lasted: Span) {
        self.control.on_application_limited(lasted);
    }

    /// The connection stands; its first round trip took so long.
    pub(crate) fn on_established(&mut self, rtt: Span) {
        self.control.on_established(rtt);
    }

    /// What congestion control wants between two segments, if anything.
    pub(crate) fn spacing(&self) -> Option<Spacing> {
        self.control.spacing()
    }

    /// A segment left that had to keep it.
    pub(crate) fn on_paced(&mut self) {
        self.control.on_paced();
    }

    /// The last timeout was spurious.
    pub(crate) fn on_spurious(&mut self) {
        self.control.on_spurious();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a recovery the window is below the threshold, as in slow start.
    #[test]
    fn linux_looks_once_for_the_end_of_a_slow_start() {
        let mut congestion = Congestion::new(CongestionControl::CubicLinux, Some(SlowStart::Linux), 100_000);
        let take = |congestion: &mut Congestion, ms: u64| {
            let sample = Sample {
                now: Time::ZERO + Span::from_ms(ms),
                rtt: Span::from_ms(40),
                una: ms,
                max: 1_000_000,
            };
            congestion.on_sample(&sample, 1000);
        };
        // A train of acknowledgements that lasts longer than half a round trip.
        for ms in 1..=30 {
            take(&mut congestion, ms);
        }
        assert_eq!(congestion.threshold(), Some(100_000));
        congestion.set_cwnd(70_000);
        take(&mut congestion, 31);
        assert_eq!(congestion.threshold(), Some(100_000));
        congestion.on_loss(70_000, true);
        for ms in 1000..=1030 {
            take(&mut congestion, ms);
        }
        assert_eq!(congestion.threshold(), Some(70_000), "a timeout lets it look anew");
    }
}
