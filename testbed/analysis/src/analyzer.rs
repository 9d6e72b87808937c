//! The analyser: an observer of a run that judges every timeout and retransmission as soon as the facts are known.

mod segments;
mod settle;

use windlull_capture::Observer;
use windlull_units::{DropCause, Fate, Host, LinkEvent, Outcome, PacketId, Replayed, Span, Time, UnmetCondition};
use windlull_wire::{Flags, Segment, SenderEvent, SeqNumber, TransmitCause};

use crate::acks::AckLog;
use crate::cases::Cases;
use crate::course::Course;
use crate::episodes::{Loss, Tracker, View};
use crate::follower::{Declared, Follower};
use crate::inference::Inference;
use crate::ledger::{EndOfWay, Ledger, Slot};
use crate::metrics::{Meter, Meters};
use crate::receiver::Received;
use crate::result::{Ends, Estimate, TimeoutRecord};
use crate::rtt::RoundTripMeter;
use crate::sent::Sent;
use crate::totals::Totals;
use crate::verdict::{Judgement, Reason, Truth};
use crate::withheld::Withheld;

/// Judges a run while it happens. Its memory is bounded by the window, but for the lists of timeouts and of fast
/// retransmits, and for the episodes if they are told.
#[derive(Debug)]
pub struct Analyzer {
    pub(crate) data_sender: Host,
    pub(crate) ends: Ends,
    /// Counts what happens.
    order: u64,
    /// The data sender's SYN, or what stands for it.
    origin: Option<SeqNumber>,
    sent: Sent,
    /// The position behind all that was sent, window probes included.
    reach: u64,
    /// Whether the receiver's window was shut when the data sender last heard of it.
    shut: bool,
    received: Received,
    acknowledged: u64,
    ledger: Ledger,
    acks: AckLog,
    pub(crate) cases: Cases,
    withheld: Withheld,
    inference: Inference,
    /// With the episodes, which are told by them.
    pub(crate) round_trips: Option<RoundTripMeter>,
    /// Whether the sender has said anything of itself.
    pub(crate) reported: bool,
    /// What it said last of the round trip.
    estimate: Option<Estimate>,
    pub(crate) meters: Meters,
    /// The window of the last acknowledgement that arrived: a duplicate has the same. That of a SYN is of another scale.
    last_window: Option<u16>,
    /// The fast retransmit and the timeout whose segments have not been sent yet.
    next_fast_retransmit: Option<usize>,
    next_timeout: Option<usize>,
    fin_end: Option<u64>,
    judgements: Option<Vec<Judgement>>,
    /// Of QUIC, once the connection is over: whether each packet that was declared lost was.
    pub(crate) losses: Option<Vec<Truth>>,
    pub(crate) episodes: Option<Tracker>,
    pub(crate) course: Option<Course>,
    /// Of a link that replays a recording, once the run is over.
    pub(crate) replayed: Option<Replayed>,
    /// Of a link whose script waits for the transport, once the run is over.
    pub(crate) unmet: Option<Vec<UnmetCondition>>,
    pub(crate) totals: Totals,
}

/// What loses a packet that arrives with flipped bits.
pub(crate) const CORRUPTED: &str = "corrupted";

impl Analyzer {
    /// For a run of which every packet's fate will be told.
    pub fn new(data_sender: Host) -> Self {
        Self::seen_from(data_sender, Ends::Both)
    }

    /// For packets seen at these ends.
    pub(crate) fn seen_from(data_sender: Host, ends: Ends) -> Self {
        Self {
            data_sender,
            ends,
            order: 0,
            origin: None,
            sent: Sent::default(),
            reach: 0,
            shut: false,
            // SYN is no payload.
            received: Received::from(1),
            acknowledged: 0,
            ledger: Ledger::default(),
            acks: AckLog::default(),
            cases: Cases::default(),
            withheld: Withheld::default(),
            inference: Inference::default(),
            round_trips: None,
            reported: false,
            estimate: None,
            meters: Meters::default(),
            last_window: None,
            next_fast_retransmit: None,
            next_timeout: None,
            fin_end: None,
            judgements: None,
            losses: None,
            episodes: None,
            course: None,
            replayed: None,
            unmet: None,
            totals: Totals::default(),
        }
    }

