//! NewReno-SACK: gurtov2003, III.A. Reno-SACK, but every partial acknowledgement sends at least one segment again, whether
//! the pipe has room or not; what was sent so counts in the pipe.

use windlull_units::Time;
use windlull_wire::TransmitCause;

use crate::ranges::Range;
use crate::sender::{Ack, Mode, View};

use super::reno_sack::RenoSack;
use super::{Decision, LossRecovery, Next};

/// Reno-SACK that owes a retransmission after a partial acknowledgement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewRenoSack {
    inner: RenoSack,
    owes: bool,
}

impl NewRenoSack {
    pub(crate) const fn new() -> Self {
        Self {
            inner: RenoSack::new(),
            owes: false,
        }
    }

    /// The first segment that is missing and was not sent again in this recovery: as in NewReno the first one outstanding,
    /// else the next hole below something SACKed.
    fn missing(view: &View) -> Option<Range> {
        let (stream, scoreboard) = (&view.stream, &view.scoreboard);
        let mark = scoreboard.mark();
        let end = if mark <= stream.una {
            stream.max
        } else {
            scoreboard.highest()?
        };
        scoreboard.hole(mark, end)
    }
}

impl LossRecovery for NewRenoSack {
    #[inline]
    fn on_ack(&mut self, view: &View, ack: &Ack) -> Decision {
        let decision = self.inner.on_ack(view, ack);
        // A partial acknowledgement: it advances, and recovery goes on.
        self.owes = view.mode == Mode::FastRecovery && ack.advanced > 0 && decision == Decision::Nothing;
        decision
    }

    fn on_timeout(&mut self, view: &View, now: Time) {
        self.owes = false;
        self.inner.on_timeout(view, now);
    }

    fn on_spurious(&mut self, view: &View) {
        self.inner.on_spurious(view);
    }

    fn next(&mut self, view: &View) -> Option<Next> {
        if std::mem::take(&mut self.owes) {
            if let Some(range) = Self::missing(view) {
                return Some(Next::Again {
                    range,
                    cause: TransmitCause::PartialAck,
                });
            }
        }
        self.inner.next(view)
    }

    fn may_exceed(&self, view: &View, octets: u64) -> bool {
        self.inner.may_exceed(view, octets)
    }

    fn outstanding(&self, view: &View) -> u64 {
        self.inner.outstanding(view)
    }

    fn reads_sack(&self) -> bool {
        true
    }
}
