//! Reno: fast retransmit and fast recovery of RFC 5681, section 3.2. The first acknowledgement that advances ends the
//! recovery, whatever else was lost: a second loss in one window mostly waits for the timer (gurtov2003, III.A).

use windlull_units::Time;

use crate::sender::{Ack, Mode, View};

use super::barrier::Barrier;
use super::{Decision, LossRecovery, Next};

/// RFC 5681, section 3.2: the duplicate that counts as a loss.
pub(super) const DUP_THRESH: u32 = 3;
/// RFC 3042: new segments that the first duplicates release.
const LIMITED_SEGMENTS: u32 = 2;

/// Where Reno stands; whether it recovers, `View::mode` says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reno {
    dupacks: u32,
    pub(super) barrier: Barrier,
}

impl Reno {
    pub(crate) const fn new() -> Self {
        Self {
            dupacks: 0,
            barrier: Barrier::new(),
        }
    }

    /// Forgets the duplicates counted so far.
    pub(super) const fn forget_duplicates(&mut self) {
        self.dupacks = 0;
    }

    /// Counts a duplicate outside of recovery; tells whether it is the one that counts as a loss.
    pub(super) fn is_third(&mut self, view: &View) -> bool {
        self.dupacks = self.dupacks.saturating_add(1);
        self.dupacks == DUP_THRESH && self.barrier.is_open(view)
    }

    /// Outside of recovery: section 3.2, steps 1 to 3.
    pub(super) fn on_ack_open(&mut self, view: &View, ack: &Ack) -> Decision {
        if ack.advanced > 0 {
            self.dupacks = 0;
            return Decision::Grow;
        }
        if !ack.duplicate || !self.is_third(view) {
            return Decision::Nothing;
        }
        let smss = view.stream.smss;
        let ssthresh = view.threshold_at_loss(self.first_lost(view));
        Decision::Enter {
            point: view.stream.max,
            ssthresh,
            // Step 3: three segments have left the network.
            cwnd: ssthresh + u64::from(DUP_THRESH) * smss,
        }
    }
}

/// Section 3.2, step 4: each further duplicate means that one more segment has left the network.
pub(super) fn inflate(view: &View, ack: &Ack) -> Decision {
    if ack.duplicate {
        Decision::Resize {
            cwnd: view.congestion.cwnd + view.stream.smss,
        }
    } else {
        Decision::Nothing
    }
}

impl LossRecovery for Reno {
    #[inline]
    fn on_ack(&mut self, view: &View, ack: &Ack) -> Decision {
        match view.mode {
            Mode::FastRecovery if ack.advanced == 0 => inflate(view, ack),
            // Step 6: deflation.
            Mode::FastRecovery => {
                self.dupacks = 0;
                Decision::Leave {
                    cwnd: view.congestion.ssthresh,
                }
            }
            Mode::Open | Mode::Detecting { .. } | Mode::GoingBack { .. } => self.on_ack_open(view, ack),
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

    /// Section 3.2, step 5: new data, as the inflated window allows.
    fn next(&mut self, view: &View) -> Option<Next> {
        (view.stream.flight() + view.stream.smss <= view.congestion.cwnd).then_some(Next::New)
    }

    /// RFC 3042: outstanding data may exceed the window by two segments, one for each of the first two duplicates.
    fn may_exceed(&self, view: &View, octets: u64) -> bool {
        let allowance = u64::from(self.dupacks.min(LIMITED_SEGMENTS)) * view.stream.smss;
        view.stream.flight() + octets <= view.congestion.cwnd + allowance
    }

    fn outstanding(&self, view: &View) -> u64 {
        view.stream.flight()
    }

    fn reads_sack(&self) -> bool {
        false
    }
}
