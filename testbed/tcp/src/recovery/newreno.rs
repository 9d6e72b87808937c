//! NewReno: RFC 6582 on the fast retransmit and fast recovery of RFC 5681, section 3.2.
//!
//! The variant is *Slow-but-Steady*: every partial acknowledgement restarts the retransmission timer (RFC 6298, 5.3), as
//! the Linux senders of sarolahti2003 did; RFC 6582, section 4 prefers *Impatient*, which restarts it on the first alone.
//! After a full acknowledgement the window is RFC 6582's option 1, which releases no burst.

use crate::congestion::halved;
use crate::sender::{Ack, Mode, View};

use super::{Decision, LossRecovery, Next};

/// RFC 5681, section 3.2: the duplicate that counts as a loss.
const DUP_THRESH: u32 = 3;
/// RFC 3042: new segments that the first duplicates release.
const LIMITED_SEGMENTS: u32 = 2;

/// Where NewReno stands; whether it recovers, `View::mode` says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewReno {
    dupacks: u32,
    /// RFC 6582's `recover` (sarolahti2003's `send_high`): no fast retransmit until more than this is acknowledged.
    /// `None` before the first loss, and after a spurious timeout.
    recover: Option<u64>,
}

impl NewReno {
    pub(crate) const fn new() -> Self {
        Self {
            dupacks: 0,
            recover: None,
        }
    }

    /// RFC 6582, section 3.2, steps 2 and 4: the careful variant.
    fn may_enter(&self, view: &View<'_>) -> bool {
        view.mode == Mode::Open && self.recover.is_none_or(|recover| view.stream.una > recover)
    }

    /// Step 3, outside of recovery.
    fn on_ack_open(&mut self, view: &View<'_>, ack: &Ack) -> Decision {
        if ack.advanced > 0 {
            self.dupacks = 0;
            return Decision::Grow;
        }
        if !ack.duplicate {
            return Decision::Nothing;
        }
        self.dupacks = self.dupacks.saturating_add(1);
        if self.dupacks != DUP_THRESH || !self.may_enter(view) {
            return Decision::Nothing;
        }
        let smss = view.stream.smss;
        let ssthresh = halved(view.flight_at_loss(), smss);
        self.recover = Some(view.stream.max);
        Decision::Enter {
            point: view.stream.max,
            ssthresh,
            // RFC 5681, section 3.2, step 3: three segments have left the network.
            cwnd: ssthresh + u64::from(DUP_THRESH) * smss,
        }
    }

    /// RFC 5681, section 3.2, step 4, and RFC 6582, section 3.2, step 3.
    fn on_ack_recovering(&mut self, view: &View<'_>, ack: &Ack) -> Decision {
        let (stream, congestion) = (view.stream, view.congestion);
        if ack.advanced == 0 {
            // Each further duplicate means that one more segment has left the network.
            return if ack.duplicate {
                Decision::Resize {
                    cwnd: congestion.cwnd + stream.smss,
                }
            } else {
                Decision::Nothing
            };
        }
        self.dupacks = 0;
        if self.recover.is_none_or(|recover| stream.una >= recover) {
            // Full acknowledgement, option 1.
            let cwnd = congestion.ssthresh.min(stream.flight().max(stream.smss) + stream.smss);
            return Decision::Leave { cwnd };
        }
        // Partial acknowledgement: deflate by what was acknowledged, then count the retransmission.
        let deflated = congestion.cwnd.saturating_sub(ack.advanced);
        let cwnd = if ack.advanced >= stream.smss {
            deflated + stream.smss
        } else {
            deflated
        };
        Decision::Partial {
            cwnd: cwnd.max(stream.smss),
        }
    }
}

impl LossRecovery for NewReno {
    #[inline]
    fn on_ack(&mut self, view: &View<'_>, ack: &Ack) -> Decision {
        match view.mode {
            Mode::FastRecovery => self.on_ack_recovering(view, ack),
            Mode::Open | Mode::Detecting { .. } | Mode::GoingBack { .. } => self.on_ack_open(view, ack),
        }
    }

    /// RFC 6582, section 3.2, step 4: the bugfix.
    fn on_timeout(&mut self, view: &View<'_>) {
        self.dupacks = 0;
        self.recover = Some(view.stream.max);
    }

    fn on_spurious(&mut self) {
        self.dupacks = 0;
        self.recover = None;
    }

    /// RFC 5681, section 3.2, step 5: new data, as the inflated window allows.
    fn next(&mut self, view: &View<'_>) -> Option<Next> {
        (view.stream.flight() + view.stream.smss <= view.congestion.cwnd).then_some(Next::New)
    }

    /// RFC 3042: outstanding data may exceed the window by two segments, one for each of the first two duplicates.
    fn may_exceed(&self, view: &View<'_>, octets: u64) -> bool {
        let allowance = u64::from(self.dupacks.min(LIMITED_SEGMENTS)) * view.stream.smss;
        view.stream.flight() + octets <= view.congestion.cwnd + allowance
    }

    fn outstanding(&self, view: &View<'_>) -> u64 {
        view.stream.flight()
    }

    fn reads_sack(&self) -> bool {
        false
    }
}
