//! The estimator of RFC 6298, section 2: smoothed mean and mean deviation, in whole nanoseconds.
//!
//! The gains 1/8 and 1/4 are applied to every sample, also when timestamps give several a round trip, as the senders of
//! the papers did; RFC 7323's appendix G would weaken them.

use windlull_units::Span;

use super::{Measured, RtoEstimator, Sample};
use crate::variant::TimerSettings;

/// RFC 6298's `SRTT` and `RTTVAR`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rfc6298 {
    granularity: Span,
    averages: Option<Averages>,
}

#[derive(Clone, Copy, Debug)]
struct Averages {
    srtt: Span,
    rttvar: Span,
}

impl Rfc6298 {
    pub(crate) const fn new(settings: &TimerSettings) -> Self {
        Self {
            granularity: settings.granularity,
            averages: None,
        }
    }
}

impl RtoEstimator for Rfc6298 {
    fn on_sample(&mut self, sample: &Sample) {
        let rtt = sample.rtt;
        self.averages = Some(match self.averages {
            // (2.2) the first measurement.
            None => Averages {
                srtt: rtt,
                rttvar: rtt.div(2),
            },
            // (2.3) beta = 1/4 and alpha = 1/8, RTTVAR by the old SRTT.
            Some(Averages { srtt, rttvar }) => Averages {
                srtt: Span::from_ns(srtt.as_ns() - srtt.as_ns() / 8 + rtt.as_ns() / 8),
                rttvar: Span::from_ns(rttvar.as_ns() - rttvar.as_ns() / 4 + srtt.as_ns().abs_diff(rtt.as_ns()) / 4),
            },
        });
    }

    fn seed(&mut self, srtt: Span, rttvar: Span) {
        self.averages = Some(Averages { srtt, rttvar });
    }

    fn measured(&self) -> Option<Measured> {
        self.averages.map(|Averages { srtt, rttvar }| Measured {
            srtt,
            rttvar: Some(rttvar),
        })
    }

    fn timeout(&self) -> Option<Span> {
        // (2.2) and (2.3): RTO = SRTT + max(G, K * RTTVAR), K = 4.
        self.averages
            .map(|Averages { srtt, rttvar }| srtt + self.granularity.max(rttvar.saturating_mul(4)))
    }

    fn rule(&self) -> &'static str {
        "RFC 6298 (2.3), SRTT + max(G, 4 RTTVAR)"
    }
}
