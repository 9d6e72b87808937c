//! Forward acknowledgement: Mathis and Mahdavi, Forward Acknowledgement: Refining TCP Congestion Control, 1996; gurtov2003,
//! III.A. The highest octet SACKed, `snd.fack`, tells what has left the network: all below it that is missing is lost.
//!
//! Outstanding is `awnd = snd.nxt - snd.fack + retran_data` (section 2.3). Recovery begins with the third duplicate, or at
//! once when more than three segments lie between `snd.una` and `snd.fack` (section 2.4); it ends when what was outstanding
//! then is acknowledged. The window is halved once a recovery; the paper's Overdamping and Rampdown (sections 3 and 4) are
//! refinements of their own and not here.

use windlull_units::Time;
use windlull_wire::TransmitCause;

use crate::sender::{Ack, Mode, View};

use super::barrier::Barrier;
use super::reno::DUP_THRESH;
use super::{Decision, LossRecovery, Next};

/// Where FACK stands; whether it recovers, `View::mode` says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fack {
    dupacks: u32,
    /// Where the recovery ends; of meaning in recovery alone.
    point: u64,
    barrier: Barrier,
}

/// `snd.fack`.
fn forward(view: &View) -> u64 {
    view.scoreboard.highest().unwrap_or(0).max(view.stream.una)
}

impl Fack {
    pub(crate) const fn new() -> Self {
        Self {
            dupacks: 0,
            point: 0,
            barrier: Barrier::new(),
        }
    }

    /// Section 2.4.
    fn on_ack_open(&mut self, view: &View, ack: &Ack) -> Decision {
        let stream = &view.stream;
        if ack.advanced > 0 {
            self.dupacks = 0;
        } else if ack.duplicate {
            self.dupacks = self.dupacks.saturating_add(1);
        }
        let gap = forward(view) - stream.una;
        // Only an acknowledgement with news of what is missing can start a recovery.
        let lost = (ack.duplicate && self.dupacks == DUP_THRESH)
            || (ack.sacked > 0 && gap > u64::from(DUP_THRESH) * stream.smss);
        // RFC 6675, section 5.1, of what SACK reports; duplicates without news may be of what was sent again in vain.
        let open = if ack.sacked > 0 {
            self.barrier.is_open_once_reached(view)
        } else {
            self.barrier.is_open(view)
        };
        if lost && open {
            self.point = stream.max;
            let ssthresh = view.threshold_at_loss(self.first_lost(view));
            return Decision::Enter {
                point: stream.max,
                ssthresh,
                cwnd: ssthresh,
            };
        }
        if ack.advanced > 0 {
            Decision::Grow
        } else {
            Decision::Nothing
        }
    }
}

impl LossRecovery for Fack {
    #[inline]
    fn on_ack(&mut self, view: &View, ack: &Ack) -> Decision {
        if view.mode != Mode::FastRecovery {
            return self.on_ack_open(view, ack);
        }
        if view.stream.una >= self.point {
            self.dupacks = 0;
            Decision::Leave {
                cwnd: view.congestion.cwnd,
            }
        } else {
            Decision::Nothing
        }
    }

    fn on_timeout(&mut self, view: &View, _: Time) {
        self.dupacks = 0;
        self.barrier.on_going_back(view);
    }

    fn on_spurious(&mut self, view: &View) {
        self.dupacks = 0;
        self.barrier.on_spurious(view);
    }

    /// Section 2.3: while `awnd` has room, first what is missing below `snd.fack`, once, then new data.
    fn next(&mut self, view: &View) -> Option<Next> {
        if self.outstanding(view) + view.stream.smss > view.congestion.cwnd {
            return None;
        }
        let scoreboard = &view.scoreboard;
        let missing = scoreboard
            .highest()
            .and_then(|highest| scoreboard.hole(scoreboard.mark(), highest));
        Some(missing.map_or(Next::New, |range| Next::Again {
            range,
            cause: TransmitCause::SackHole,
        }))
    }

    /// `awnd` governs outside of recovery too; beyond the window's octets in sequence it is limited transmit.
    fn may_exceed(&self, view: &View, octets: u64) -> bool {
        self.dupacks > 0 && self.outstanding(view) + octets <= view.congestion.cwnd
    }

    fn outstanding(&self, view: &View) -> u64 {
        let stream = &view.stream;
        stream.max - forward(view) + view.scoreboard.unsacked_below_mark(stream.una)
    }

    fn reads_sack(&self) -> bool {
        true
    }
}
