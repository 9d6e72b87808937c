//! No restoration: gurtov2003, III.B, option 3.

use crate::sender::View;

use super::{Moment, SpuriousResponse, Windows};

/// The threshold is half of what the window was, and the window one segment, as after any timeout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Eifel3;

impl SpuriousResponse for Eifel3 {
    fn respond(&self, view: &View, moment: &Moment) -> Windows {
        Windows {
            cwnd: view.stream.smss,
            ssthresh: moment.threshold_not_restored(view.stream.smss),
        }
    }
}
