//! What is sent next.

use windlull_units::{Ecn, Time};
use windlull_wire::{LimitedBy, SeqNumber, TransmitCause};

use crate::detection::{Detector, Shape};
use crate::minimum::Train;
use crate::ranges::Range;
use crate::recovery::{LossRecovery, Next, Transmission};
use crate::registry::{AfterIdle, RoundTrips};

use super::stream::Chunk;
use super::view::{Mode, Setback};
use super::{Forced, ForcedRange, Limit, Sender};

/// A segment to send; the endpoint adds acknowledgement, window and options.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// The number of its first octet.
    pub(crate) number: SeqNumber,
    /// Octets of payload.
    pub(crate) payload_len: u32,
    /// Whether it carries FIN.
    pub(crate) fin: bool,
    /// Whether it ends what the application has written.
    pub(crate) push: bool,
    /// Why it is sent.
    pub(crate) cause: TransmitCause,
    /// Whether a queue may mark it.
    pub(crate) ecn: Ecn,
    /// Whether it tells that the congestion window was reduced (RFC 3168, CWR).
    pub(crate) reduced: bool,
}

impl Sender {
    /// Whether there is nothing to send until something arrives, is written or fires; so it is with a mere receiver.
    #[inline]
    pub(crate) fn is_silent(&self) -> bool {
        matches!(self.view.mode, Mode::Open)
            && matches!(self.limit, Limit::Application { .. })
            && self.forced.is_none()
            && !self.probe_due
            && self.pace.is_none()
            && self.view.stream.is_exhausted()
    }

    /// The next segment, of at most `room` octets of payload, if the windows allow one at `now`.
    #[inline]
    pub(crate) fn next(&mut self, now: Time, room: u64) -> Option<Plan> {
        if self.forced.is_some() || self.probe_due {
            if let Some(plan) = self.next_whatever_the_window(now, room) {
                return Some(plan);
            }
        }
        if self.pace.as_mut().is_some_and(|pace| pace.holds(now)) {
            self.limited_by = Some(self.limit_between_departures(room));
            return None;
        }
        match self.view.mode {
            Mode::Open => self.next_open(now, room),
            Mode::FastRecovery => self.next_in_recovery(now, room),
            Mode::Detecting { .. } => self.next_detecting(now, room),
            Mode::GoingBack { .. } => self.next_going_back(now, room),
        }
    }

    #[inline(never)]
    fn next_whatever_the_window(&mut self, now: Time, room: u64) -> Option<Plan> {
        self.next_forced(now, room).or_else(|| self.next_probe(now, room))
    }

    /// What no window holds back; the peer's does so with new data, but for an octet that is meant to lie beyond it.
    fn next_forced(&mut self, now: Time, room: u64) -> Option<Plan> {
        let Forced { cause, part } = self.forced.take()?;
        let (range, shape) = match part {
            ForcedRange::First(shape) => (
                self.view.scoreboard.hole(self.view.stream.una, self.view.stream.max)?,
                shape,
            ),
            ForcedRange::Octets(range) => (range, Shape::Whole),
            ForcedRange::NewOr(range) => {
                if let Ok(chunk) = self.view.stream.unsent(room) {
                    return Some(self.send_new(now, chunk, cause));
                }
                let left = range.left.max(range.right.saturating_sub(room));
                (Range::new(left, range.right), Shape::Whole)
            }
            ForcedRange::BeyondWindow => {
                let chunk = self.view.stream.next_octet()?;
                return Some(self.send_new(now, chunk, cause));
            }
        };
        let whole = self.view.stream.sent_before(range.left, range.right, room);
        let len = whole.payload_len();
        let chunk = match shape {
            Shape::ShorterBy(octets) if len > octets => whole.cut(len - octets),
            Shape::Halves if len > 1 => whole.cut(len.div_ceil(2)),
            Shape::Whole | Shape::ShorterBy(_) | Shape::Halves => whole,
        };
        self.detector.on_resent(chunk.payload(), whole.payload());
        if shape == Shape::Halves && chunk != whole {
            let rest = Range::new(chunk.end, whole.sequence_end());
            self.forced = Some(Forced {
                cause,
                part: ForcedRange::Octets(rest),
            });
        }
        Some(self.send_again(now, chunk, cause))
    }

