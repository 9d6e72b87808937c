//! What an acknowledgement changes.

use std::borrow::Cow;

use windlull_units::{Span, Time};
use windlull_wire::{DetectorAnswer, SackBlock, SenderEvent, TransmitCause};

use crate::congestion::Growth;
use crate::detection::{Detector, Finding, Step, Substitute};
use crate::observer::EndpointObserver;
use crate::ranges::Range;
use crate::recovery::{Decision, LossRecovery};

use super::stream::Stream;
use super::view::{Ack, Mode, Setback};
use super::{Forced, ForcedRange, Limit, Sender};

/// An acceptable acknowledgement as it came: not below `SND.UNA`, not above what was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Incoming<'a> {
    /// What it acknowledges.
    pub(crate) ack: u64,
    /// The window it offers, in octets; `None` if the segment is too old to say (RFC 9293, section 3.10.7.4).
    pub(crate) window: Option<u64>,
    /// Whether it carries neither payload nor SYN nor FIN.
    pub(crate) pure: bool,
    /// Whether it echoes a congestion mark (RFC 3168).
    pub(crate) marked: bool,
    /// Its count of marked packets, where accurate ECN is spoken (RFC 9768).
    pub(crate) field: u8,
    /// Its nonce sum (RFC 3540).
    pub(crate) nonce_sum: bool,
    pub(crate) blocks: &'a [SackBlock],
    /// The timestamp it echoes.
    pub(crate) echo: Option<u32>,
}

impl Sender {
    pub(crate) fn on_ack(&mut self, now: Time, incoming: &Incoming<'_>, o: &mut impl EndpointObserver) {
        self.changed = true;
        self.unanswered = 0;
        self.check_application();
        self.quota = self.policy.burst_limit.unwrap_or(u32::MAX);
        if self.view.stream.max == 0 && !incoming.marked {
            // Nothing was sent that it could speak of: most of what a mere receiver gets.
            if let Some(octets) = incoming.window {
                self.offer(octets);
            }
            self.avoid_burst();
            return;
        }
        let ack = self.take_in(now, incoming, o);
        self.act_on_ack(now, &ack, o);
        if ack.marked {
            self.on_echo(now);
        }
        if matches!(self.view.mode, Mode::GoingBack { point, .. } if self.view.stream.una >= point) {
            self.open(now, o);
        }
        self.view.dsack_seen |= ack.dsack;
        self.avoid_burst();
        self.tell_model_of_ack(now, &ack);
        self.update_pace();
    }

    /// The mechanisms decide, one after the other, and the sender does it.
    #[inline]
    pub(super) fn act_on_ack(&mut self, now: Time, ack: &Ack, o: &mut impl EndpointObserver) {
        self.recovery.on_news(&self.view, ack);
        self.measure_segments(ack, o);
        self.detector.on_news(&self.view, ack);
        let conventional = if self.follow_up(now, ack, o) {
            false
        } else if self.detector.is_asking() {
            let step = self.detector.on_ack(&self.view, ack);
            self.act_on_finding(now, step, ack, o)
        } else {
            true
        };
        if conventional && !self.undo_fast_retransmit(now, ack, o) {
            let decision = self.recovery.on_ack(&self.view, ack);
            self.act_on_decision(now, decision, ack, o);
        }
    }

    /// Brings stream, scoreboard, timer and window up to date, and tells what was new.
    fn take_in(&mut self, now: Time, incoming: &Incoming<'_>, o: &mut impl EndpointObserver) -> Ack {
        let advanced = incoming.ack - self.view.stream.una;
        let same_window = incoming.window.is_none_or(|octets| octets == self.offered);
        // RFC 5681, section 2.
        let repeats = advanced == 0 && incoming.pure && same_window;
        let duplicate = repeats && self.view.stream.is_outstanding();
        let known = self.view.marks.are_counted().then(|| self.sacked_below(incoming.ack));
        if advanced > 0 {
            self.advance(now, incoming, o);
        }
        let (sacked, reported) = if incoming.blocks.is_empty() {
            (0, None)
        } else {
            self.record_blocks(incoming.ack, incoming.blocks)
        };
        if let Some(octets) = incoming.window {
            self.offer(octets);
        }
        let marked = self.take_in_marks(now, incoming, advanced, known.map(|known| (sacked, known)));
        Ack {
            now,
            advanced,
            duplicate,
            repeats: repeats && incoming.blocks.is_empty(),
            sacked,
            dsack: reported.is_some(),
            reported,
            marked,
            nonce_sum: incoming.nonce_sum,
            echo: incoming.echo,
        }
    }

