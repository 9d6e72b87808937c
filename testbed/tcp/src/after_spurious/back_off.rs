//! The back-off counter is reset by a genuine timeout alone (gurtov2003, III.C, option 2).

use super::{Adaptation, TimerAdaptation};

/// Holds the back-off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BackOff;

impl TimerAdaptation for BackOff {
    fn adapt(&self) -> Adaptation {
        Adaptation::HoldBackOff
    }
}
