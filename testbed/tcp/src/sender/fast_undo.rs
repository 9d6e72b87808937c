//! Undo of a recovery that a fast retransmit began, as Linux does it (net/ipv4/tcp_input.c, `tcp_may_undo` and what calls it):
//! its retransmissions were unnecessary if duplicates of all of them are reported (RFC 2883), or if an acknowledgement echoes a
//! segment older than the first of them (RFC 3522). The window and the threshold become what they were, unless they are more by then.
//!
//! ```text
//!          fast retransmit                  all reported as duplicates, or an older echo
//!   None ------------------> Undoable(...) ----------------------------------------------> None, and Open
//!    ^                            |
//!    +-------- timeout; mark -----+   the end of the recovery leaves it: reports may come later
//! ```

use windlull_units::Time;

use crate::observer::EndpointObserver;
use crate::ranges::Range;
use crate::recovery::LossRecovery;
use crate::registry::FastUndo;
use crate::response::Windows;

use super::Sender;
use super::undoable::Undoable;
use super::view::{Ack, Mode};

impl Sender {
    /// A recovery is about to reduce the windows.
    pub(super) fn remember_for_undo(&mut self) {
        if self.policy.fast_undo == FastUndo::Linux {
            let before = Windows {
                cwnd: self.view.congestion.cwnd,
                ssthresh: self.view.congestion.ssthresh,
            };
            self.undoable = Some(Undoable::new(self.view.stream.una, before));
        }
    }

    /// Octets are sent again.
    pub(super) fn note_for_undo(&mut self, now: Time, octets: Range) {
        if let Some(undoable) = &mut self.undoable {
            undoable.on_resent(self.view.clock.stamp(now), octets, self.view.stream.smss);
        }
    }

    /// An acknowledgement that may tell that the last recovery was unnecessary; whether it has ended one.
    #[inline]
    pub(super) fn undo_fast_retransmit(&mut self, now: Time, ack: &Ack, o: &mut impl EndpointObserver) -> bool {
        let Some(mut undoable) = self.undoable else {
            return false;
        };
        // A mark asks for the reduction, whatever became of the retransmissions (RFC 3168, section 6.1.2).
        if ack.marked {
            self.undoable = None;
            return false;
        }
        if let Some(reported) = ack.reported {
            undoable.on_reported(reported, self.view.stream.smss);
            self.undoable = Some(undoable);
        }
        let recovering = self.view.mode == Mode::FastRecovery;
        let complete = self.view.stream.una >= self.recovery_point;
        let delayed = recovering && ack.advanced > 0 && undoable.is_delayed(ack);
        if delayed && !complete {
            // `tcp_try_undo_partial`: the hole was filled by what was sent first.
            self.recovery.on_reordered();
        }
        // There, with a retransmission still on its way, an echo undoes nothing yet.
        let by_echo = delayed && (complete || !self.recovery.has_resent_outstanding());
        if !(undoable.is_all_reported() || by_echo) {
            return false;
        }
        self.undoable = None;
        let Windows { cwnd, ssthresh } = undoable.before();
        let congestion = &mut self.view.congestion;
        congestion.set_ssthresh(congestion.ssthresh.max(ssthresh));
        congestion.set_cwnd(congestion.cwnd.max(cwnd));
        if by_echo && !complete {
            self.recovery.on_spurious(&self.view);
        }
        if recovering {
            self.open(now, o);
        }
        recovering
    }
}