    #[inline]
    fn advance(&mut self, now: Time, incoming: &Incoming<'_>, o: &mut impl EndpointObserver) {
        self.view.limited = 0;
        // A retransmission that was asked for and not yet made would be of another segment now.
        self.forced = None;
        self.view.stream.una = incoming.ack;
        // Originals acknowledged while going back need not be sent again.
        self.view.stream.nxt = self.view.stream.nxt.max(incoming.ack);
        self.view.scoreboard.acknowledge(incoming.ack);
        self.view.marks.on_acknowledged(incoming.ack);
        self.view.timer.on_acknowledged(incoming.ack);
        self.measure(now, incoming.echo, o);
        if self.view.stream.is_outstanding() {
            self.view.timer.restart(now);
        } else {
            self.view.timer.stop();
        }
    }

    /// Octets newly SACKed, and the first block if it reports a duplicate: it lies below the acknowledgement it came with, or
    /// within the second block (RFC 2883, section 4).
    pub(super) fn record_blocks(&mut self, ack: u64, blocks: &[SackBlock]) -> (u64, Option<Range>) {
        let mut range = |block: &SackBlock| {
            let left = self.view.stream.offset(block.left)?;
            let right = self.view.stream.offset(block.right)?;
            Some(Range::new(left, right)).filter(|range| !range.is_empty() && range.right <= self.view.stream.max)
        };
        let first = blocks.first().and_then(&mut range);
        let second = blocks.get(1).and_then(&mut range);
        let reported = first.filter(|&first| first.right <= ack || second.is_some_and(|second| second.covers(first)));
        if !(self.recovery.reads_sack() || self.detector.reads_sack()) {
            return (0, reported);
        }
        let mut sacked = 0;
        for block in blocks.iter().skip(usize::from(reported.is_some())) {
            // A block that is malformed, or speaks of what was never sent, says nothing (RFC 5961's spirit).
            let Some(range) = self.valid_range(block) else { continue };
            sacked += self.view.scoreboard.record(range);
        }
        (sacked, reported)
    }

    /// The part of a block above the cumulative acknowledgement.
    fn valid_range(&self, block: &SackBlock) -> Option<Range> {
        let left = self.view.stream.offset(block.left)?.max(self.view.stream.una);
        let right = self.view.stream.offset(block.right)?;
        Some(Range::new(left, right)).filter(|range| !range.is_empty() && range.right <= self.view.stream.max)
    }

    /// Does what the detector found; tells whether conventional processing of the acknowledgement goes on.
    fn act_on_finding(&mut self, now: Time, step: Step<Finding>, ack: &Ack, o: &mut impl EndpointObserver) -> bool {
        let answer = match step.outcome {
            Finding::Nothing | Finding::Probe { .. } | Finding::ProbeWith(_) => None,
            Finding::GoBack { answer, .. } | Finding::GoOn { answer } => Some(answer),
            Finding::Spurious => Some(DetectorAnswer::Spurious),
        };
        self.tell_rule(now, step.rule, answer, o);
        if answer == Some(DetectorAnswer::Genuine) {
            self.view.timer.on_genuine(now);
        }
        match step.outcome {
            Finding::Nothing => !matches!(self.view.mode, Mode::Detecting { .. }),
            Finding::Probe { segments } => {
                if let Mode::Detecting { probes, .. } = &mut self.view.mode {
                    *probes = segments;
                }
                // sarolahti2003, section 3, step 2a: the probes are sent beside it.
                self.view.congestion.set_cwnd(self.view.congestion.ssthresh);
                false
            }
            Finding::ProbeWith(substitute) => {
                let Stream { una, max, smss, .. } = self.view.stream;
                self.forced = Some(Forced {
                    cause: TransmitCause::DetectorProbe,
                    part: match substitute {
                        Substitute::Tail => ForcedRange::Octets(Range::new(una.max(max.saturating_sub(smss)), max)),
                        Substitute::BeyondWindow => ForcedRange::BeyondWindow,
                    },
                });
                self.view.congestion.set_cwnd(self.view.congestion.ssthresh);
                false
            }
            Finding::GoBack { segments, .. } => {
                if let Mode::Detecting { point, resent, .. } = self.view.mode {
                    self.go_back(segments, point, resent, Setback::Timeout);
                }
                true
            }
            Finding::GoOn { .. } => true,
            Finding::Spurious => {
                self.respond(now, ack, o);
                false
            }
        }
    }

    pub(super) fn tell_rule(
        &self,
        now: Time,
        rule: Option<&'static str>,
        answer: Option<DetectorAnswer>,
        o: &mut impl EndpointObserver,
    ) {
        if let Some(rule) = rule {
            let event = SenderEvent::Detector {
                ordinal: self.timeouts,
                rule: Cow::Borrowed(rule),
                answer,
            };
            o.sender(now, &event);
        }
    }

