//! Restoration of the window, without slow start: gurtov2003, III.B, option 4.

use crate::sender::View;

use super::{Moment, SpuriousResponse, Windows};

/// The window is what it was, and so is the threshold: congestion avoidance from there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Eifel4;

impl SpuriousResponse for Eifel4 {
    fn respond(&self, _: &View, moment: &Moment) -> Windows {
        Windows {
            cwnd: moment.before.cwnd,
            ssthresh: moment.before.cwnd,
        }
    }

    fn restores(&self, _: &Moment) -> bool {
        true
    }
}
