//! Split and retransmit: wen2010, section III. The segment that timed out is sent again in two halves; the acknowledgement of
//! the first half alone can only come from the retransmission, that of all of it from the original.
//!
//! ```text
//!          timer: split             first advance: the whole segment -> spurious; a part -> genuine
//!   Idle --------------> Listening ---------------------------------------------------------------> Idle
//!                         |     ^
//!                         +-----+ timer again; duplicates say nothing (section V.A)
//! ```

use windlull_wire::DetectorAnswer;

use crate::ranges::Range;
use crate::sender::{Ack, View};

use super::{Detector, Expiry, Finding, Shape, Stance, Step};

/// Whether it listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Snr {
    Idle,
    /// The halves are about to leave.
    Splitting,
    Listening {
        /// Where the segment ends.
        end: u64,
    },
    /// A segment of one octet cannot be split.
    Whole,
}

impl Snr {
    pub(crate) const fn new() -> Self {
        Self::Idle
    }
}

impl Detector for Snr {
    fn on_timeout(&mut self, _: &View<'_>, _: &Expiry) -> Step<Stance> {
        *self = Self::Splitting;
        Step::by("SnR: timeout, retransmit the segment in two halves", Stance::GoBack)
    }

    fn on_resent(&mut self, sent: Range, whole: Range) {
        if *self == Self::Splitting {
            *self = if sent.right < whole.right {
                Self::Listening { end: whole.right }
            } else {
                Self::Whole
            };
        }
    }

    fn on_ack(&mut self, view: &View<'_>, ack: &Ack) -> Step<Finding> {
        if ack.advanced == 0 {
            return Step::silent(Finding::Nothing);
        }
        let state = std::mem::replace(self, Self::Idle);
        match state {
            Self::Listening { end } if view.stream.una >= end => Step::by(
                "SnR: first ACK covers the whole segment, the original arrived, the timeout was spurious",
                Finding::Spurious,
            ),
            Self::Listening { .. } => Step::by(
                "SnR: first ACK covers a part of the segment, the retransmission was needed",
                Finding::GoOn {
                    answer: DetectorAnswer::Genuine,
                },
            ),
            Self::Idle | Self::Splitting | Self::Whole => Step::by(
                "SnR: one octet could not be split, cannot tell",
                Finding::GoOn {
                    answer: DetectorAnswer::Undecided,
                },
            ),
        }
    }

    fn is_asking(&self) -> bool {
        *self != Self::Idle
    }

    fn reads_sack(&self) -> bool {
        false
    }

    fn shape(&self) -> Shape {
        Shape::Halves
    }
}
