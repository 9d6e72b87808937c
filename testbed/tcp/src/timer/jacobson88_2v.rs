//! The first version of jacobson1988's estimator: `a + 2v` (appendix C, footnote 21), as at SIGCOMM '88.

use windlull_units::Span;

use super::jacobson88::{Averages, Jacobson88};
use super::{Measured, RtoEstimator, Sample};

/// The same averages with half the allowance for variation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jacobson88TwoV(Jacobson88);

impl Jacobson88TwoV {
    pub(crate) const fn new(tick: Span) -> Self {
        Self(Jacobson88::new(tick))
    }
}

impl RtoEstimator for Jacobson88TwoV {
    fn on_sample(&mut self, sample: &Sample) {
        self.0.on_sample(sample);
    }

    fn seed(&mut self, srtt: Span, rttvar: Span) {
        self.0.seed(srtt, rttvar);
    }

    fn measured(&self) -> Option<Measured> {
        self.0.measured()
    }

    /// `2a + 4v` in ticks, halved, so that half a tick of either is not lost on the way.
    fn timeout(&self) -> Option<Span> {
        self.0.timeout_by(|Averages { sa, sv }| ((sa >> 2) + sv) >> 1)
    }

    fn rule(&self) -> &'static str {
        "jacobson1988 footnote 21, a + 2v in ticks"
    }
}
