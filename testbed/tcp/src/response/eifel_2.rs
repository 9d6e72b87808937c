//! Partial restoration: gurtov2003, III.B, option 2.

use crate::sender::View;

use super::{Moment, SpuriousResponse, Windows};

/// The threshold is half of what the window was, and the window starts from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Eifel2;

impl SpuriousResponse for Eifel2 {
    fn respond(&self, view: &View, moment: &Moment) -> Windows {
        let threshold = moment.threshold_not_restored(view.stream.smss);
        Windows {
            cwnd: threshold,
            ssthresh: threshold,
        }
    }
}
