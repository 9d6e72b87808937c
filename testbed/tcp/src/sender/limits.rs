//! What holds the sender from sending more, told when it changes: as Linux accounts for it (`tcp_chrono`), but without a send
//! buffer, which this sender does not have, and with the congestion window, intervals and recoveries apart.
//!
//! An attempt to send finds it on its way, so that nothing is worked out twice. Where both windows are full it is the peer's:
//! that one is asked first, and while it is full the congestion window does not grow (RFC 7661, section 4.1).

use windlull_units::Time;
use windlull_wire::{LimitedBy, SenderEvent};

use crate::observer::EndpointObserver;

use super::Sender;
use super::stream::Held;
use super::view::Mode;

impl From<Held> for LimitedBy {
    fn from(held: Held) -> Self {
        match held {
            Held::NothingLeft => Self::Application,
            Held::ByWindow => Self::ReceiveWindow,
        }
    }
}

impl Sender {
    /// Nothing more can be sent at `now`: tells what holds the sender, if that is news.
    #[inline]
    pub(super) fn settle_limit(&mut self, now: Time, o: &mut impl EndpointObserver) {
        let limited_by = match self.view.mode {
            Mode::Open => self.limited_by,
            Mode::FastRecovery | Mode::Detecting { .. } | Mode::GoingBack { .. } => Some(LimitedBy::Recovery),
        };
        if limited_by != self.limit_told {
            self.tell_limit(now, limited_by, o);
        }
    }

    /// Nothing limits a sender that has never sent.
    #[inline(never)]
    fn tell_limit(&mut self, now: Time, limited_by: Option<LimitedBy>, o: &mut impl EndpointObserver) {
        if self.view.stream.max == 0 || !o.is_heard() {
            return;
        }
        self.limit_told = limited_by;
        if let Some(by) = limited_by {
            o.sender(now, &SenderEvent::Limited { by });
        }
    }

    /// What holds a sender outside of recoveries whose next segment, of at most `room` octets, must wait for its time: that,
    /// unless the segment could not go in any case.
    pub(super) fn limit_between_departures(&self, room: u64) -> LimitedBy {
        match self.view.stream.unsent(room) {
            Err(held) => held.into(),
            Ok(chunk) if self.view.stream.flight() + chunk.payload_len().max(1) > self.view.congestion.cwnd => {
                LimitedBy::CongestionWindow
            }
            Ok(_) => LimitedBy::Pacing,
        }
    }
}
