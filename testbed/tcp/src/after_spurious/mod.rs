//! What a spurious timeout teaches the retransmission timer.

pub(crate) mod back_off;
pub(crate) mod min_up;
pub(crate) mod reseed;
pub(crate) mod rfc4015;
pub(crate) mod standard;

use windlull_units::Span;

use crate::registry::{AfterSpuriousMechanism, dispatch_after_spurious};

/// What becomes of the timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Adaptation {
    /// It stays as it is.
    Keep,
    /// The measurement of the acknowledgement at hand is taken for the first one.
    Reseed,
    /// The back-off of the timeout outlives measurements, until a timeout is genuine.
    HoldBackOff,
    /// The minimum grows by this, until a timeout is genuine.
    RaiseMinimum { by: Span },
    /// The first measurement of data that was not sent before the timeout begins the estimate anew, at no less than it was.
    Conserve,
}

/// One way to adapt the timer.
pub(crate) trait TimerAdaptation {
    /// A timeout proved spurious.
    fn adapt(&self) -> Adaptation;
}

impl AfterSpuriousMechanism {
    pub(crate) fn adapt(&self) -> Adaptation {
        dispatch_after_spurious!(self, mechanism => mechanism.adapt())
    }
}
