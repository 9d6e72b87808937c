//! Eifel detection: RFC 3522, for timeouts.
//!
//! Conventional recovery runs meanwhile. The first acceptable acknowledgement decides, before it can release another
//! retransmission: an echo older than the first retransmission's timestamp was caused by the original.
//!
//! ```text
//!          timer (1), (2)              acceptable ACK (3): echo older (4), not excluded (5) -> spurious (6)
//!   Idle -----------------> Listening -----------------------------------------------------------------> Idle
//!                            |     ^                   else -> genuine or undecided
//!                            +-----+ timer again: the stored timestamp stays
//! ```

use windlull_wire::DetectorAnswer;

use crate::sender::{Ack, View};
use crate::serial::stamps_after;

use super::{Detector, Expiry, Finding, Stance, Step};

/// Whether it listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Eifel {
    Idle,
    /// With RFC 3522's `RetransmitTS`.
    Listening {
        stamp: u32,
    },
}

impl Eifel {
    pub(crate) const fn new() -> Self {
        Self::Idle
    }
}

/// Linux, `tcp_packet_delayed`: step 4 alone. An older echo undoes the timeout also where acknowledgements alone were lost.
pub(super) fn judge_as_linux(stamp: u32, ack: &Ack) -> Step<Finding> {
    match ack.echo {
        Some(echo) if stamps_after(stamp, echo) > 0 => Step::by(
            "Linux, tcp_packet_delayed: the ACK echoes a segment older than the retransmission, the timeout is undone",
            Finding::Spurious,
        ),
        _ => Step::by(
            "Linux, tcp_packet_delayed: the ACK echoes nothing older than the retransmission",
            Finding::GoOn {
                answer: DetectorAnswer::Genuine,
            },
        ),
    }
}

/// Steps 4 to 6, for the first acceptable acknowledgement.
fn judge(stamp: u32, view: &View, ack: &Ack) -> Step<Finding> {
    let answer = |answer| Finding::GoOn { answer };
    let Some(echo) = ack.echo else {
        return Step::by(
            "RFC 3522 step 4: the ACK carries no timestamp",
            answer(DetectorAnswer::Undecided),
        );
    };
    if stamps_after(stamp, echo) <= 0 {
        return Step::by(
            "RFC 3522 step 4: the ACK echoes the retransmission",
            answer(DetectorAnswer::Genuine),
        );
    }
    if ack.dsack {
        return Step::by(
            "RFC 3522 step 5: the ACK reports a duplicate, only ACKs were lost",
            answer(DetectorAnswer::Genuine),
        );
    }
    // A peer that reports duplicates would have reported this one.
    if !view.dsack_seen && !view.stream.is_outstanding() {
        return Step::by(
            "RFC 3522 step 5: the ACK covers all, perhaps only ACKs were lost",
            answer(DetectorAnswer::Undecided),
        );
    }
    Step::by(
        "RFC 3522 step 6: the ACK echoes a segment older than the retransmission, the timeout was spurious",
        Finding::Spurious,
    )
}

impl Detector for Eifel {
    fn on_timeout(&mut self, view: &View, expiry: &Expiry) -> Step<Stance> {
        // gurtov2003, II.B: the timestamp of the *first* retransmission is what counts.
        if !(expiry.repeated && self.is_asking()) {
            *self = Self::Listening {
                stamp: view.clock.stamp(expiry.now),
            };
        }
        Step::by(
            "RFC 3522 step 2: timeout, store the retransmission's timestamp",
            Stance::GoBack,
        )
    }

    fn on_ack(&mut self, view: &View, ack: &Ack) -> Step<Finding> {
        match *self {
            Self::Listening { stamp } if ack.advanced > 0 => {
                *self = Self::Idle;
                judge(stamp, view, ack)
            }
            _ => Step::silent(Finding::Nothing),
        }
    }

    fn is_asking(&self) -> bool {
        *self != Self::Idle
    }

    fn reads_sack(&self) -> bool {
        false
    }
}
