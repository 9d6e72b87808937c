//! The estimator of RFC 6298, section 2: smoothed mean and mean deviation, in whole nanoseconds.
//!
//! The gains 1/8 and 1/4 are applied to every sample, also when timestamps give several a round trip, as the senders of
//! the papers did; RFC 7323's appendix G would weaken them.

use windlull_units::Span;

use super::{Measured, RtoEstimator};
use crate::variant::TimerSettings;

/// RFC 6298's `SRTT` and `RTTVAR`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rfc6298 {
    granularity: Span,
    measured: Option<Measured>,
}

impl Rfc6298 {
    pub(crate) const fn new(settings: &TimerSettings) -> Self {
        Self {
            granularity: settings.granularity,
            measured: None,
        }
    }
}

impl RtoEstimator for Rfc6298 {
    fn on_sample(&mut self, rtt: Span) {
        self.measured = Some(match self.measured {
            // (2.2) the first measurement.
            None => Measured {
                srtt: rtt,
                rttvar: rtt.div(2),
            },
            // (2.3) beta = 1/4 and alpha = 1/8, RTTVAR by the old SRTT.
            Some(Measured { srtt, rttvar }) => Measured {
                srtt: Span::from_ns(srtt.as_ns() - srtt.as_ns() / 8 + rtt.as_ns() / 8),
                rttvar: Span::from_ns(rttvar.as_ns() - rttvar.as_ns() / 4 + srtt.as_ns().abs_diff(rtt.as_ns()) / 4),
            },
        });
    }

    fn measured(&self) -> Option<Measured> {
        self.measured
    }

    fn timeout(&self) -> Option<Span> {
        // (2.2) and (2.3): RTO = SRTT + max(G, K * RTTVAR), K = 4.
        self.measured
            .map(|Measured { srtt, rttvar }| srtt + self.granularity.max(rttvar.saturating_mul(4)))
    }
}
