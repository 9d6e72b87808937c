//! A recovery that may still prove unnecessary, and what tells.

use crate::ranges::Range;
use crate::response::Windows;
use crate::serial::stamps_after;

use super::view::Ack;

/// A recovery, and what was sent again in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undoable {
    /// `undo_marker`: what was unacknowledged first when it began.
    marker: u64,
    /// `prior_cwnd` and `prior_ssthresh`.
    before: Windows,
    /// `retrans_stamp` and `undo_retrans`, once anything was sent again.
    resent: Option<Resent>,
}

/// What was sent again.
#[derive(Clone, Copy, Debug)]
struct Resent {
    /// The timestamp of the first retransmission.
    stamp: u32,
    /// Segments of which no duplicate was reported.
    unreported: u64,
}

impl Undoable {
    pub(super) const fn new(marker: u64, before: Windows) -> Self {
        Self {
            marker,
            before,
            resent: None,
        }
    }

    pub(super) const fn before(&self) -> Windows {
        self.before
    }

    /// Octets are sent again, with this timestamp.
    pub(super) fn on_resent(&mut self, stamp: u32, octets: Range, smss: u64) {
        let resent = self.resent.get_or_insert(Resent { stamp, unreported: 0 });
        resent.unreported += octets.len().div_ceil(smss);
    }

    /// Segments were reported to have arrived twice.
    pub(super) fn on_reported(&mut self, reported: Range, smss: u64) {
        if let Some(resent) = self.resent.as_mut().filter(|_| reported.right > self.marker) {
            let segments = reported.len().div_ceil(smss);
            resent.unreported = resent.unreported.saturating_sub(segments);
        }
    }

    pub(super) fn is_all_reported(&self) -> bool {
        self.resent.is_some_and(|resent| resent.unreported == 0)
    }

    /// `tcp_packet_delayed`: an original has arrived, if it echoes what is older than all retransmissions.
    pub(super) fn is_delayed(&self, ack: &Ack) -> bool {
        self.resent
            .zip(ack.echo)
            .is_some_and(|(resent, echo)| stamps_after(resent.stamp, echo) > 0)
    }
}
