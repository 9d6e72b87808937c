//! The simple response of wen2010, section V.B: windows restored in full and new data first, as with Eifel; but if the next
//! acknowledgement is a duplicate, segments sent before the timeout are lost, and the sender goes back to them.

use crate::sender::View;

use super::{FollowUp, Moment, SpuriousResponse, Windows};

/// Restores, and looks at one more acknowledgement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wen2010Simple;

impl SpuriousResponse for Wen2010Simple {
    fn respond(&self, _: &View, moment: &Moment) -> Windows {
        moment.before
    }

    fn restores(&self, _: &Moment) -> bool {
        true
    }

    fn follow_up(&self) -> FollowUp {
        FollowUp::GoBackIfDuplicate {
            rule: "wen2010 V.B: the next ACK is a duplicate, send what is outstanding again",
        }
    }
}
