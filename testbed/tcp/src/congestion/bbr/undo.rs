//! What comes back once a recovery proved spurious: sections 2.15 and 5.5.11.

use crate::bandwidth::Bandwidth;

/// What a loss made the sender leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    Startup,
    ProbeUp,
}

/// The model as it was when a recovery began.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Undo {
    /// `BBR.undo_state`.
    pub(super) left: Option<Left>,
    /// `BBR.undo_bw_shortterm`.
    pub(super) bw_shortterm: Bandwidth,
    /// `BBR.undo_inflight_shortterm`.
    pub(super) inflight_shortterm: u64,
    /// `BBR.undo_inflight_longterm`.
    pub(super) inflight_longterm: u64,
}

impl Undo {
    pub(super) const NOTHING: Self = Self {
        left: None,
        bw_shortterm: Bandwidth::NONE,
        inflight_shortterm: 0,
        inflight_longterm: 0,
    };
}
