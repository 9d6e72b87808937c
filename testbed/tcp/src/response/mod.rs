//! Responses: what the congestion state becomes once a timeout proved spurious. All of them go on with
//! new data.

pub(crate) mod eifel_1;
pub(crate) mod eifel_2;
pub(crate) mod eifel_3;
pub(crate) mod eifel_4;
pub(crate) mod frto_conservative;
pub(crate) mod frto_dsack;
pub(crate) mod none;
pub(crate) mod old_threshold;
pub(crate) mod rfc4015;
pub(crate) mod wen2010_simple;

use crate::congestion::halved;
use crate::registry::mechanisms;
use crate::sender::View;

mechanisms! {
    $
    /// What a sender does to its congestion state once a timeout proved spurious.
    Response as ResponseMechanism(), dispatch_response {
        /// Nothing; the variant detects nothing either.
        None = "none" => none::NoResponse, none::NoResponse;
        /// Congestion window and threshold become half of what was outstanding (sarolahti2003, section 3).
        FrtoConservative = "frto-conservative"
            => frto_conservative::FrtoConservative, frto_conservative::FrtoConservative;
        /// The same, until a report of a duplicate takes it back (sarolahti2003, section 3).
        FrtoDsack = "frto-dsack" => frto_dsack::FrtoDsack, frto_dsack::FrtoDsack;
        /// Congestion window and threshold are restored in full (gurtov2003, III.B, option 1).
        Eifel1 = "eifel-1" => eifel_1::Eifel1, eifel_1::Eifel1;
        /// Half the old window, and congestion avoidance (gurtov2003, III.B, option 2).
        Eifel2 = "eifel-2" => eifel_2::Eifel2, eifel_2::Eifel2;
        /// Half the old window as threshold, and one segment (gurtov2003, III.B, option 3).
        Eifel3 = "eifel-3" => eifel_3::Eifel3, eifel_3::Eifel3;
        /// The old window, and congestion avoidance (gurtov2003, III.B, option 4).
        Eifel4 = "eifel-4" => eifel_4::Eifel4, eifel_4::Eifel4;
        /// The old window as threshold, and one segment (gurtov2003, III.B).
        OldThreshold = "old-threshold" => old_threshold::OldThreshold, old_threshold::OldThreshold;
        /// What is outstanding and what the acknowledgement may release (RFC 4015, section 3.2).
        Rfc4015 = "rfc4015" => rfc4015::Rfc4015, rfc4015::Rfc4015;
        /// Restored in full, unless the next acknowledgement is a duplicate (wen2010, V.B).
        Wen2010Simple = "wen2010-simple"
            => wen2010_simple::Wen2010Simple, wen2010_simple::Wen2010Simple;
    }
}

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
pub(crate) trait SpuriousResponse {
    /// The windows to go on with.
    fn respond(&self, view: &View<'_>, moment: &Moment) -> Windows;

    /// Whether these windows take back what the timeout reduced.
    fn restores(&self, _: &Moment) -> bool {
        false
    }

    /// What acknowledgements that follow may change.
    fn follow_up(&self) -> FollowUp {
        FollowUp::None
    }
}

impl ResponseMechanism {
    pub(crate) fn respond(&self, view: &View<'_>, moment: &Moment) -> Windows {
        dispatch_response!(self, mechanism => mechanism.respond(view, moment))
    }

    pub(crate) fn restores(&self, moment: &Moment) -> bool {
        dispatch_response!(self, mechanism => mechanism.restores(moment))
    }

    pub(crate) fn follow_up(&self) -> FollowUp {
        dispatch_response!(self, mechanism => mechanism.follow_up())
    }

    /// The response's name in variant files.
    pub(crate) const fn name(&self) -> &'static str {
        self.choice().name()
    }
}
