//! No response: the windows stay what the timeout made of them.

use crate::sender::View;

use super::{Moment, SpuriousResponse, Windows};

/// Changes nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoResponse;

impl SpuriousResponse for NoResponse {
    fn respond(&self, view: &View, _: &Moment) -> Windows {
        Windows {
            cwnd: view.congestion.cwnd,
            ssthresh: view.congestion.ssthresh,
        }
    }
}
