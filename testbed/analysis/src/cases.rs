//! Retransmissions and timeouts that are not judged yet. The same facts decide both.

use std::collections::VecDeque;

use windlull_units::{PacketId, Time};
use windlull_wire::TransmitCause;

use crate::acks::{Ack, AckLog, ArrivedAck};
use crate::ledger::{Coverage, Ledger};
use crate::verdict::{Before, Evidence, Reason, Verdict};

/// What is to be judged.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Subject {
    /// A retransmission.
    Resend {
        id: PacketId,
        cause: Option<TransmitCause>,
        /// The fast retransmit that it is, by its place in the list of these.
        fast_retransmit: Option<usize>,
        /// The timeout that it is the first to follow, by its place in the list of these.
        timeout: Option<usize>,
        stamp: Option<u32>,
    },
    /// A timeout, by its place in the list of these.
    Timeout(usize),
}

/// How far the facts are known.
#[derive(Clone, Copy, Debug)]
enum State {
    /// An earlier copy that matters is under way.
    CopiesUnderWay,
    /// The receiver has had all octets since then; what counts now is what became of its acknowledgements.
    Delivered {
        order: u64,
        at: Option<Time>,
        acks: u32,
        acks_lost: u32,
    },
}

/// Octets whose earlier copies were, or were not, enough.
#[derive(Clone, Copy, Debug)]
struct Case {
    subject: Subject,
    start: u64,
    end: u64,
    /// Copies sent before count.
    opened: u64,
    /// An acknowledgement of all of them had arrived by then: a QUIC may send again what it has queued.
    was_told: bool,
    state: State,
    /// The order at which something sent since the opening reached the receiver. What the receiver says from then
    /// on is no answer to the earlier copies.
    closed: Option<u64>,
    evidence: Option<Evidence>,
    /// Whether a D-SACK block was about it.
    duplicate_reported: bool,
}

/// A case that is decided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decision {
    pub(crate) subject: Subject,
    pub(crate) verdict: Verdict,
    pub(crate) reason: Option<Reason>,
    pub(crate) before: Before,
    pub(crate) evidence: Option<Evidence>,
}

impl Decision {
    /// A retransmission that brings new octets along.
    pub(crate) const fn carries_new_data(subject: Subject) -> Self {
        Self {
            subject,
            verdict: Verdict::Necessary,
            reason: None,
            before: Before::Unknown,
            evidence: None,
        }
    }
}

/// More undecided cases than any window holds; only captures of one end, where nothing is ever decided, reach it.
const MOST_OPEN: usize = 4096;

/// The open cases, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Cases {
    open: VecDeque<Case>,
    /// Retransmissions among them that no acknowledgement has followed yet: the newest ones, mostly.
    unanswered: usize,
    /// Decisions that nobody has taken yet.
    pub(crate) decided: Vec<Decision>,
}

impl Cases {
    pub(crate) fn open(&mut self, subject: Subject, range: (u64, u64), order: u64, ledger: &Ledger, acks: &AckLog) {
        let (start, end) = range;
        let mut case = Case {
            subject,
            start,
            end,
            opened: order,
            was_told: acks.has_told(end),
            state: State::CopiesUnderWay,
            closed: None,
            evidence: None,
            duplicate_reported: false,
        };
        if let Some(decision) = case.look_at_copies(ledger, acks) {
            self.decided.push(decision);
            return;
        }
        self.unanswered += usize::from(case.is_unanswered());
        self.open.push_back(case);
        if self.open.len() > MOST_OPEN {
            if let Some(oldest) = self.open.pop_front() {
                self.unanswered -= usize::from(oldest.is_unanswered());
                self.decided.push(oldest.as_it_stands());
            }
        }
    }

    /// Whether any is.
    #[inline]
    pub(crate) fn are_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// The lowest position whose copies are still asked about.
    #[inline]
    pub(crate) fn lowest(&self) -> Option<u64> {
        if self.open.is_empty() {
            return None;
        }
        let asking = self
            .open
            .iter()
            .filter(|case| matches!(case.state, State::CopiesUnderWay));
        asking.map(|case| case.start).min()
    }

