//! What acknowledgements tell of congestion marks, and what it changes.

use windlull_units::Time;

use crate::congestion::Told;
use crate::ranges::Range;

use super::view::Mode;
use super::{Incoming, Sender};

impl Sender {
    /// Whether an acknowledgement that advanced by so many octets tells of marks. Where they are counted, `reported` is what its blocks
    /// reported newly, and what had been known to have arrived.
    #[inline]
    pub(super) fn take_in_marks(
        &mut self,
        now: Time,
        incoming: &Incoming<'_>,
        advanced: u64,
        reported: Option<(u64, u64)>,
    ) -> bool {
        // Without agreement the flag means nothing (RFC 3168, section 6.1.1).
        if !self.view.marks.are_expected() {
            return false;
        }
        let smss = self.view.stream.smss;
        let (octets, marked) = match reported {
            Some((sacked, known)) => {
                let octets = (advanced + sacked).saturating_sub(known);
                let packets = octets.div_ceil(smss);
                // One that brings nothing new may be older than the last: the next that does counts what it would have.
                let marked = if packets > 0 {
                    self.view.marks.on_field(incoming.field, packets)
                } else {
                    0
                };
                (octets, marked * smss)
            }
            // RFC 8257, section 3.3, step 1: blocks are ignored.
            None if incoming.marked => (advanced, advanced.max(1)),
            None => (advanced, 0),
        };
        self.view.congestion.on_told(&Told {
            now,
            octets,
            marked,
            una: self.view.stream.una,
            max: self.view.stream.max,
        });
        marked > 0
    }

    /// Octets below an acknowledgement that were known to have arrived.
    pub(super) fn sacked_below(&self, ack: u64) -> u64 {
        let una = self.view.stream.una;
        let ranges = self.view.scoreboard.sacked_above(una);
        ranges
            .take_while(|range| range.left < ack)
            .map(|range| range.right.min(ack).saturating_sub(range.left.max(una)))
            .sum()
    }

    /// An acknowledgement echoes a mark (RFC 3168, section 6.1.2). Recoveries reduce the window by themselves.
    pub(super) fn on_echo(&mut self, now: Time) {
        let una = self.view.stream.una;
        if let Some(before) = &mut self.before {
            before.echoed |= before.answer.is_some_and(|answer| answer.leaves_open(una));
        }
        if self.view.mode == Mode::Open && self.view.marks.asks(una) && self.view.congestion.may_answer(now) {
            self.answer_mark();
        }
    }

    /// As a loss does, but that a window below the threshold's least value is not raised to it.
    pub(super) fn answer_mark(&mut self) {
        let (flight, smss) = (self.view.flight_at_loss(), self.view.stream.smss);
        let ssthresh = if self.view.marks.are_answered_by_share() {
            self.view.congestion.reduced_by_mark(flight, smss)
        } else {
            self.view.congestion.reduced(flight, smss)
        };
        let cwnd = self.view.congestion.cwnd;
        self.view.marks.on_mark(self.view.stream.max);
        self.reduce(ssthresh);
        self.view.congestion.set_cwnd(ssthresh.min(cwnd));
    }

    /// Octets are about to be sent again. In a recovery that a mark has spared its reduction, the loss of later data, or of what
    /// had been sent again before, is congestion anew (RFC 3168, section 6.1.2): what the recovery leaves of the window, its
    /// threshold, shrinks as for any loss, and the window by as much.
    pub(super) fn judge_repair(&mut self, lost: Range) {
        if self.view.mode != Mode::FastRecovery || !self.view.marks.answered_a_mark() || self.view.marks.spares(lost) {
            return;
        }
        let (smss, window) = (self.view.stream.smss, self.view.congestion.ssthresh);
        let ssthresh = self.view.congestion.reduced(window, smss).min(window);
        self.view.marks.on_loss(self.view.stream.max);
        self.view.congestion.on_loss(window, false);
        self.view.congestion.set_ssthresh(ssthresh);
        let cwnd = self.view.congestion.cwnd.saturating_sub(window - ssthresh);
        self.view.congestion.set_cwnd(cwnd.max(smss));
    }
}
