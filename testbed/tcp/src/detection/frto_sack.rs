//! Forward RTO-recovery with selective acknowledgements: RFC 5682, section 3.1.
//!
//! The scoreboard is not cleared at the timeout (the sender tests for reneging instead), so that "acknowledged earlier"
//! in step 3 has its plain meaning.
//!
//! ```text
//!            timer, not yet recovering (1)             new ACK below the recovery point (2b)
//!   Idle ----------------------------> AwaitingAdvance -----------------------------> Judging
//!    ^                                  |  ^      |                                     |
//!    |                                  |  +------+ duplicate, or timer again           |
//!    +--- whole window (2a), nothing new+                                               |
//!    +-- beyond the point, or nothing older (3a): genuine; else (3b): spurious ---------+
//! ```

use windlull_wire::DetectorAnswer;

use crate::sender::{Ack, Mode, View};

use super::{Detector, Expiry, Finding, Stance, Step};

/// Step 2b: new segments that the first advance releases.
const PROBES: u32 = 2;

/// Which acknowledgement it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrtoSack {
    Idle,
    /// Step 2.
    AwaitingAdvance,
    /// Step 3: `point` is what had been sent when step 2 was left.
    Judging {
        point: u64,
    },
}

impl FrtoSack {
    pub(crate) const fn new() -> Self {
        Self::Idle
    }

    fn on_advance(&mut self, view: &View<'_>) -> Step<Finding> {
        let undecided = Finding::GoBack {
            segments: 1,
            answer: DetectorAnswer::Undecided,
        };
        *self = Self::Idle;
        if !view.stream.is_outstanding() {
            return Step::by(
                "F-RTO-SACK 2a: first new ACK covers the recovery point, cannot tell, slow start",
                undecided,
            );
        }
        let segments = view.stream.count_unsent(PROBES);
        if segments == 0 {
            return Step::by(
                "F-RTO-SACK 2b: first new ACK, but nothing new can be sent, go back N",
                undecided,
            );
        }
        *self = Self::Judging { point: view.stream.max };
        Step::by(
            "F-RTO-SACK 2b: first new ACK, send up to two new segments",
            Finding::Probe { segments },
        )
    }

    fn judge(&mut self, point: u64, view: &View<'_>, ack: &Ack) -> Step<Finding> {
        *self = Self::Idle;
        let genuine = Finding::GoBack {
            segments: 3,
            answer: DetectorAnswer::Genuine,
        };
        let covered = view.scoreboard.highest().unwrap_or(0).max(view.stream.una);
        if covered > point {
            return Step::by(
                "F-RTO-SACK 3a: ACK covers data sent after the timeout, go back N",
                genuine,
            );
        }
        if ack.advanced == 0 && ack.sacked == 0 {
            return Step::by("F-RTO-SACK 3a: duplicate without news, go back N", genuine);
        }
        Step::by(
            "F-RTO-SACK 3b: ACK covers data sent before the timeout, it was spurious",
            Finding::Spurious,
        )
    }
}

impl Detector for FrtoSack {
    fn on_timeout(&mut self, view: &View<'_>, _: &Expiry) -> Step<Stance> {
        let recovering = match view.mode {
            Mode::FastRecovery | Mode::GoingBack { .. } => true,
            // Step 2 may be repeated; in step 3 the recovery point is set.
            Mode::Detecting { .. } => matches!(self, Self::Judging { .. }),
            Mode::Open => false,
        };
        if recovering {
            *self = Self::Idle;
            return Step::by(
                "F-RTO-SACK 1: timeout during recovery, conventional recovery",
                Stance::GoBack,
            );
        }
        *self = Self::AwaitingAdvance;
        Step::by(
            "F-RTO-SACK 1: timeout, retransmit the first segment and wait for a new ACK",
            Stance::Hold,
        )
    }

    fn on_ack(&mut self, view: &View<'_>, ack: &Ack) -> Step<Finding> {
        let applies = ack.advanced > 0 || ack.duplicate || ack.sacked > 0;
        match *self {
            Self::AwaitingAdvance if ack.advanced > 0 => self.on_advance(view),
            Self::Judging { point } if applies => self.judge(point, view, ack),
            _ => Step::silent(Finding::Nothing),
        }
    }

    fn is_asking(&self) -> bool {
        !matches!(self, Self::Idle)
    }

    fn reads_sack(&self) -> bool {
        true
    }
}