    /// Keeps the verdicts on retransmissions for [`Analyzer::take_judgements`], which must then be called often.
    #[must_use]
    pub fn keeping_judgements(mut self) -> Self {
        self.judgements = Some(Vec::new());
        self
    }

    /// Keeps what was sent and what was delivered in each second.
    #[must_use]
    pub fn keeping_course(mut self) -> Self {
        self.course = Some(Course::default());
        self
    }

    /// Tells of the run's episodes and round trips too.
    #[must_use]
    pub fn telling_episodes(mut self) -> Self {
        self.round_trips = Some(RoundTripMeter::default());
        self.episodes = Some(Tracker::default());
        self
    }

    /// Whom to tell of what episodes are made of, and where the connection stands.
    fn tracker(&mut self) -> Option<(&mut Tracker, View)> {
        let view = View {
            una: self.acknowledged,
            max: self.sent.max,
            fin_end: self.fin_end,
            srtt: self.round_trips.as_ref().and_then(RoundTripMeter::smoothed),
            data: self.data_sender.sends(),
        };
        self.episodes.as_mut().map(|tracker| (tracker, view))
    }

    /// The stream begins behind this number though no SYN was seen.
    pub(crate) fn assume_origin(&mut self, origin: SeqNumber) {
        self.origin = Some(origin);
        // SYN has been before the capture.
        self.sent = Sent::from(1);
        self.acknowledged = 1;
    }

    /// Whether [`Analyzer::take_judgements`] has any.
    #[inline]
    pub(crate) fn has_judgements(&self) -> bool {
        self.judgements
            .as_ref()
            .is_some_and(|judgements| !judgements.is_empty())
    }

