//! The estimator of jacobson1988, appendix A: mean and mean deviation in integer arithmetic, in ticks of the clock. `sa` is
//! eight times the mean, `sv` four times the deviation; what shifts cut off is part of the algorithm (appendix A.2).
//!
//! The appendix does not say how the first measurement is taken. Here it is as in 4.3BSD: the mean is the measurement, the
//! deviation half of it.

use windlull_units::Span;

use super::{Measured, RtoEstimator, Sample};

/// The scaled averages, in ticks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Averages {
    pub(super) sa: u64,
    pub(super) sv: u64,
}

/// Mean and deviation of appendix A.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jacobson88 {
    tick: Span,
    averages: Option<Averages>,
}

impl Jacobson88 {
    pub(crate) const fn new(tick: Span) -> Self {
        Self { tick, averages: None }
    }

    const fn ticks(&self, span: Span) -> u64 {
        span.as_ns() / self.tick.as_ns()
    }

    /// So many ticks of the averages, if there are any.
    pub(super) fn timeout_by(&self, rto: impl Fn(Averages) -> u64) -> Option<Span> {
        self.averages.map(|averages| self.tick.saturating_mul(rto(averages)))
    }
}

impl RtoEstimator for Jacobson88 {
    fn on_sample(&mut self, sample: &Sample) {
        let Some(Averages { sa, sv }) = self.averages else {
            return self.seed(sample.rtt, sample.rtt.div(2));
        };
        let measured = self.ticks(sample.rtt);
        let mean = sa >> 3;
        let error = measured.abs_diff(mean);
        self.averages = Some(Averages {
            // The gains are 1/8 and 1/4.
            sa: sa + measured - mean,
            sv: sv + error - (sv >> 2),
        });
    }

    fn seed(&mut self, srtt: Span, rttvar: Span) {
        self.averages = Some(Averages {
            sa: self.ticks(srtt) << 3,
            // Twice the double, so that half a tick is not lost.
            sv: self.ticks(rttvar.saturating_mul(2)) << 1,
        });
    }

    fn measured(&self) -> Option<Measured> {
        let spans = |averages: Averages| Measured {
            srtt: self.tick.saturating_mul(averages.sa >> 3),
            rttvar: Some(self.tick.saturating_mul(averages.sv >> 2)),
        };
        self.averages.map(spans)
    }

    /// Appendix A.2: `a + 4v`, so that slow start cannot time out spuriously (appendix C).
    fn timeout(&self) -> Option<Span> {
        self.timeout_by(|Averages { sa, sv }| (sa >> 3) + sv)
    }

    fn rule(&self) -> &'static str {
        "jacobson1988 appendix A, a + 4v in ticks"
    }
}
