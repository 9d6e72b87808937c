//! What was sent again, and what of it the peer has reported as received twice: RFC 3708, section 3. Once it has reported all,
//! nothing had been lost.

use crate::ranges::{Range, RangeSet};

/// The octets sent again since a loss was taken for one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resent {
    octets: RangeSet,
    reported: RangeSet,
    twice: bool,
}

impl Resent {
    pub(crate) fn on_sent_again(&mut self, octets: Range) {
        self.twice |= self.octets.insert(octets).added < octets.len();
    }

    /// The peer has received these octets twice; tells whether they were sent again. If not, the network duplicates.
    pub(crate) fn on_report(&mut self, report: Range) -> bool {
        let was_sent_again = self.octets.covered(report) == report.len();
        if was_sent_again {
            self.reported.insert(report);
        }
        was_sent_again
    }

    /// Whether all that was sent again is reported.
    pub(crate) fn is_all_reported(&self) -> bool {
        self.reported.octets() == self.octets.octets()
    }

    /// Whether something was sent again more than once: one report of it does not tell which arrived.
    pub(crate) const fn was_anything_sent_twice(&self) -> bool {
        self.twice
    }

    /// The last octets of the stream that were sent again.
    pub(crate) fn last(&self) -> Option<Range> {
        self.octets.last()
    }
}
