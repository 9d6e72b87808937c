//! Recovery by selective acknowledgements: RFC 6675.
//!
//! After a timeout the scoreboard is kept, as RFC 6675, section 5.1 allows with a test for reneging (the sender makes it),
//! and no recovery begins until all that was outstanding is acknowledged: the sender's `GoingBack` mode is that rule.

use windlull_units::Time;
use windlull_wire::TransmitCause;

use crate::ranges::Range;
use crate::scoreboard::DUP_THRESH;
use crate::sender::{Ack, Mode, View};

use super::barrier::Barrier;
use super::{Decision, LossRecovery, Next};

/// RFC 6675's own variables; `HighACK` and `HighData` are the stream's, `HighRxt` is the scoreboard's mark.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sack {
    dupacks: u32,
    /// `RecoveryPoint`; of meaning in recovery alone.
    point: u64,
    /// `RescueRxt`: no rescue before this is acknowledged.
    rescue: u64,
    /// Section 5.1: no recovery before what was outstanding at a timeout is acknowledged.
    barrier: Barrier,
}

impl Sack {
    pub(crate) const fn new() -> Self {
        Self {
            dupacks: 0,
            point: 0,
            rescue: 0,
            barrier: Barrier::new(),
        }
    }

    /// Whether duplicates have arrived since the last advance.
    pub(super) const fn has_duplicates(&self) -> bool {
        self.dupacks > 0
    }

    /// Section 5, steps 1, 2 and 4.
    fn on_ack_open(&mut self, view: &View, ack: &Ack) -> Decision {
        let (stream, scoreboard) = (&view.stream, &view.scoreboard);
        if ack.advanced > 0 {
            self.dupacks = 0;
        }
        // Section 2: a duplicate is whatever reports octets not known before, also when it advances.
        if ack.sacked > 0 {
            self.dupacks = self.dupacks.saturating_add(1);
            let lost = self.dupacks >= DUP_THRESH || scoreboard.is_lost(stream.una, stream.smss);
            if lost && self.barrier.is_open_once_reached(view) {
                return self.enter(view);
            }
        }
        if ack.advanced > 0 {
            Decision::Grow
        } else {
            Decision::Nothing
        }
    }

    /// Section 5, steps 4.1 to 4.3.
    fn enter(&mut self, view: &View) -> Decision {
        let stream = &view.stream;
        let first = view.scoreboard.hole(stream.una, stream.max);
        let first_end = first.map_or(stream.una, |hole| hole.right.min(stream.una + stream.smss));
        let ssthresh = view.threshold_at_loss(self.first_lost(view));
        self.point = stream.max;
        self.rescue = first_end;
        Decision::Enter {
            point: stream.max,
            ssthresh,
            cwnd: ssthresh,
        }
    }

    /// Section 4, `NextSeg()`.
    pub(super) fn next_segment(&mut self, view: &View) -> Option<Next> {
        let (stream, scoreboard) = (&view.stream, &view.scoreboard);
        // (1.a) and (1.b): above HighRxt, below the highest octet SACKed.
        let hole = scoreboard
            .highest()
            .and_then(|highest| scoreboard.hole(scoreboard.mark(), highest));
        let again = |range| Next::Again {
            range,
            cause: TransmitCause::SackHole,
        };
        // (1) with (1.c): it is lost.
        if let Some(hole) = hole.filter(|hole| scoreboard.is_lost(hole.left, stream.smss)) {
            return Some(again(hole));
        }
        // (2) new data.
        if stream.unsent(stream.smss).is_ok() {
            return Some(Next::New);
        }
        // (3) not known to be lost, but below something SACKed.
        if let Some(hole) = hole {
            return Some(again(hole));
        }
        // (4) the rescue: once, and only after something was acknowledged in this recovery.
        if stream.una > self.rescue {
            let tail = scoreboard.highest_hole(stream.una, stream.max)?;
            self.rescue = self.point;
            let left = tail.right.saturating_sub(stream.smss).max(tail.left);
            return Some(Next::Again {
                range: Range::new(left, tail.right),
                cause: TransmitCause::Rescue,
            });
        }
        None
    }
}

impl LossRecovery for Sack {
    #[inline]
    fn on_ack(&mut self, view: &View, ack: &Ack) -> Decision {
        if view.mode != Mode::FastRecovery {
            return self.on_ack_open(view, ack);
        }
        // (A) the recovery point is acknowledged; else (B), and `next` does (C).
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

    /// RFC 5682, section 3.1, step 3b: `RecoveryPoint` no longer stands in the way.
    fn on_spurious(&mut self, view: &View) {
        self.dupacks = 0;
        self.barrier.on_spurious(view);
    }

    /// Section 5, (C): while the window has room for a segment.
    fn next(&mut self, view: &View) -> Option<Next> {
        let room = self.outstanding(view) + view.stream.smss <= view.congestion.cwnd;
        if room { self.next_segment(view) } else { None }
    }

    /// Section 5, step 3: limited transmit governed by `Pipe`.
    fn may_exceed(&self, view: &View, octets: u64) -> bool {
        self.has_duplicates() && self.outstanding(view) + octets <= view.congestion.cwnd
    }

    fn outstanding(&self, view: &View) -> u64 {
        let stream = &view.stream;
        view.scoreboard.pipe(stream.una, stream.max, stream.smss)
    }

    fn reads_sack(&self) -> bool {
        true
    }
}
