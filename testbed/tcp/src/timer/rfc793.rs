//! The estimator of RFC 793, section 3.7: a smoothed mean and a factor, in whole nanoseconds. It does not measure how far
//! round trips vary, which is what jacobson1988, section 2 finds wrong with it.

use windlull_units::Span;

use super::{Measured, RtoEstimator, Sample};

/// RFC 793's `SRTT`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rfc793 {
    srtt: Option<Span>,
}

/// `BETA`, the suggestion that jacobson1988, section 2 examines.
const BETA: u64 = 2;

impl Rfc793 {
    pub(crate) const fn new() -> Self {
        Self { srtt: None }
    }
}

impl RtoEstimator for Rfc793 {
    fn on_sample(&mut self, sample: &Sample) {
        self.srtt = Some(match self.srtt {
            None => sample.rtt,
            // ALPHA = 0.9 (jacobson1988, section 2).
            Some(srtt) => Span::from_ns(srtt.as_ns() - srtt.as_ns() / 10 + sample.rtt.as_ns() / 10),
        });
    }

    fn seed(&mut self, srtt: Span, _: Span) {
        self.srtt = Some(srtt);
    }

    fn measured(&self) -> Option<Measured> {
        self.srtt.map(|srtt| Measured { srtt, rttvar: None })
    }

    fn timeout(&self) -> Option<Span> {
        self.srtt.map(|srtt| srtt.saturating_mul(BETA))
    }

    fn rule(&self) -> &'static str {
        "RFC 793, twice the smoothed round trip"
    }
}
