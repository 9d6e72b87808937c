//! TCP before 1988 (jacobson1988, section 1 and figure 3; RFC 793): no congestion window. The peer's window is sent at
//! once, duplicate acknowledgements say nothing, and the timer sends all that is outstanding again.

use windlull_units::Time;

use crate::sender::{Ack, View};

use super::{Decision, LossRecovery, Next};

/// Waits for the timer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoSlowStart;

impl LossRecovery for NoSlowStart {
    fn on_ack(&mut self, _: &View, _: &Ack) -> Decision {
        Decision::Nothing
    }

    fn on_timeout(&mut self, _: &View, _: Time) {}

    fn on_spurious(&mut self, _: &View) {}

    fn next(&mut self, _: &View) -> Option<Next> {
        None
    }

    fn may_exceed(&self, _: &View, _: u64) -> bool {
        false
    }

    fn outstanding(&self, view: &View) -> u64 {
        view.stream.flight()
    }

    fn reads_sack(&self) -> bool {
        false
    }

    fn has_congestion_window(&self) -> bool {
        false
    }
}
