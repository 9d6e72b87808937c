//! Re-seeding: the measurement of a delayed segment initialises mean and deviation (gurtov2003, III.C, option 1).

use super::{Adaptation, TimerAdaptation};

/// Begins the estimate anew.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reseed;

impl TimerAdaptation for Reseed {
    fn adapt(&self) -> Adaptation {
        Adaptation::Reseed
    }
}
