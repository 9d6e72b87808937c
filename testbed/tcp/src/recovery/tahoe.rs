//! Tahoe: fast retransmit without fast recovery. The third duplicate is answered as a timeout is (jacobson1988, appendix B):
//! half the window goes into the threshold, and slow start goes back N from the segment that is missing (Fall and Floyd,
//! Simulation-based Comparisons of Tahoe, Reno, and SACK TCP, 1996, section 2).

use windlull_units::Time;

use crate::sender::{Ack, View};

use super::reno::Reno;
use super::{Decision, LossRecovery, Next};

/// Counts duplicates as Reno does, and recovers as after a timeout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tahoe(Reno);

impl Tahoe {
    pub(crate) const fn new() -> Self {
        Self(Reno::new())
    }
}

impl LossRecovery for Tahoe {
    #[inline]
    fn on_ack(&mut self, view: &View, ack: &Ack) -> Decision {
        if ack.advanced > 0 {
            self.0.forget_duplicates();
            return Decision::Grow;
        }
        if !ack.duplicate || !self.0.is_third(view) {
            return Decision::Nothing;
        }
        self.0.barrier.on_going_back(view);
        Decision::Restart {
            ssthresh: view.threshold_at_loss(self.first_lost(view)),
        }
    }

    fn on_timeout(&mut self, view: &View, now: Time) {
        self.0.on_timeout(view, now);
    }

    fn on_spurious(&mut self, view: &View) {
        self.0.on_spurious(view);
    }

    /// There is no fast recovery to send in.
    fn next(&mut self, _: &View) -> Option<Next> {
        None
    }

    fn may_exceed(&self, view: &View, octets: u64) -> bool {
        self.0.may_exceed(view, octets)
    }

    fn outstanding(&self, view: &View) -> u64 {
        self.0.outstanding(view)
    }

    fn reads_sack(&self) -> bool {
        false
    }
}
