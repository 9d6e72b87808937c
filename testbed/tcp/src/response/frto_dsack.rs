//! The conservative response, taken back by a report of a duplicate: sarolahti2003, section 3. That the segment which timed out
//! arrived twice (RFC 2883) shows that nothing was lost, and that the window need not have become smaller.

use crate::sender::View;

use super::frto_conservative::FrtoConservative;
use super::{FollowUp, Moment, SpuriousResponse, Windows};

/// Half of what was outstanding, until the retransmission is reported as a duplicate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrtoDsack;

impl SpuriousResponse for FrtoDsack {
    fn respond(&self, view: &View, moment: &Moment) -> Windows {
        FrtoConservative.respond(view, moment)
    }

    fn follow_up(&self) -> FollowUp {
        FollowUp::RestoreIfReported {
            rule: "sarolahti2003, section 3: D-SACK reports the retransmission, the windows become what they were",
        }
    }
}
