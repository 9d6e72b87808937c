//! Responses: what the congestion state becomes once a timeout proved spurious. All of them go on with new data.

pub(crate) mod eifel_1;
pub(crate) mod frto_conservative;
pub(crate) mod none;

use crate::registry::{ResponseMechanism, dispatch_response};
use crate::sender::View;

/// A window and a threshold, in octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Windows {
    pub(crate) cwnd: u64,
    pub(crate) ssthresh: u64,
}

/// One way to answer a spurious timeout.
pub(crate) trait SpuriousResponse {
    /// The windows to go on with; `before` is what they were when the timer first fired.
    fn respond(&self, view: &View<'_>, before: Windows) -> Windows;
}

impl ResponseMechanism {
    pub(crate) fn respond(&self, view: &View<'_>, before: Windows) -> Windows {
        dispatch_response!(self, mechanism => mechanism.respond(view, before))
    }

    /// The response's name in variant files.
    pub(crate) const fn name(&self) -> &'static str {
        self.choice().name()
    }
}
