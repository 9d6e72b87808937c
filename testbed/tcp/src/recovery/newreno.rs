//! NewReno: RFC 6582 on the fast retransmit and fast recovery of RFC 5681, section 3.2.
//!
//! The variant is *Slow-but-Steady*: every partial acknowledgement restarts the retransmission timer (RFC 6298, 5.3), as
//! the Linux senders of sarolahti2003 did; RFC 6582, section 4 prefers *Impatient*, which restarts it on the first alone.
//! After a full acknowledgement the window is RFC 6582's option 1, which releases no burst.

use windlull_units::Time;

use crate::sender::{Ack, Mode, View};

use super::reno::{Reno, inflate};
use super::{Decision, LossRecovery, Next};

/// Reno, which stays in recovery on partial acknowledgements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewReno(Reno);

impl NewReno {
    pub(crate) const fn new() -> Self {
        Self(Reno::new())
    }

    /// RFC 6582, section 3.2, steps 2 and 4: the careful variant.
    fn on_ack_open(&mut self, view: &View, ack: &Ack) -> Decision {
        let decision = self.0.on_ack_open(view, ack);
        if let Decision::Enter { point, .. } = decision {
            self.0.barrier.raise(point);
        }
        decision
    }

    /// RFC 6582, section 3.2, step 3, for an acknowledgement that advances.
    fn on_advance_recovering(&mut self, view: &View, ack: &Ack) -> Decision {
        let (stream, congestion) = (&view.stream, &view.congestion);
        self.0.forget_duplicates();
        if self.0.barrier.is_reached(view) {
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
    fn on_ack(&mut self, view: &View, ack: &Ack) -> Decision {
        match view.mode {
            Mode::FastRecovery if ack.advanced == 0 => inflate(view, ack),
            Mode::FastRecovery => self.on_advance_recovering(view, ack),
            Mode::Open | Mode::Detecting { .. } | Mode::GoingBack { .. } => self.on_ack_open(view, ack),
        }
    }

    /// RFC 6582, section 3.2, step 4: the bugfix.
    fn on_timeout(&mut self, view: &View, now: Time) {
        self.0.on_timeout(view, now);
    }

    fn on_spurious(&mut self, view: &View) {
        self.0.on_spurious(view);
    }

    /// RFC 5681, section 3.2, step 5: new data, as the inflated window allows.
    fn next(&mut self, view: &View) -> Option<Next> {
        self.0.next(view)
    }

    fn may_exceed(&self, view: &View, octets: u64) -> bool {
        self.0.may_exceed(view, octets)
    }

    fn outstanding(&self, view: &View) -> u64 {
        self.0.outstanding(view)
    }

    fn reads_sack(&self) -> bool {
        false
    }
}
