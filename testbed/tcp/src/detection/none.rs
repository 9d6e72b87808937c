//! No detection: every timeout is taken for a loss (RFC 5681, section 3.1).

use crate::sender::{Ack, View};

use super::{Detector, Expiry, Finding, Stance, Step};

/// Never asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoDetection;

impl Detector for NoDetection {
    fn on_timeout(&mut self, _: &View, _: &Expiry) -> Step<Stance> {
        Step::silent(Stance::GoBack)
    }

    fn on_ack(&mut self, _: &View, _: &Ack) -> Step<Finding> {
        Step::silent(Finding::Nothing)
    }

    fn is_asking(&self) -> bool {
        false
    }

    fn reads_sack(&self) -> bool {
        false
    }
}
