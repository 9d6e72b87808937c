//! What a response to a spurious timeout goes by, and what it says.

use ambassador::delegatable_trait;

use crate::congestion::halved;
use crate::sender::View;

/// A window and a threshold, in octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Windows {
    pub(crate) cwnd: u64,
    pub(crate) ssthresh: u64,
}

/// What a response may go by, beside the sender as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// The windows when the timer first fired.
    pub(crate) before: Windows,
    /// Octets outstanding then.
    pub(crate) flight_before: u64,
    /// The threshold that repeated timeouts have left, where each halves it.
    pub(crate) halved_again: Option<u64>,
    /// Octets that the acknowledgement at hand newly acknowledged.
    pub(crate) acknowledged: u64,
    /// Whether a mark was echoed since the timeout that was not answered before it (RFC 3168).
    pub(crate) marked: bool,
    /// The initial window, in octets.
    pub(crate) initial_window: u64,
}

impl Moment {
    /// The threshold of a response that does not restore it (gurtov2003, III.B, options 2 and 3): half of what the window was
    /// when the last timeout came. That is the first one, unless each further one halves what the one before has left.
    pub(crate) fn threshold_not_restored(&self, smss: u64) -> u64 {
        self.halved_again.unwrap_or_else(|| halved(self.before.cwnd, smss))
    }
}

/// What a response makes of acknowledgements that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FollowUp {
    /// Nothing of its own.
    None,
    /// If the next that says something is a duplicate, the sender goes back N; the rule is for people.
    GoBackIfDuplicate { rule: &'static str },
    /// Once one reports the segment that timed out as received twice, the windows of before come back, unless a loss came first.
    RestoreIfReported { rule: &'static str },
}

/// One way to answer a spurious timeout.
#[delegatable_trait]
pub(crate) trait SpuriousResponse {
    /// The windows to go on with.
    fn respond(&self, view: &View, moment: &Moment) -> Windows;

    /// Whether these windows take back what the timeout reduced.
    fn restores(&self, _moment: &Moment) -> bool {
        false
    }

    /// What acknowledgements that follow may change.
    fn follow_up(&self) -> FollowUp {
        FollowUp::None
    }
}