    pub(super) fn act_on_decision(&mut self, now: Time, decision: Decision, ack: &Ack, o: &mut impl EndpointObserver) {
        match decision {
            Decision::Nothing => {}
            Decision::Grow => {
                // RFC 3168, section 6.1.2: an echo lets nothing grow.
                if self.limit == Limit::Window && !ack.marked {
                    let growth = Growth {
                        octets: ack.advanced,
                        smss: self.view.stream.smss,
                        now,
                        rtt: self.view.timer.measured().map_or(Span::ZERO, |measured| measured.srtt),
                    };
                    self.view.congestion.grow(&growth);
                }
            }
            Decision::Enter { point, ssthresh, cwnd } => {
                self.remember_for_undo();
                self.count_loss(point);
                self.view.mode = Mode::FastRecovery;
                self.recovery_point = point;
                if let Some(modelling) = &mut self.modelling {
                    modelling.on_recovery();
                }
                self.view.congestion.set_ssthresh(ssthresh);
                self.view.congestion.set_cwnd(cwnd);
                self.view.scoreboard.reset_mark(self.view.stream.una);
                self.tell_fast_retransmit(now, point, o);
            }
            Decision::Restart { ssthresh } => {
                let point = self.view.stream.max;
                self.count_loss(point);
                // Its window is one segment in any case, and of that the peer is told.
                self.view.marks.on_loss(point);
                self.view.congestion.set_ssthresh(ssthresh);
                self.go_back(1, point, self.view.stream.una, Setback::FastRetransmit);
                self.tell_fast_retransmit(now, point, o);
            }
            Decision::Resize { cwnd } => self.view.congestion.set_cwnd(cwnd),
            Decision::Reduce { ssthresh } => {
                o.sender(now, &SenderEvent::LossProbeRepaired);
                self.view.marks.on_loss(self.view.stream.max);
                self.reduce(ssthresh);
                self.tell_model_of_repaired_loss(now);
            }
            Decision::Partial { cwnd } => {
                self.view.congestion.set_cwnd(cwnd);
                self.forced = Some(Forced::whole(TransmitCause::PartialAck));
            }
            Decision::Leave { cwnd } => {
                self.view.congestion.set_cwnd(cwnd);
                self.open(now, o);
            }
        }
    }

    /// A recovery begins: congestion, unless a mark has told of it.
    fn count_loss(&mut self, point: u64) {
        if !self.view.is_spared(self.recovery.first_lost(&self.view)) {
            self.view.marks.on_loss(point);
            self.view.congestion.on_loss(self.view.congestion.cwnd, false);
        }
    }

    /// Congestion without a segment to send again: the window becomes the threshold.
    pub(super) fn reduce(&mut self, ssthresh: u64) {
        self.view.congestion.on_loss(self.view.congestion.cwnd, false);
        self.view.congestion.set_ssthresh(ssthresh);
        self.view.congestion.set_cwnd(ssthresh);
    }

    /// The first segment lost goes out again.
    fn tell_fast_retransmit(&mut self, now: Time, point: u64, o: &mut impl EndpointObserver) {
        self.forced = self.recovery.first_lost(&self.view).map(|lost| Forced {
            cause: TransmitCause::FastRetransmit,
            part: ForcedRange::Octets(lost),
        });
        let event = SenderEvent::FastRetransmit {
            una: self.view.stream.una,
            recovery_point: point,
        };
        o.sender(now, &event);
    }

    /// Recovery of whichever kind is over.
    pub(super) fn open(&mut self, now: Time, o: &mut impl EndpointObserver) {
        self.view.mode = Mode::Open;
        self.view.stream.nxt = self.view.stream.max;
        self.view.scoreboard.reset_mark(self.view.stream.una);
        // The window was the limit all through recovery.
        self.limit = Limit::Window;
        o.sender(
            now,
            &SenderEvent::RecoveryEnded {
                una: self.view.stream.una,
            },
        );
        let decision = self.recovery.on_open(&self.view);
        self.act_on_decision(now, decision, &Ack::default(), o);
    }

    /// sarolahti2003, section 4.2: the window shrinks to what releases so many segments. In fast recovery, where it
    /// could not grow again, `quota` limits instead; a detector's probes are few by themselves.
    pub(super) fn avoid_burst(&mut self) {
        let Some(segments) = self.policy.burst_limit else {
            return;
        };
        if matches!(self.view.mode, Mode::Open | Mode::GoingBack { .. }) {
            let most = self.outstanding() + u64::from(segments) * self.view.stream.smss;
            if self.view.congestion.cwnd > most {
                self.view.congestion.cwnd = most;
            }
        }
    }
}