    /// The verdicts that were reached since the last call, if [`Analyzer::keeping_judgements`] was asked for.
    pub fn take_judgements(&mut self) -> impl Iterator<Item = Judgement> + '_ {
        self.judgements.iter_mut().flat_map(|judgements| judgements.drain(..))
    }

    /// The round trip that the last acknowledgement measured, once, and when that arrived.
    pub(crate) fn take_round_trip(&mut self) -> Option<(Time, Span)> {
        self.round_trips.as_mut()?.take_last()
    }

    /// As [`Observer::sent`]; whether a verdict on this very packet will follow, at the latest in
    /// [`Analyzer::finish`].
    pub fn on_sent(
        &mut self,
        now: Time,
        host: Host,
        id: PacketId,
        segment: &Segment,
        cause: Option<TransmitCause>,
    ) -> bool {
        self.tick(now);
        self.totals.began.get_or_insert(now);
        if host == self.data_sender {
            self.data_sent(now, id, segment, cause)
        } else {
            self.ack_sent(now, id, segment);
            false
        }
    }

    /// The link is done with a packet.
    #[inline]
    pub(crate) fn sealed(&mut self, id: PacketId, end: EndOfWay) {
        self.order += 1;
        match self.ledger.slot(id) {
            slot @ (Slot::Original(_) | Slot::Other(_)) => self.seal_copy(slot, end),
            Slot::Ack(place) => {
                if let Some(ack) = self.acks.get_mut(place) {
                    ack.lost = Some(!end.arrives());
                    self.cases.ack_sealed(ack);
                }
            }
            Slot::Plain | Slot::Unseen | Slot::Done => {}
        }
        if !end.arrives() {
            self.ledger.close_slot(id);
        }
        self.settle();
    }

    /// Gives the fast retransmits that the sender told of these verdicts, in their order: each is that of the declared loss
    /// which began it.
    pub(crate) fn judge_fast_retransmits(&mut self, verdicts: impl Iterator<Item = Truth>) {
        let told = self
            .totals
            .fast_retransmits
            .iter_mut()
            .filter(|record| !record.inferred);
        for (record, verdict) in told.zip(verdicts) {
            record.verdict = verdict;
            record.reason = (verdict == Truth::Genuine).then_some(Reason::DataLost);
        }
    }

    /// The loss of a packet, whose way must not be sealed yet: by the link, or because it arrived corrupted.
    pub(crate) fn loss_of(&mut self, id: PacketId, by: &'static str) -> Loss {
        let slot = self.ledger.slot(id);
        let range = self.ledger.copy(slot).map(|copy| (copy.start, copy.end));
        let sender = if range.is_some() {
            self.data_sender
        } else {
            self.data_sender.peer()
        };
        let direction = sender.sends();
        Loss { by, direction, range }
    }

    /// A packet was lost at this time.
    pub(crate) fn lost(&mut self, now: Time, loss: Loss) {
        if let Some((tracker, view)) = self.tracker() {
            tracker.lost(now, loss, view);
        }
    }

    /// Tells the episodes of a loss, if they are told; of a copy's that the link made nobody hears.
    fn tell_loss(&mut self, fate: &Fate, at: Time, by: &'static str) {
        if self.episodes.is_some() && fate.duplicate_of.is_none() {
            let loss = self.loss_of(fate.id, by);
            self.lost(at, loss);
        }
    }

    /// The link dropped a packet; by what may not be known.
    pub(crate) fn count_loss(&mut self, by: Option<DropCause>) {
        if by.is_some_and(|by| !by.is_loss()) {
            return;
        }
        self.totals.packets_lost += 1;
        self.totals.congestion_losses += u64::from(by.is_some_and(DropCause::is_congestion));
    }

    /// The link made a copy of a packet; if it arrives, so do the packet's octets.
    pub(crate) fn duplicated(&mut self, copy: PacketId, of: PacketId, end: EndOfWay) {
        self.order += 1;
        let slot = self.ledger.slot(of);
        if end.arrives() {
            if self
                .ledger
                .copy(slot)
                .is_some_and(|original| !original.end_of_way.arrives())
            {
                self.seal_copy(slot, end);
            }
            // An acknowledgement's copy is no acknowledgement of its own.
            let stands_for = if matches!(slot, Slot::Ack(_)) {
                Slot::Plain
            } else {
                slot
            };
            self.ledger.set_slot(copy, stands_for);
        } else {
            self.ledger.set_slot(copy, Slot::Plain);
            self.ledger.close_slot(copy);
        }
        self.settle();
    }

    fn seal_copy(&mut self, slot: Slot, end: EndOfWay) {
        let order = self.order;
        let Some(copy) = self.ledger.copy(slot) else { return };
        copy.end_of_way = end;
        if let EndOfWay::Delivered { order: when, .. } = &mut copy.end_of_way {
            *when = order;
        }
        let (start, end) = (copy.start, copy.end);
        self.cases.copy_sealed(start, end, &self.ledger, &self.acks);
    }

    /// A sentence for the result.
    pub(crate) fn note(&mut self, note: String) {
        self.totals.notes.push(note);
    }

    /// Nothing more will be told of this packet.
    pub(crate) fn forget(&mut self, id: PacketId) {
        self.ledger.close_slot(id);
    }

    /// A packet's way has ended, or that of a copy that the link made of one.
    #[inline]
    fn end_way(&mut self, fate: &Fate) {
        let end = EndOfWay::of(fate);
        match fate.duplicate_of {
            None => self.sealed(fate.id, end),
            Some(of) => self.duplicated(fate.id, of, end),
        }
    }

    /// The connection was closed in order, its last acknowledgement of data at this instant.
    pub(crate) fn close_at(&mut self, at: Time) {
        self.totals.closed.get_or_insert(at);
    }

    fn tick(&mut self, now: Time) {
        self.order += 1;
        self.totals.last = now;
    }
}