    /// The persist timer fired: what little the window has room for, else an octet's worth of nothing that the receiver
    /// must answer. It lies before `SND.UNA` and carries no data (as Linux probes), so that no octet is ever outstanding
    /// beyond the window.
    fn next_probe(&mut self, now: Time, room: u64) -> Option<Plan> {
        let due = std::mem::take(&mut self.probe_due);
        if !due || self.view.stream.is_outstanding() {
            return None;
        }
        match self.view.stream.override_unsent(room) {
            Some(chunk) => Some(self.send_new(now, chunk, TransmitCause::WindowProbe)),
            None => Some(Plan {
                number: self.view.stream.number_before_una(),
                payload_len: 0,
                fin: false,
                push: false,
                cause: TransmitCause::WindowProbe,
                ecn: Ecn::NotEct,
                reduced: false,
            }),
        }
    }

    #[inline]
    fn next_open(&mut self, now: Time, room: u64) -> Option<Plan> {
        let chunk = match self.view.stream.unsent(room) {
            Ok(chunk) => chunk,
            Err(held) => {
                self.limited_by = Some(held.into());
                if matches!(self.limit, Limit::Window) {
                    self.limit = Limit::Application { since: now };
                }
                return None;
            }
        };
        if !self.view.stream.is_outstanding() {
            self.restart_after_idle(now);
        }
        let len = chunk.payload_len().max(1);
        let outstanding = match &self.modelling {
            None => self.view.stream.flight(),
            Some(modelling) => modelling.inflight(),
        };
        if outstanding + len <= self.view.congestion.cwnd {
            return Some(self.send_new(now, chunk, TransmitCause::NewData));
        }
        if self.policy.limited_transmit && self.recovery.may_exceed(&self.view, len) {
            self.view.limited += chunk.sequence_len();
            return Some(self.send_new(now, chunk, TransmitCause::LimitedTransmit));
        }
        if let Limit::Application { since } = self.limit {
            self.limit = Limit::Window;
            self.view.congestion.on_application_limited(now.since(since));
        }
        self.limited_by = Some(LimitedBy::CongestionWindow);
        None
    }

    /// After a timeout's length of silence (RFC 5681, section 4.1; jacobson1988, appendix C) acknowledgements clock nothing any
    /// more.
    fn restart_after_idle(&mut self, now: Time) {
        if self.policy.congestion_window
            && now.since(self.last_sent) > self.view.timer.rto()
            && self.view.stream.max > 0
        {
            let restart = match self.policy.after_idle {
                AfterIdle::InitialWindow => self.initial_window(),
                AfterIdle::OneSegment => self.view.stream.smss,
                AfterIdle::Keep => return,
            };
            if self.view.congestion.cwnd > restart {
                self.view.congestion.set_cwnd(restart);
            }
        }
    }

    fn next_in_recovery(&mut self, now: Time, room: u64) -> Option<Plan> {
        if self.quota == 0 {
            return None;
        }
        let plan = match self.recovery.next(&self.view)? {
            Next::Again { range, cause } => {
                let chunk = self.view.stream.sent_before(range.left, range.right, room);
                if chunk.sequence_len() == 0 {
                    return None;
                }
                self.send_again(now, chunk, cause)
            }
            Next::New => {
                let chunk = self.view.stream.unsent(room).ok()?;
                self.send_new(now, chunk, TransmitCause::NewData)
            }
        };
        self.quota -= 1;
        Some(plan)
    }

    fn next_detecting(&mut self, now: Time, room: u64) -> Option<Plan> {
        let Mode::Detecting { probes, .. } = &mut self.view.mode else {
            return None;
        };
        *probes = probes.checked_sub(1)?;
        let chunk = self.view.stream.unsent(room).ok()?;
        Some(self.send_new(now, chunk, TransmitCause::DetectorProbe))
    }

    fn next_going_back(&mut self, now: Time, room: u64) -> Option<Plan> {
        if let Some(hole) = self.recovery.next_going_back(&self.view) {
            let chunk = self.view.stream.sent_before(hole.left, hole.right, room);
            let fits = self.outstanding() + chunk.payload_len().max(1) <= self.view.congestion.cwnd;
            // The peer's window does not shrink, but a peer that breaks this rule is not to be flooded.
            let allowed = chunk.start < self.view.stream.edge;
            let cause = match self.view.mode {
                Mode::GoingBack {
                    after: Setback::FastRetransmit,
                    ..
                } => TransmitCause::GoBack,
                _ => TransmitCause::AfterTimeout,
            };
            return (fits && allowed).then(|| {
                self.detector.on_resent(chunk.payload(), chunk.payload());
                self.send_again(now, chunk, cause)
            });
        }
        let chunk = self.view.stream.unsent(room).ok()?;
        let fits = self.outstanding() + chunk.payload_len().max(1) <= self.view.congestion.cwnd;
        fits.then(|| self.send_new(now, chunk, TransmitCause::NewData))
    }

