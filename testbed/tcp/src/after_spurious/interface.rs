//! What a spurious timeout changes of the timer.

use ambassador::delegatable_trait;
use windlull_units::Span;

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
#[delegatable_trait]
pub(crate) trait TimerAdaptation {
    /// A timeout proved spurious.
    fn adapt(&self) -> Adaptation;
}
