//! Writing down what was decided.

use super::Analyzer;
use crate::cases::{Decision, Subject};
use crate::verdict::{Judgement, Reason, Truth, Verdict};

impl Analyzer {
    /// Writes down what was decided: after most packets nothing.
    #[inline]
    pub(crate) fn settle(&mut self) {
        if !self.cases.decided.is_empty() {
            self.write_all_down();
        }
    }

    fn write_all_down(&mut self) {
        let mut decided = std::mem::take(&mut self.cases.decided);
        for decision in decided.drain(..) {
            self.write_down(&decision);
        }
        self.cases.decided = decided;
    }

    fn write_down(&mut self, decision: &Decision) {
        let Decision {
            verdict,
            reason,
            before,
            evidence,
            ..
        } = *decision;
        match decision.subject {
            Subject::Timeout(place) => {
                let record = &mut self.totals.timeouts[place];
                (record.verdict, record.reason) = match (verdict, reason) {
                    (Verdict::Unknown, _) | (Verdict::Unnecessary, None) => (Truth::Unknown, None),
                    // The segment had arrived, but the sender could not have learnt it by waiting.
                    (Verdict::Unnecessary, Some(Reason::AckLost)) | (Verdict::Necessary, _) => (Truth::Genuine, reason),
                    (Verdict::Unnecessary, Some(_)) => (Truth::Spurious, reason),
                };
            }
            Subject::Resend {
                id,
                cause,
                fast_retransmit,
                timeout,
                ..
            } => {
                let counts = &mut self.totals.by_verdict;
                match (verdict, reason) {
                    (Verdict::Necessary, _) => counts.necessary += 1,
                    (Verdict::Unnecessary, Some(Reason::AckLost)) => counts.unnecessary_ack_lost += 1,
                    (Verdict::Unnecessary, Some(_)) => counts.unnecessary_delayed += 1,
                    (Verdict::Unnecessary, None) => counts.unnecessary_other += 1,
                    (Verdict::Unknown, _) => {
                        counts.unknown += 1;
                        counts.inferred_unnecessary += u64::from(evidence.is_some());
                    }
                }
                if let Some(place) = fast_retransmit {
                    let record = &mut self.totals.fast_retransmits[place];
                    (record.verdict, record.reason) = (verdict.of_fast_retransmit(), reason);
                }
                if let Some(place) = timeout {
                    self.totals.timeouts[place].evidence = evidence;
                }
                if let Some(tracker) = &mut self.episodes {
                    tracker.judged(id, verdict);
                }
                if let Some(judgements) = &mut self.judgements {
                    judgements.push(Judgement {
                        id,
                        verdict,
                        reason,
                        before,
                        cause,
                    });
                }
            }
        }
    }
}
