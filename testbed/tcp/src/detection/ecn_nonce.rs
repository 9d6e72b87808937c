//! Detection by the nonces of congestion notification: wen2010, II.B (Welzl, Using the ECN nonce to detect spurious loss events in
//! TCP, 2008). Originals carry a nonce of one, retransmissions of zero. The receiver does not report nonces but their sum
//! (RFC 3540), hence the sender counts: by how much the sum moves with an acknowledgement tells whether the original was in it.
//!
//! ```text
//!          timer               first advance: the sum moved as with the original -> spurious; without it -> genuine
//!   Idle ---------> Listening -----------------------------------------------------------------------> Idle
//!                    |     ^                                     marked, repeated or cut -> undecided
//!                    +-----+ timer again; duplicates say nothing
//! ```

use std::collections::VecDeque;

use windlull_wire::DetectorAnswer;

use crate::ranges::{Range, RangeSet};
use crate::sender::{Ack, View};

use super::{Detector, Expiry, Finding, Stance, Step};

/// A segment as it was first sent.
#[derive(Clone, Copy, Debug)]
struct Original {
    octets: Range,
    nonce: bool,
}

/// What an acknowledgement that advances covers.
#[derive(Clone, Copy, Debug)]
struct Covered {
    /// The first segment.
    first: Original,
    /// The sum of the originals' nonces.
    sum: bool,
    /// Whether it ends inside a segment.
    cuts: bool,
    /// Whether more than the first segment had been sent again.
    repeats: bool,
}

/// Whether it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stand {
    Idle,
    /// For the first acknowledgement that advances.
    Listening {
        /// Whether the segment had been sent again before the timeout: that copy has a nonce of zero, too.
        repeated_before: bool,
    },
}

/// What was sent, and what the receiver says of it.
#[derive(Clone, Debug)]
pub(crate) struct EcnNonce {
    originals: VecDeque<Original>,
    /// Octets sent again and not acknowledged.
    again: RangeSet,
    /// The sum last reported.
    reported: bool,
    /// Whether any report was odd: a peer that knows no nonces has only even ones.
    reports: bool,
    stand: Stand,
    /// By how much the acknowledgement at hand moves the sum, if it covers anything.
    latest: Option<(Covered, bool)>,
}

impl EcnNonce {
    pub(crate) const fn new() -> Self {
        Self {
            originals: VecDeque::new(),
            again: RangeSet::new(),
            reported: true,
            reports: false,
            stand: Stand::Idle,
            latest: None,
        }
    }

    /// Takes what lies below `una` out of the log.
    fn cover(&mut self, una: u64) -> Option<Covered> {
        let first = *self.originals.front()?;
        let mut sum = false;
        while let Some(original) = self.originals.front().filter(|original| original.octets.right <= una) {
            sum ^= original.nonce;
            self.originals.pop_front();
        }
        let sent_again = self.again.covered(Range::new(first.octets.left, una));
        let covered = Covered {
            first,
            sum,
            cuts: self.originals.front().is_some_and(|next| next.octets.left < una),
            repeats: sent_again != self.again.covered(first.octets),
        };
        self.again.remove_below(una);
        Some(covered)
    }
}

/// What the sum says: it moved by `moved`.
fn judge(covered: &Covered, moved: bool, repeated_before: bool) -> Step<Finding> {
    let answer = |answer| Finding::GoOn { answer };
    if covered.cuts || covered.repeats || !covered.first.nonce {
        return Step::by(
            "ECN nonce: the first ACK covers more that was sent again, or a part of a segment, cannot tell",
            answer(DetectorAnswer::Undecided),
        );
    }
    if moved == covered.sum {
        Step::by(
            "ECN nonce: the sum on the first ACK has the original's nonce, the timeout was spurious",
            Finding::Spurious,
        )
    } else if repeated_before {
        Step::by(
            "ECN nonce: the segment had been sent again before the timeout, cannot tell which of the two arrived",
            answer(DetectorAnswer::Undecided),
        )
    } else {
        Step::by(
            "ECN nonce: the sum on the first ACK lacks the original's nonce, the retransmission was needed",
            answer(DetectorAnswer::Genuine),
        )
    }
}

impl Detector for EcnNonce {
    fn on_timeout(&mut self, _: &View, expiry: &Expiry) -> Step<Stance> {
        if !(expiry.repeated && self.is_asking()) {
            let first = self.originals.front();
            let repeated_before = first.is_some_and(|first| self.again.covered(first.octets) > 0);
            self.stand = Stand::Listening { repeated_before };
        }
        Step::by(
            "ECN nonce: timeout, retransmit the first segment with a nonce of zero",
            Stance::GoBack,
        )
    }

    fn on_sent(&mut self, octets: Range, again: bool, nonce: bool) {
        if again {
            self.again.insert(octets);
        } else {
            self.originals.push_back(Original { octets, nonce });
        }
    }

    fn on_news(&mut self, view: &View, ack: &Ack) {
        let moved = ack.nonce_sum != self.reported;
        self.reported = ack.nonce_sum;
        self.reports |= ack.nonce_sum;
        self.latest = if ack.advanced > 0 {
            self.cover(view.stream.una).map(|covered| (covered, moved))
        } else {
            None
        };
    }

    fn on_ack(&mut self, _: &View, ack: &Ack) -> Step<Finding> {
        let Stand::Listening { repeated_before } = self.stand else {
            return Step::silent(Finding::Nothing);
        };
        if ack.advanced == 0 {
            return Step::silent(Finding::Nothing);
        }
        self.stand = Stand::Idle;
        let undecided = Finding::GoOn {
            answer: DetectorAnswer::Undecided,
        };
        if ack.marked {
            return Step::by("ECN nonce: a mark has erased a nonce, cannot tell", undecided);
        }
        match &self.latest {
            Some((covered, moved)) if self.reports => judge(covered, *moved, repeated_before),
            _ => Step::by("ECN nonce: the peer reports no sums, cannot tell", undecided),
        }
    }

    fn is_asking(&self) -> bool {
        self.stand != Stand::Idle
    }

    fn reads_sack(&self) -> bool {
        false
    }
}
