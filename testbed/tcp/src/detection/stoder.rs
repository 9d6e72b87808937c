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

use crate::cut::{Cut, Heard};
use crate::ranges::Range;
use crate::sender::{Ack, View};

use super::{Detector, Expiry, Finding, Shape, Stance, Step};

/// The paper's `k`, octets by which the retransmission is shorter; it does not say how many. One suffices to tell.
const SHORTER_BY: u64 = 1;

/// What covers more than `s-ledge`, the end of the retransmission, was caused by the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stoder(Cut);

impl Stoder {
    pub(crate) const fn new() -> Self {
        Self(Cut::Idle)
    }
}

impl Detector for Stoder {
    fn on_timeout(&mut self, _: &View, _: &Expiry) -> Step<Stance> {
        self.0.begin();
        Step::by(
            "STODER: timeout, retransmit the segment one octet shorter",
            Stance::GoBack,
        )
    }

    fn on_resent(&mut self, sent: Range, whole: Range) {
        self.0.on_resent(sent, whole, sent.right + 1);
    }

    fn on_ack(&mut self, view: &View, ack: &Ack) -> Step<Finding> {
        match self.0.on_ack(view, ack) {
            None => Step::silent(Finding::Nothing),
            Some(Heard::Original) => Step::by(
                "STODER: first ACK covers more than was retransmitted, the original arrived, the timeout was spurious",
                Finding::Spurious,
            ),
            Some(Heard::Retransmission) => Step::by(
                "STODER: first ACK covers what was retransmitted and no more, the retransmission was needed",
                Finding::GoOn {
                    answer: DetectorAnswer::Genuine,
                },
            ),
            Some(Heard::Uncut) => Step::by(
                "STODER: one octet could not be shortened, cannot tell",
                Finding::GoOn {
                    answer: DetectorAnswer::Undecided,
                },
            ),
        }
    }

    fn is_asking(&self) -> bool {
        self.0.is_asking()
    }

    fn reads_sack(&self) -> bool {
        false
    }

    fn shape(&self) -> Shape {
        Shape::ShorterBy(SHORTER_BY)
    }
}
