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

use crate::cut::{Cut, Heard};
use crate::ranges::Range;
use crate::sender::{Ack, View};

use super::{Detector, Expiry, Finding, Shape, Stance, Step};

/// What covers the whole segment was caused by the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Snr(Cut);

impl Snr {
    pub(crate) const fn new() -> Self {
        Self(Cut::Idle)
    }
}

impl Detector for Snr {
    fn on_timeout(&mut self, _: &View, _: &Expiry) -> Step<Stance> {
        self.0.begin();
        Step::by("SnR: timeout, retransmit the segment in two halves", Stance::GoBack)
    }

    fn on_resent(&mut self, sent: Range, whole: Range) {
        self.0.on_resent(sent, whole, whole.right);
    }

    fn on_ack(&mut self, view: &View, ack: &Ack) -> Step<Finding> {
        match self.0.on_ack(view, ack) {
            None => Step::silent(Finding::Nothing),
            Some(Heard::Original) => Step::by(
                "SnR: first ACK covers the whole segment, the original arrived, the timeout was spurious",
                Finding::Spurious,
            ),
            Some(Heard::Retransmission) => Step::by(
                "SnR: first ACK covers a part of the segment, the retransmission was needed",
                Finding::GoOn {
                    answer: DetectorAnswer::Genuine,
                },
            ),
            Some(Heard::Uncut) => Step::by(
                "SnR: one octet could not be split, cannot tell",
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
        Shape::Halves
    }
}