impl Follower for Analyzer {
    fn further_fate(&mut self, fate: &Fate) {
        self.end_way(fate);
    }

    fn declared_lost(&mut self, now: Time, lost: Declared) {
        if let Some((tracker, view)) = self.tracker() {
            tracker.declared_lost(now, lost, view);
        }
    }

    fn closed_in_order(&mut self, at: Time) {
        self.close_at(at);
    }
}

impl Observer for Analyzer {
    fn sent(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment, cause: Option<TransmitCause>) {
        self.on_sent(now, host, id, segment, cause);
    }

    #[inline]
    fn arrived(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment) {
        self.tick(now);
        self.totals.began.get_or_insert(now);
        let slot = self.ledger.close_slot(id);
        if host == self.data_sender {
            self.meters.answered(now, segment);
            self.shut = segment.window == 0 && !segment.flags.has(Flags::RST);
            self.ack_arrived(now, segment, slot);
        } else {
            self.data_arrived(now, segment, slot);
        }
        self.settle();
    }

    #[inline]
    fn fate(&mut self, fate: &Fate) {
        self.meters.fate(fate);
        match fate.outcome {
            Outcome::Delivered { .. } if !fate.corrupted => {}
            Outcome::Delivered { at } => self.tell_loss(fate, at, CORRUPTED),
            Outcome::Dropped { at, by } => {
                if by.is_loss() {
                    self.tell_loss(fate, at, by.name());
                }
                self.count_loss(Some(by));
            }
        }
        self.end_way(fate);
    }

    fn link(&mut self, now: Time, event: &LinkEvent) {
        if let Some((tracker, view)) = self.tracker() {
            tracker.link(now, event, view);
        }
    }

    fn sender(&mut self, now: Time, host: Host, event: &SenderEvent) {
        if host != self.data_sender {
            return;
        }
        self.order += 1;
        self.reported = true;
        self.meters.said(now, event);
        match *event {
            SenderEvent::Timeout {
                ordinal,
                una,
                rto,
                backoff,
                ref rule,
                ..
            } => self.timeout(TimeoutRecord {
                at_ns: now,
                ordinal,
                una,
                rto_ns: Some(rto),
                backoff: Some(backoff),
                rule: rule.as_deref().map(str::to_owned),
                estimate: self.estimate,
                inferred: false,
                verdict: Truth::Unknown,
                reason: None,
                evidence: None,
                withheld_ns: None,
                answer: None,
                answered_ns: None,
            }),
            SenderEvent::State(state) => {
                self.estimate = state.srtt.map(|srtt_ns| Estimate {
                    srtt_ns,
                    rttvar_ns: state.rttvar,
                });
            }
            SenderEvent::FastRetransmit { una, .. } => self.fast_retransmit(now, una, false),
            SenderEvent::Detector {
                ordinal,
                answer: Some(answer),
                ..
            } => {
                let asked = self
                    .totals
                    .timeouts
                    .iter_mut()
                    .rev()
                    .find(|record| record.ordinal == ordinal);
                if let Some(record) = asked.filter(|record| record.answer.is_none()) {
                    (record.answer, record.answered_ns) = (Some(answer), Some(now));
                }
            }
            _ => {}
        }
        if let Some((tracker, view)) = self.tracker() {
            tracker.sender(now, event, view);
        }
    }

    fn task(&mut self, _: Time, took: Span) {
        self.totals.tasks_took.push(took);
    }

    fn time_is_up(&mut self, now: Time) {
        self.totals.time_up = Some(now);
    }

    fn replayed(&mut self, replayed: &Replayed) {
        self.replayed = Some(*replayed);
    }

    fn unmet(&mut self, unmet: &[UnmetCondition]) {
        self.unmet = Some(unmet.to_vec());
    }
}
