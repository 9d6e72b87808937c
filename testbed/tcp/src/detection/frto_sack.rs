//! Forward RTO-recovery with selective acknowledgements: RFC 5682, section 3.1.
//!
//! The scoreboard is not cleared at the timeout (the sender tests for reneging instead), so that "acknowledged earlier"
//! in step 3 has its plain meaning.
//!
//! A timeout below an earlier one's recovery point is answered conventionally (step 1), also where that one had proved spurious.
//!
//! ```text
//!            timer, beyond RecoveryPoint (1)           new ACK below the recovery point (2b)
//!   Idle ----------------------------> Advance ------------------------------------> News
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
enum Awaiting {
    Idle,
    /// Step 2.
    Advance,
    /// Step 3.
    News,
}

/// Where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrtoSack {
    awaiting: Awaiting,
    /// `RecoveryPoint`: what had been sent when step 2 was last left, or at a timeout below it.
    point: u64,
}

impl FrtoSack {
    pub(crate) const fn new() -> Self {
        Self {
            awaiting: Awaiting::Idle,
            point: 0,
        }
    }

    /// Something else has found the timeout spurious: what was sent until now is beyond its recovery point.
    pub(super) const fn decide(&mut self, view: &View) {
        self.awaiting = Awaiting::Idle;
        self.point = view.stream.max;
    }

    fn on_advance(&mut self, view: &View) -> Step<Finding> {
        let undecided = Finding::GoBack {
            segments: 1,
            answer: DetectorAnswer::Undecided,
        };
        self.awaiting = Awaiting::Idle;
        self.point = view.stream.max;
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
        self.awaiting = Awaiting::News;
        Step::by(
            "F-RTO-SACK 2b: first new ACK, send up to two new segments",
            Finding::Probe { segments },
        )
    }

    fn judge(&mut self, view: &View, ack: &Ack) -> Step<Finding> {
        self.awaiting = Awaiting::Idle;
        let genuine = Finding::GoBack {
            segments: 3,
            answer: DetectorAnswer::Genuine,
        };
        let covered = view.scoreboard.highest().unwrap_or(0).max(view.stream.una);
        if covered > self.point {
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
    fn on_timeout(&mut self, view: &View, _: &Expiry) -> Step<Stance> {
        // Step 2 may be repeated: the recovery point is set when it is left. Those of other recoveries (RFC 6675) count, too.
        let recovering = match view.mode {
            Mode::FastRecovery | Mode::GoingBack { .. } => true,
            Mode::Detecting { .. } | Mode::Open => self.point > view.stream.una,
        };
        if recovering {
            self.awaiting = Awaiting::Idle;
            self.point = view.stream.max;
            return Step::by(
                "F-RTO-SACK 1: timeout during recovery, conventional recovery",
                Stance::GoBack,
            );
        }
        self.awaiting = Awaiting::Advance;
        Step::by(
            "F-RTO-SACK 1: timeout, retransmit the first segment and wait for a new ACK",
            Stance::Hold,
        )
    }

    fn on_ack(&mut self, view: &View, ack: &Ack) -> Step<Finding> {
        let applies = ack.advanced > 0 || ack.duplicate || ack.sacked > 0;
        match self.awaiting {
            Awaiting::Advance if ack.advanced > 0 => self.on_advance(view),
            Awaiting::News if applies => self.judge(view, ack),
            _ => Step::silent(Finding::Nothing),
        }
    }

    fn is_asking(&self) -> bool {
        self.awaiting != Awaiting::Idle
    }

    fn reads_sack(&self) -> bool {
        true
    }
}
