//! Whether a fast recovery was spurious: what it sent again had not been lost.
//!
//! Either tells: all that was sent again is acknowledged, by an acknowledgement that echoes a timestamp older than the first
//! retransmission (RFC 3522, section 3.2); or all of it was reported as received twice (RFC 3708, section 3). Linux asks for the
//! same (net/ipv4/tcp_input.c, `tcp_may_undo`).

use windlull_units::Time;

use crate::ranges::Range;
use crate::resent::Resent;
use crate::timer::StampClock;

use super::view::Ack;

/// What a fast recovery has sent again.
#[derive(Clone, Debug, Default)]
pub(super) struct Repairs {
    /// When the first left.
    since: Option<Time>,
    resent: Resent,
    /// Whether the network duplicates: reports cannot tell any more.
    duplicates: bool,
}

impl Repairs {
    pub(super) fn on_sent_again(&mut self, now: Time, octets: Range) {
        self.since.get_or_insert(now);
        self.resent.on_sent_again(octets);
    }

    /// Whether this acknowledgement tells so.
    pub(super) fn are_spurious(&mut self, una: u64, ack: &Ack, clock: &StampClock) -> bool {
        let (Some(since), Some(last)) = (self.since, self.resent.last()) else {
            return false;
        };
        let echoes_an_original = ack.echo.is_some_and(|echo| clock.is_older(echo, since));
        if ack.advanced > 0 && una >= last.right && una - ack.advanced < last.right && echoes_an_original {
            return true;
        }
        let Some(report) = ack.reported else { return false };
        self.duplicates |= !self.resent.on_report(report);
        !self.duplicates && !self.resent.was_anything_sent_twice() && self.resent.is_all_reported()
    }
}
