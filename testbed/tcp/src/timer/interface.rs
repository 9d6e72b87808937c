//! What an estimator of the retransmission timeout is told, and what it says.

use ambassador::delegatable_trait;
use windlull_units::{Span, Time};

/// What an estimator knows of the round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Measured {
    /// Smoothed round-trip time.
    pub(crate) srtt: Span,
    /// Its mean deviation, if the estimator has one.
    pub(crate) rttvar: Option<Span>,
}

/// A round trip as it was measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) now: Time,
    /// How long it took.
    pub(crate) rtt: Span,
    /// What is acknowledged now.
    pub(crate) una: u64,
    /// What was sent so far.
    pub(crate) max: u64,
}

/// Computes the timeout from round-trip times.
#[delegatable_trait]
pub(crate) trait RtoEstimator {
    /// A round trip was measured.
    fn on_sample(&mut self, sample: &Sample);
    /// Begins anew with this mean and deviation.
    fn seed(&mut self, srtt: Span, rttvar: Span);
    /// What is known so far.
    fn measured(&self) -> Option<Measured>;
    /// The timeout before bounds and back-off; `None` before the first measurement.
    fn timeout(&self) -> Option<Span>;
    /// By which rule it is reckoned, for people.
    fn rule(&self) -> &'static str;
}
