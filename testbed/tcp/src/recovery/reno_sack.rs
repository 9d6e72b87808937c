//! Reno with selective acknowledgements as the senders of the papers had it: RFC 6675, but for the pipe. What the receiver
//! reports missing stays outstanding until it is acknowledged, so that half a window must arrive before a lost segment
//! can be sent again (gurtov2003, III.A, on Reno-SACK; sarolahti2003, section 5.2, on its SACK under outages; Fall and
//! Floyd, Simulation-based Comparisons of Tahoe, Reno, and SACK TCP, 1996).

use windlull_units::Time;

use crate::sender::{Ack, View};

use super::sack::Sack;
use super::{Decision, LossRecovery, Next};

/// RFC 6675 with a pipe from which only arrivals subtract.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RenoSack(Sack);

impl RenoSack {
    pub(crate) const fn new() -> Self {
        Self(Sack::new())
    }
}

impl LossRecovery for RenoSack {
    #[inline]
    fn on_ack(&mut self, view: &View, ack: &Ack) -> Decision {
        self.0.on_ack(view, ack)
    }

    fn on_timeout(&mut self, view: &View, now: Time) {
        self.0.on_timeout(view, now);
    }

    fn on_spurious(&mut self, view: &View) {
        self.0.on_spurious(view);
    }

    fn next(&mut self, view: &View) -> Option<Next> {
        let room = self.outstanding(view) + view.stream.smss <= view.congestion.cwnd;
        if room { self.0.next_segment(view) } else { None }
    }

    fn may_exceed(&self, view: &View, octets: u64) -> bool {
        self.0.has_duplicates() && self.outstanding(view) + octets <= view.congestion.cwnd
    }

    fn outstanding(&self, view: &View) -> u64 {
        view.scoreboard.pipe_with_missing(view.stream.una, view.stream.max)
    }

    fn reads_sack(&self) -> bool {
        true
    }
}
