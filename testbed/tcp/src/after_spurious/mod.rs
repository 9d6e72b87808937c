//! What a spurious timeout teaches the retransmission timer.

pub(crate) mod back_off;
mod interface;
pub(crate) mod min_up;
pub(crate) mod reseed;
pub(crate) mod rfc4015;
pub(crate) mod standard;

use crate::registry::mechanisms;
pub(crate) use interface::*;

mechanisms! {
    /// What a spurious timeout changes in the timer.
    AfterSpurious as AfterSpuriousMechanism: TimerAdaptation() {
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
