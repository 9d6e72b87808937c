//! Responses: what the congestion state becomes once a timeout proved spurious. All of them go on with
//! new data.

pub(crate) mod eifel_1;
pub(crate) mod eifel_2;
pub(crate) mod eifel_3;
pub(crate) mod eifel_4;
pub(crate) mod frto_conservative;
pub(crate) mod frto_dsack;
mod interface;
pub(crate) mod none;
pub(crate) mod old_threshold;
pub(crate) mod rfc4015;
pub(crate) mod wen2010_simple;

use crate::registry::mechanisms;
use crate::sender::View;
pub(crate) use interface::*;

mechanisms! {
    /// What a sender does to its congestion state once a timeout proved spurious.
    Response as ResponseMechanism: SpuriousResponse() {
        /// Nothing; the variant detects nothing either.
        None = "none" => none::NoResponse, none::NoResponse;
        /// Congestion window and threshold become half of what was outstanding (sarolahti2003, section 3).
        FrtoConservative = "frto-conservative"
            => frto_conservative::FrtoConservative, frto_conservative::FrtoConservative;
        /// The same, until a report of a duplicate takes it back (sarolahti2003, section 3).
        FrtoDsack = "frto-dsack" => frto_dsack::FrtoDsack, frto_dsack::FrtoDsack;
        /// Congestion window and threshold are restored in full (gurtov2003, III.B, option 1).
        Eifel1 = "eifel-1" => eifel_1::Eifel1, eifel_1::Eifel1;
        /// Half the old window, and congestion avoidance (gurtov2003, III.B, option 2).
        Eifel2 = "eifel-2" => eifel_2::Eifel2, eifel_2::Eifel2;
        /// Half the old window as threshold, and one segment (gurtov2003, III.B, option 3).
        Eifel3 = "eifel-3" => eifel_3::Eifel3, eifel_3::Eifel3;
        /// The old window, and congestion avoidance (gurtov2003, III.B, option 4).
        Eifel4 = "eifel-4" => eifel_4::Eifel4, eifel_4::Eifel4;
        /// The old window as threshold, and one segment (gurtov2003, III.B).
        OldThreshold = "old-threshold" => old_threshold::OldThreshold, old_threshold::OldThreshold;
        /// What is outstanding and what the acknowledgement may release (RFC 4015, section 3.2).
        Rfc4015 = "rfc4015" => rfc4015::Rfc4015, rfc4015::Rfc4015;
        /// Restored in full, unless the next acknowledgement is a duplicate (wen2010, V.B).
        Wen2010Simple = "wen2010-simple"
            => wen2010_simple::Wen2010Simple, wen2010_simple::Wen2010Simple;
    }
}

impl ResponseMechanism {
    /// The response's name in variant files.
    pub(crate) const fn name(&self) -> &'static str {
        self.choice().name()
    }
}
