//! What a spurious timeout teaches the retransmission timer.

pub(crate) mod back_off;
pub(crate) mod min_up;
pub(crate) mod reseed;
pub(crate) mod rfc4015;
pub(crate) mod standard;

use windlull_units::Span;

use crate::registry::mechanisms;

mechanisms! {
    $
    /// What a spurious timeout changes of the timer.
    AfterSpurious as AfterSpuriousMechanism(), dispatch_after_spurious {
        /// Nothing.
        Standard = "std" as "Nothing changes (std)" => standard::Standard, standard::Standard;
        /// The estimate begins anew with a delayed segment (gurtov2003, III.C, option 1).
        Reseed = "reseed" as "Begins anew (reseed)" => reseed::Reseed, reseed::Reseed;
        /// The back-off stays until a genuine timeout (gurtov2003, III.C, option 2).
        BackOff = "back-off" as "Stays backed off (back-off)" => back_off::BackOff, back_off::BackOff;
        /// The minimum grows by a second until a genuine timeout (gurtov2003, III.C, option 3).
        MinUp = "min++" as "The least grows (min++)" => min_up::MinUp, min_up::MinUp;
        /// The estimate begins anew with new data, at no less than it was (RFC 4015, section 3.2).
        Rfc4015 = "rfc4015" as "As RFC 4015 has it" => rfc4015::Rfc4015, rfc4015::Rfc4015;
    }
}

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
