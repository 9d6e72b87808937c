//! Detection by the shortest round trip: gurtov2003, section II.C. Conventional recovery runs meanwhile; an acknowledgement that
//! comes sooner after the retransmission than any round trip took was on its way already, and the original has caused it.
//!
//! The paper's "next ACK" is the next that advances here: a duplicate tells of another segment. Both times are of the clock that
//! measures round trips.
//!
//! ```text
//!          timer                  ACK that advances: sooner than the shortest round trip -> spurious
//!   Idle ---------> Listening ---------------------------------------------------------------------> Idle
//!                     |   ^                          later -> genuine; none was measured -> undecided
//!                     +---+ timer again: the time counts from the last retransmission
//! ```

use windlull_units::{Span, Time};
use windlull_wire::DetectorAnswer;

use crate::sender::{Ack, View};

use super::{Detector, Expiry, Finding, Stance, Step};

/// Whether it listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MinRtt {
    Idle,
    Listening {
        /// When the retransmission left.
        since: Time,
        /// The shortest round trip that was measured before.
        shortest: Option<Span>,
    },
}

impl MinRtt {
    pub(crate) const fn new() -> Self {
        Self::Idle
    }
}

impl Detector for MinRtt {
    fn on_timeout(&mut self, view: &View, expiry: &Expiry) -> Step<Stance> {
        *self = Self::Listening {
            since: expiry.now,
            shortest: view.timer.shortest(),
        };
        Step::by("gurtov2003 II.C: timeout, time the next ACK", Stance::GoBack)
    }

    fn on_ack(&mut self, view: &View, ack: &Ack) -> Step<Finding> {
        let Self::Listening { since, shortest } = *self else {
            return Step::silent(Finding::Nothing);
        };
        if ack.advanced == 0 {
            return Step::silent(Finding::Nothing);
        }
        *self = Self::Idle;
        match shortest {
            None => Step::by(
                "gurtov2003 II.C: no round trip was measured, cannot tell",
                Finding::GoOn {
                    answer: DetectorAnswer::Undecided,
                },
            ),
            Some(shortest) if view.timer.ticks_between(since, ack.now) < shortest => Step::by(
                "gurtov2003 II.C: the ACK comes sooner than the shortest round trip, the timeout was spurious",
                Finding::Spurious,
            ),
            Some(_) => Step::by(
                "gurtov2003 II.C: the ACK comes no sooner than the shortest round trip",
                Finding::GoOn {
                    answer: DetectorAnswer::Genuine,
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
}
