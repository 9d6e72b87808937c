//! The recovery point below which duplicate acknowledgements are no losses: RFC 6582's `recover`, `send_high` in
//! sarolahti2003, the "bugfix" in gurtov2003, III.A.
//!
//! After a timeout the sender goes back N. What it repeats in vain comes back as duplicate acknowledgements; without the
//! barrier they would start a fast retransmit for nothing. Whether it stands, and still stands once the timeout proved
//! spurious, is a choice of its own.

use crate::registry::BelowRecoveryPoint;
use crate::sender::{Mode, View};

/// No fast retransmit until more than this is acknowledged; `None` while nothing stands in the way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Barrier(Option<u64>);

impl Barrier {
    pub(super) const fn new() -> Self {
        Self(None)
    }

    /// Whether a third duplicate may start a fast retransmit now.
    pub(super) fn is_open(self, view: &View) -> bool {
        mode_lets_enter(view) && self.0.is_none_or(|point| view.stream.una > point)
    }

    /// RFC 6675, section 5.1: the same of a scoreboard, for which it is enough that all below the barrier is acknowledged.
    pub(super) fn is_open_once_reached(self, view: &View) -> bool {
        mode_lets_enter(view) && self.is_reached(view)
    }

    /// Whether all below the barrier is acknowledged.
    pub(super) fn is_reached(self, view: &View) -> bool {
        self.0.is_none_or(|point| view.stream.una >= point)
    }

    /// RFC 6582, section 3.2, step 2: a fast recovery begins that ends at `point`.
    pub(super) const fn raise(&mut self, point: u64) {
        self.0 = Some(point);
    }

    /// RFC 6582, section 3.2, step 4: the sender goes back N.
    pub(super) fn on_going_back(&mut self, view: &View) {
        self.0 = Some(view.stream.max).filter(|_| view.below_point != BelowRecoveryPoint::Allowed);
    }

    /// gurtov2003, III.A: nothing but the first segment was sent again, hence duplicates mean losses.
    pub(super) fn on_spurious(&mut self, view: &View) {
        if view.below_point != BelowRecoveryPoint::Blocked {
            self.0 = None;
        }
    }
}

/// Whether the sender's mode lets a fast retransmit begin.
fn mode_lets_enter(view: &View) -> bool {
    match view.mode {
        Mode::Open => true,
        Mode::GoingBack { .. } => view.below_point == BelowRecoveryPoint::Allowed,
        Mode::FastRecovery | Mode::Detecting { .. } => false,
    }
}
