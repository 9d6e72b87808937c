//! The old window as threshold, without restoring the window: gurtov2003, section III.B, one of the "different other options".

use crate::sender::View;

use super::{Moment, SpuriousResponse, Windows};

/// The threshold is what the window was, and the window one segment: slow start up to the old window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OldThreshold;

impl SpuriousResponse for OldThreshold {
    fn respond(&self, view: &View, moment: &Moment) -> Windows {
        Windows {
            cwnd: view.stream.smss,
            ssthresh: moment.before.cwnd,
        }
    }
}
