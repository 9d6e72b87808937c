//! The estimator of ns-2 (`TcpAgent::rtt_update`), in which the papers' senders ran: the integer arithmetic of jacobson1988, of
//! round trips to the nearest tick.

use windlull_units::Span;

use super::jacobson88::Jacobson88;
use super::{Measured, RtoEstimator, Sample};

/// Appendix A's averages of what ns-2 counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ns2 {
    tick: Span,
    inner: Jacobson88,
}

impl Ns2 {
    pub(crate) const fn new(tick: Span) -> Self {
        Self {
            tick,
            inner: Jacobson88::new(tick),
        }
    }

    /// To the nearest tick, at least one.
    fn counted(&self, rtt: Span) -> Span {
        let ticks = (rtt + self.tick.div(2)).as_ns() / self.tick.as_ns();
        self.tick.saturating_mul(ticks.max(1))
    }
}

impl RtoEstimator for Ns2 {
    fn on_sample(&mut self, sample: &Sample) {
        self.inner.on_sample(&Sample {
            rtt: self.counted(sample.rtt),
            ..*sample
        });
    }

    fn seed(&mut self, srtt: Span, rttvar: Span) {
        self.inner.seed(self.counted(srtt), rttvar);
    }

    fn measured(&self) -> Option<Measured> {
        self.inner.measured()
    }

    fn timeout(&self) -> Option<Span> {
        self.inner.timeout()
    }

    fn rule(&self) -> &'static str {
        "ns-2, a + 4v in ticks, of jacobson1988 appendix A"
    }
}