    /// A copy of these octets has come to its end.
    #[inline]
    pub(crate) fn copy_sealed(&mut self, start: u64, end: u64, ledger: &Ledger, acks: &AckLog) {
        self.sweep(
            |case| matches!(case.state, State::CopiesUnderWay) && start < case.end && case.start < end,
            |case| case.look_at_copies(ledger, acks),
        );
    }

    /// A segment that was sent at `sent` reached the receiver.
    #[inline]
    pub(crate) fn segment_arrived(&mut self, sent: u64, order: u64) {
        self.sweep(
            |case| case.closed.is_none() && case.opened <= sent,
            |case| {
                case.closed = Some(order);
                case.look_at_acks()
            },
        );
    }

    /// The receiver sent an acknowledgement.
    #[inline]
    pub(crate) fn ack_sent(&mut self, ack: &Ack) {
        if self.open.is_empty() {
            return;
        }
        for case in &mut self.open {
            if case.asks_for(ack) {
                if let State::Delivered { acks, .. } = &mut case.state {
                    *acks += 1;
                }
            }
        }
    }

    /// An acknowledgement was delivered or lost.
    #[inline]
    pub(crate) fn ack_sealed(&mut self, ack: &Ack) {
        self.sweep(
            |case| case.asks_for(ack),
            |case| {
                if ack.lost == Some(false) {
                    return case.delayed();
                }
                if let State::Delivered { acks_lost, .. } = &mut case.state {
                    *acks_lost += 1;
                }
                case.look_at_acks()
            },
        );
    }

    /// An acknowledgement reached the data sender: what could the sender conclude from it?
    pub(crate) fn ack_arrived(&mut self, arrived: &ArrivedAck<'_>) {
        let duplicate = arrived.blocks.duplicate(arrived.ack);
        let mut reported = false;
        let mut unanswered = self.unanswered;
        // A report is about one duplicate: of several copies the last one was too much.
        for case in self.open.iter_mut().rev() {
            if unanswered == 0 && (duplicate.is_none() || reported) {
                break;
            }
            let Subject::Resend { stamp, .. } = case.subject else {
                continue;
            };
            unanswered -= usize::from(case.is_unanswered());
            let about_it = duplicate.is_some_and(|(left, right)| left <= case.start && case.end <= right);
            if about_it && !reported && !case.duplicate_reported {
                case.evidence.get_or_insert(Evidence::DSack);
                case.duplicate_reported = true;
                reported = true;
            } else if case.closed.is_none() && arrived.ack > case.start {
                // The first acknowledgement after the retransmission alone tells.
                case.closed = Some(u64::MAX);
                self.unanswered -= 1;
                let echo = arrived.segment.options.timestamps.map(|stamps| stamps.echo);
                // Of several segments acknowledged at once the echo is of the first one (RFC 7323, section 4.3).
                let first = case.start <= arrived.before && arrived.before < case.end;
                if let (Some(sent), Some(echo), true) = (stamp, echo, first) {
                    // RFC 3522, section 3.2, step 4: the echo is older than the retransmission.
                    if echo.wrapping_sub(sent) > u32::MAX / 2 {
                        case.evidence.get_or_insert(Evidence::Timestamps);
                    }
                }
            }
        }
    }

    /// The run is over: what is open now stays as it is.
    pub(crate) fn close_all(&mut self) {
        let open = std::mem::take(&mut self.open);
        self.unanswered = 0;
        self.decided.extend(open.iter().map(Case::as_it_stands));
    }

    /// Lets `decide` look at the cases that `concerned` names; mostly there are none at all.
    #[inline]
    fn sweep(&mut self, concerned: impl Fn(&Case) -> bool, decide: impl FnMut(&mut Case) -> Option<Decision>) {
        if !self.open.is_empty() {
            self.sweep_open(concerned, decide);
        }
    }