    #[inline]
    fn send_new(&mut self, now: Time, chunk: Chunk, cause: TransmitCause) -> Plan {
        let cause = if chunk.payload_len() == 0 {
            TransmitCause::Fin
        } else {
            cause
        };
        self.view.stream.on_sent(chunk);
        self.view.stream.nxt = self.view.stream.max;
        if matches!(self.view.mode, Mode::GoingBack { .. }) {
            self.view.scoreboard.advance_mark(self.view.stream.nxt);
        }
        self.meter.on_sent(now, chunk.start, chunk.sequence_end());
        self.on_any_sent(now, chunk, false);
        self.plan(chunk, cause, false)
    }

    fn send_again(&mut self, now: Time, chunk: Chunk, cause: TransmitCause) -> Plan {
        let end = chunk.sequence_end();
        let octets = Range::new(chunk.start, end);
        // A rescue is sent in case of a loss that nothing has told of.
        if cause != TransmitCause::Rescue {
            self.judge_repair(octets);
        }
        self.view.marks.on_sent_again(octets);
        self.note_for_undo(now, octets);
        let first_again = self.view.mode == Mode::FastRecovery && chunk.start == self.view.stream.una;
        match &mut self.view.mode {
            Mode::GoingBack { .. } => {
                self.view.stream.nxt = self.view.stream.nxt.max(end);
                self.view.scoreboard.advance_mark(self.view.stream.nxt);
            }
            // RFC 6675, section 5, (C.2): a rescue leaves HighRxt alone.
            Mode::FastRecovery if cause != TransmitCause::Rescue => self.view.scoreboard.advance_mark(end),
            Mode::Detecting { resent, .. } if cause != TransmitCause::DetectorProbe => *resent = end,
            Mode::Open | Mode::FastRecovery | Mode::Detecting { .. } => {}
        }
        self.meter.on_retransmitted(chunk.start, end);
        self.on_any_sent(now, chunk, true);
        // Linux, `tcp_xmit_retransmit_queue`.
        if first_again && self.policy.round_trips == RoundTrips::Linux {
            self.view.timer.restart(now);
        }
        self.plan(chunk, cause, true)
    }

    #[inline]
    fn on_any_sent(&mut self, now: Time, chunk: Chunk, again: bool) {
        let octets = Range::new(chunk.start, chunk.sequence_end());
        self.tell_model_of_sending(now, octets, again);
        self.recovery.on_sent(&Transmission { now, octets, again });
        if chunk.payload_len() > 0 {
            let last = chunk.payload();
            let (first, segments) = self.train.map_or((last, 0), |train| (train.first, train.segments));
            self.train = Some(Train {
                first,
                last,
                segments: segments + 1,
            });
        }
        self.changed = true;
        // Until the next attempt finds what there is to send; without any there is no attempt.
        self.limited_by = Some(LimitedBy::Application);
        self.last_sent = now;
        self.keep_pace(now, chunk.payload_len());
        self.view.timer.start(now);
    }

    #[inline]
    fn keep_pace(&mut self, now: Time, octets: u64) {
        let Some(pace) = &mut self.pace else {
            return;
        };
        if matches!(self.view.mode, Mode::Open) {
            self.view.congestion.on_paced();
        }
        pace.on_sent(now, octets, self.view.congestion.spacing());
    }

    #[inline]
    fn plan(&mut self, chunk: Chunk, cause: TransmitCause, again: bool) -> Plan {
        let (ecn, reduced) = if chunk.payload_len() > 0 {
            let (ecn, reduced) = self.view.marks.on_sent(cause, again);
            self.detector.on_sent(chunk.payload(), again, ecn == Ecn::Ect1);
            (ecn, reduced)
        } else {
            (Ecn::NotEct, false)
        };
        Plan {
            number: self.view.stream.number(chunk.start),
            payload_len: u32::try_from(chunk.payload_len()).expect("a segment's payload is bounded by the MSS"),
            fin: chunk.fin,
            push: chunk.end == self.view.stream.written && chunk.payload_len() > 0,
            cause,
            ecn,
            reduced,
        }
    }
}
