//! The timer measures as ever (gurtov2003, table 4, `std`).

use super::{Adaptation, TimerAdaptation};

/// Changes nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standard;

impl TimerAdaptation for Standard {
    fn adapt(&self) -> Adaptation {
        Adaptation::Keep
    }
}
