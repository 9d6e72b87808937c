//! The conservative response of sarolahti2003, section 3, step 3a: one halving, as after a fast retransmit, and congestion
//! avoidance from there.

use crate::sender::View;

use super::{Moment, SpuriousResponse, Windows};

/// Window and threshold are half of what was outstanding at the timeout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrtoConservative;

impl SpuriousResponse for FrtoConservative {
    fn respond(&self, view: &View, _: &Moment) -> Windows {
        Windows {
            cwnd: view.congestion.ssthresh,
            ssthresh: view.congestion.ssthresh,
        }
    }
}
