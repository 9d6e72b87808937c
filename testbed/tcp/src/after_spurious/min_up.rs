//! Additive increase of the minimum (gurtov2003, III.C, option 3).

use windlull_units::Span;

use super::{Adaptation, TimerAdaptation};

/// gurtov2003, IV.C: one second for each spurious timeout.
const STEP: Span = Span::from_secs(1);

/// Raises the minimum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MinUp;

impl TimerAdaptation for MinUp {
    fn adapt(&self) -> Adaptation {
        Adaptation::RaiseMinimum { by: STEP }
    }
}
