//! Detection by reports of duplicates: RFC 3708, section 3; wen2010, section II.D. Conventional recovery runs, and all that it
//! sends again is noted. Once the peer has reported all of it as received twice (RFC 2883), nothing had been lost.
//!
//! It answers late, a round trip after the retransmissions, and only if no report is lost: the go-back-N is not prevented, but
//! the windows can still be restored.
//!
//! ```text
//!          timer                 all that was sent again is reported -> spurious
//!   Idle -------> Collecting -------------------------------------------------------------------> Idle
//!                              data sent after the last retransmission is acknowledged -> genuine
//!                              reported but never sent again, sent again twice, another loss -> undecided
//! ```

use windlull_wire::DetectorAnswer;

use crate::ranges::Range;
use crate::resent::Resent;
use crate::sender::{Ack, Mode, View};

use super::{Detector, Expiry, Finding, Stance, Step};

/// What was sent again since a timeout, and what of it was reported.
#[derive(Clone, Debug)]
struct Event {
    /// `SND.UNA` at the timeout: reports of what lies below are of earlier events.
    start: u64,
    resent: Resent,
    /// The highest octet sent when the last retransmission left, or `None` if none did since it was asked.
    sent: Option<u64>,
}

/// Whether it collects reports.
#[derive(Clone, Debug)]
pub(crate) struct Dsack(Option<Event>);

impl Dsack {
    pub(crate) const fn new() -> Self {
        Self(None)
    }

    fn judge(event: &mut Event, view: &View, ack: &Ack) -> Option<Step<Finding>> {
        let undecided = Finding::GoOn {
            answer: DetectorAnswer::Undecided,
        };
        if view.mode == Mode::FastRecovery {
            return Some(Step::by(
                "RFC 3708: another loss, cannot tell which retransmissions",
                undecided,
            ));
        }
        if let Some(report) = ack.reported.filter(|report| report.left >= event.start) {
            if !event.resent.on_report(report) {
                return Some(Step::by(
                    "RFC 3708: a duplicate of what was not retransmitted, the network duplicates, cannot tell",
                    undecided,
                ));
            }
        }
        // While the sender still goes back N, more may follow.
        let goes_back = matches!(view.mode, Mode::GoingBack { point, .. } if view.stream.una < point);
        if !goes_back && event.resent.is_all_reported() {
            return Some(if event.resent.was_anything_sent_twice() {
                Step::by("RFC 3708: something was retransmitted twice, cannot tell", undecided)
            } else {
                Step::by(
                    "RFC 3708: all that was retransmitted is reported as a duplicate, the timeout was spurious",
                    Finding::Spurious,
                )
            });
        }
        let highest_sent = *event.sent.get_or_insert(view.stream.max);
        (view.stream.una > highest_sent).then(|| {
            Step::by(
                "RFC 3708: later data is acknowledged, not all that was retransmitted is reported as a duplicate",
                Finding::GoOn {
                    answer: DetectorAnswer::Genuine,
                },
            )
        })
    }
}

impl Detector for Dsack {
    fn on_timeout(&mut self, view: &View, expiry: &Expiry) -> Step<Stance> {
        if !expiry.repeated || self.0.is_none() {
            self.0 = Some(Event {
                start: view.stream.una,
                resent: Resent::default(),
                sent: None,
            });
        }
        Step::by("RFC 3708: timeout, note what is retransmitted", Stance::GoBack)
    }

    fn on_resent(&mut self, sent: Range, _: Range) {
        if let Some(event) = self.0.as_mut().filter(|_| !sent.is_empty()) {
            event.resent.on_sent_again(sent);
            event.sent = None;
        }
    }

    fn on_ack(&mut self, view: &View, ack: &Ack) -> Step<Finding> {
        let step = self.0.as_mut().and_then(|event| Self::judge(event, view, ack));
        match step {
            Some(step) => {
                self.0 = None;
                step
            }
            None => Step::silent(Finding::Nothing),
        }
    }

    fn is_asking(&self) -> bool {
        self.0.is_some()
    }

    fn reads_sack(&self) -> bool {
        false
    }
}
