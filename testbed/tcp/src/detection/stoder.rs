//! STODER: wen2010, section II.C. The segment that timed out is sent again a little shorter; what acknowledges more than that
//! (`s-ledge`) was caused by the original. Whatever else must be sent again follows from there, in segments of other bounds.
//!
//! ```text
//!          timer: shorten             first advance: beyond s-ledge -> spurious; else -> genuine
//!   Idle ----------------> Listening ----------------------------------------------------------> Idle
//!                           |     ^
//!                           +-----+ timer again; duplicates say nothing
//! ```

use windlull_wire::DetectorAnswer;

use crate::ranges::Range;
use crate::sender::{Ack, View};

use super::{Detector, Expiry, Finding, Shape, Stance, Step};

/// The paper's `k`, octets by which the retransmission is shorter; it does not say how many. One suffices to tell.
const SHORTER_BY: u64 = 1;

/// Whether it listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stoder {
    Idle,
    /// The retransmission is about to leave.
    Shortening,
    Listening {
        /// `s-ledge`: where the retransmission ends.
        ledge: u64,
    },
    /// A segment of one octet cannot be shortened.
    Whole,
}

impl Stoder {
    pub(crate) const fn new() -> Self {
        Self::Idle
    }
}

impl Detector for Stoder {
    fn on_timeout(&mut self, _: &View<'_>, _: &Expiry) -> Step<Stance> {
        *self = Self::Shortening;
        Step::by(
            "STODER: timeout, retransmit the segment one octet shorter",
            Stance::GoBack,
        )
    }

    fn on_resent(&mut self, sent: Range, whole: Range) {
        if *self == Self::Shortening {
            *self = if sent.right < whole.right {
                Self::Listening { ledge: sent.right }
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
            Self::Listening { ledge } if view.stream.una > ledge => Step::by(
                "STODER: first ACK covers more than was retransmitted, the original arrived, the timeout was spurious",
                Finding::Spurious,
            ),
            Self::Listening { .. } => Step::by(
                "STODER: first ACK covers what was retransmitted and no more, the retransmission was needed",
                Finding::GoOn {
                    answer: DetectorAnswer::Genuine,
                },
            ),
            Self::Idle | Self::Shortening | Self::Whole => Step::by(
                "STODER: one octet could not be shortened, cannot tell",
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
        Shape::ShorterBy(SHORTER_BY)
    }
}
