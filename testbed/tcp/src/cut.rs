//! A retransmission that is shorter than its original: what split-and-retransmit and STODER (wen2010, sections II.C, III)
//! have in common. The first acknowledgement that advances tells by its place which of the two caused it.
//!
//! ```text
//!          timer: cut             first advance: the original's place or not
//!   Idle -------------> Listening -----------------------------------------> Idle
//!                        |     ^
//!                        +-----+ timer again; duplicates say nothing
//! ```

use crate::ranges::Range;
use crate::sender::{Ack, View};

/// Whether it listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Idle,
    /// The retransmission is about to leave.
    Cutting,
    Listening {
        /// What acknowledges so much was caused by the original.
        original_from: u64,
    },
    /// A segment of one octet cannot be cut.
    Whole,
}

/// What the first acknowledgement that advances tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    Original,
    Retransmission,
    /// Nothing: it was sent again as it was.
    Uncut,
}

impl Cut {
    pub(crate) const fn begin(&mut self) {
        *self = Self::Cutting;
    }

    /// Octets are sent again; if these are the cut ones, `original_from` and more can only come of the original.
    pub(crate) fn on_resent(&mut self, sent: Range, whole: Range, original_from: u64) {
        if *self == Self::Cutting {
            *self = if sent.right < whole.right {
                Self::Listening { original_from }
            } else {
                Self::Whole
            };
        }
    }

    /// `None` of a duplicate: it goes on listening.
    pub(crate) fn on_ack(&mut self, view: &View, ack: &Ack) -> Option<Heard> {
        if ack.advanced == 0 {
            return None;
        }
        Some(match std::mem::replace(self, Self::Idle) {
            Self::Listening { original_from } if view.stream.una >= original_from => Heard::Original,
            Self::Listening { .. } => Heard::Retransmission,
            Self::Idle | Self::Cutting | Self::Whole => Heard::Uncut,
        })
    }

    pub(crate) fn is_asking(self) -> bool {
        self != Self::Idle
    }
}
