//! AdMINRTO: psaras2007, section 3. A receiver that delays acknowledgements answers every second segment at once. The minimum
//! protects the others: the last segment of a train, as long as an odd number of segments is unpaired (`set_odd`).
//!
//! ```text
//!                          D odd (3): state 2, set_odd
//!   noMINRTO (state 1) -----------------------------------> extended MINRTO (state 2)
//!     |  ^  D even (2)                                        |  ^  D even (4): the last segment of each train
//!     +--+           <-----------------------------------     +--+
//!             D odd again (5), or the delayed ACK arrives (`next_ack_expected`)
//! ```
//!
//! `D` of the paper's equation 4 is the number of segments that left back to back. Step 1: the first packet of slow start has
//! the minimum in any case. In fast recovery all have it; afterwards step 6 begins with what `D` is then.

use std::collections::VecDeque;

use crate::ranges::Range;

use super::{MinimumRto, Train};

/// A segment whose acknowledgement may be delayed.
#[derive(Clone, Copy, Debug)]
struct Extended {
    segment: Range,
    /// It is the unpaired one at the end of a train: an acknowledgement of it alone was delayed (`next_ack_expected`).
    unpaired: bool,
}

/// The mechanism's state.
#[derive(Clone, Debug)]
pub(crate) struct Adaptive {
    set_odd: bool,
    /// Step 1 waits for its packet.
    starting: bool,
    recovering: bool,
    /// In the order of the stream.
    extended: VecDeque<Extended>,
}

impl Adaptive {
    pub(crate) const fn new() -> Self {
        Self {
            set_odd: false,
            starting: true,
            recovering: false,
            extended: VecDeque::new(),
        }
    }

    fn extend(&mut self, segment: Range, unpaired: bool) {
        match self.extended.back_mut() {
            Some(last) if last.segment == segment => last.unpaired |= unpaired,
            _ => self.extended.push_back(Extended { segment, unpaired }),
        }
    }

    fn forget(&mut self) {
        self.set_odd = false;
        self.extended.clear();
    }
}

impl MinimumRto for Adaptive {
    fn on_train(&mut self, train: &Train, recovering: bool) {
        self.recovering = recovering;
        if recovering {
            self.forget();
            return;
        }
        // Step 1.
        if std::mem::take(&mut self.starting) {
            self.extend(train.first, false);
        }
        // Steps 3 and 5; with an even D, steps 2 and 4, the state stays.
        if train.segments % 2 == 1 {
            self.set_odd = !self.set_odd;
        }
        if self.set_odd {
            self.extend(train.last, true);
        }
    }

    fn on_acknowledged(&mut self, una: u64) {
        while let Some(first) = self.extended.front().filter(|first| first.segment.right <= una) {
            // The delayed ACK itself: as if D had become odd.
            if first.unpaired && first.segment.right == una {
                self.set_odd = !self.set_odd;
            }
            self.extended.pop_front();
        }
    }

    fn on_slow_start(&mut self) {
        self.forget();
        self.starting = true;
        self.recovering = false;
    }

    fn applies(&self, una: u64) -> bool {
        // What ends at or below `una` was let go when that was acknowledged.
        self.recovering || self.extended.front().is_some_and(|first| first.segment.left <= una)
    }
}