    #[inline(never)]
    fn sweep_open(&mut self, concerned: impl Fn(&Case) -> bool, mut decide: impl FnMut(&mut Case) -> Option<Decision>) {
        let Self {
            open,
            unanswered,
            decided,
        } = self;
        open.retain_mut(|case| {
            if !concerned(case) {
                return true;
            }
            *unanswered -= usize::from(case.is_unanswered());
            let decision = decide(case);
            let keep = decision.is_none();
            *unanswered += usize::from(keep && case.is_unanswered());
            decided.extend(decision);
            keep
        });
    }
}

impl Case {
    /// Whether it is a retransmission that nothing has answered yet.
    const fn is_unanswered(&self) -> bool {
        self.closed.is_none() && matches!(self.subject, Subject::Resend { .. })
    }

    /// Whether this acknowledgement is one that would have told the sender in time.
    fn asks_for(&self, ack: &Ack) -> bool {
        let State::Delivered { order, .. } = self.state else {
            return false;
        };
        ack.order >= order && self.closed.is_none_or(|closed| ack.order < closed) && ack.covers(self.start, self.end)
    }

    fn look_at_copies(&mut self, ledger: &Ledger, log: &AckLog) -> Option<Decision> {
        match ledger.coverage(self.start, self.end, self.opened) {
            Coverage::Flying => None,
            Coverage::Lost { at, by } => {
                Some(self.decision(Verdict::Necessary, Some(Reason::DataLost), Before::Lost { at, by }))
            }
            Coverage::Delivered { order, at } => {
                self.state = State::Delivered {
                    order,
                    at,
                    acks: 0,
                    acks_lost: 0,
                };
                if self.was_told {
                    return self.delayed();
                }
                let (mut sent, mut lost) = (0, 0);
                for ack in log.since(order).filter(|ack| self.asks_for(ack)) {
                    match ack.lost {
                        Some(false) => return self.delayed(),
                        Some(true) => lost += 1,
                        None => {}
                    }
                    sent += 1;
                }
                self.state = State::Delivered {
                    order,
                    at,
                    acks: sent,
                    acks_lost: lost,
                };
                self.look_at_acks()
            }
        }
    }

    /// Decides once no further acknowledgement can count and all that do were lost.
    fn look_at_acks(&self) -> Option<Decision> {
        let State::Delivered {
            at, acks, acks_lost, ..
        } = self.state
        else {
            return None;
        };
        if self.closed.is_none() || acks_lost < acks {
            return None;
        }
        // Without any, the receiver had not come to speak (a delayed acknowledgement), or a later copy was quicker.
        let reason = if acks == 0 { Reason::Delayed } else { Reason::AckLost };
        Some(self.decision(Verdict::Unnecessary, Some(reason), Before::Delivered { at }))
    }

    /// The decision if nothing more is ever known.
    fn as_it_stands(&self) -> Decision {
        let State::Delivered {
            at, acks, acks_lost, ..
        } = self.state
        else {
            return self.decision(Verdict::Unknown, None, Before::Unknown);
        };
        let reason = match (acks, acks_lost) {
            (0, _) => Some(Reason::Delayed),
            (sent, lost) if sent == lost => Some(Reason::AckLost),
            _ => None,
        };
        self.decision(Verdict::Unnecessary, reason, Before::Delivered { at })
    }

    fn delayed(&self) -> Option<Decision> {
        let State::Delivered { at, .. } = self.state else {
            return None;
        };
        Some(self.decision(Verdict::Unnecessary, Some(Reason::Delayed), Before::Delivered { at }))
    }

    fn decision(&self, verdict: Verdict, reason: Option<Reason>, before: Before) -> Decision {
        Decision {
            subject: self.subject,
            verdict,
            reason,
            before,
            evidence: self.evidence,
        }
    }
}
