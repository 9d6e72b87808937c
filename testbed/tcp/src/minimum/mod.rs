//! The lower bound of the retransmission timeout: for which segments it is.

pub(crate) mod adaptive;
pub(crate) mod fixed;
mod interface;

use crate::registry::mechanisms;
pub(crate) use interface::*;

mechanisms! {
    /// Which segments' timeouts have the minimum.
    Minimum as MinimumMechanism: MinimumRto() {
        /// All (RFC 6298, 2.4).
        Fixed = "fixed" as "All" => fixed::Fixed, fixed::Fixed;
        /// Those whose acknowledgement the receiver may delay (psaras2007, section 3).
        Adaptive = "adaptive" as "Those acknowledged late" => adaptive::Adaptive, adaptive::Adaptive::new();
    }
}
