//! What a receiver tells its peer of congestion marks: RFC 3168, section 6.1.3.
//!
//! ```text
//!            marked data                           marked data
//!   Silent ---------------> Echoing     CWR, and the segment itself not marked
//!      ^                       |
//!      +-----------------------+
//! ```

use windlull_units::Ecn;
use windlull_wire::{Flags, Segment};

/// Whether acknowledgements carry ECN-Echo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Marks {
    /// No mark, or the peer has answered it.
    #[default]
    Silent,
    /// A mark that the peer has not answered yet.
    Echoing,
}

/// Which marks acknowledgements echo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EchoRule {
    /// One until it is answered (RFC 3168).
    UntilAnswered,
    /// Each, and no other: `DCTCP.CE` is that of the last data (RFC 8257, section 3.2).
    Each,
}

impl Marks {
    /// Data arrived where each mark is echoed; whether the codepoint has changed. What still waits for an acknowledgement had the
    /// other one, and is acknowledged first (RFC 8257, section 3.2: two acknowledgements, as Linux sends).
    pub(crate) fn on_data_of_each(&mut self, segment: &Segment) -> bool {
        let new = if segment.ecn == Ecn::Ce {
            Self::Echoing
        } else {
            Self::Silent
        };
        std::mem::replace(self, new) != new
    }

    /// Data arrived inside the window; what lies outside may be forged, and its mark is left alone (section 6.1.5).
    pub(crate) fn on_data(&mut self, segment: &Segment) {
        if segment.flags.has(Flags::CWR) {
            *self = Self::Silent;
        }
        if segment.ecn == Ecn::Ce {
            *self = Self::Echoing;
        }
    }
}
