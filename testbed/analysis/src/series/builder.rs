//! Gathers the diagram's rows while the run happens.

use std::io;

use windlull_capture::{Observer, Provenance};
use windlull_units::{Direction, DropCause, Fate, Host, LinkEvent, Outcome, PacketId, Span, Time};
use windlull_wire::{
    DetectorAnswer, Flags, LimitedBy, Phase, Segment, SenderEvent, SenderState, SeqNumber, TransmitCause,
};

use crate::acks::Blocks;
use crate::result::{RunAnalysis, TimeoutRecord};
use crate::series::column::{Column, Spill, Table};
use crate::series::columns::{
    Acks, Detector, FastRetransmits, Limits, Link, Names, Responses, RoundTripColumns, Sacks, Series, SeriesRun, State,
    Timeouts,
};
use crate::series::data::{Data, DataRow};
use crate::series::scratch::MakeScratchFile;
use crate::series::tables::{
    DROP_CORRUPTED, DROP_UNKNOWN, DropNames, MISSING, REASONS, VERDICTS, direction_index, index, intern, ns, number,
    offset, reason_index, span, truth_index,
};
use crate::series::window::Window;
use crate::verdict::Judgement;

/// Gathers what the diagram shows. Its memory grows with the run, as the diagram does, unless there is a scratch file: then it is bounded by the
/// window and by some blocks of rows, but for the responses to timeouts.
#[derive(Debug)]
pub struct SeriesBuilder {
    data_sender: Host,
    run: Option<SeriesRun>,
    origin: Option<SeqNumber>,
    /// The position behind the highest octet sent, SYN being at 0.
    max: u64,
    window: Window,
    /// Whether acknowledgements tell a window, as TCP's do.
    tells_windows: bool,
    last: Time,
    spill: Spill,
    data: Data,
    acks: Acks,
    sacks: Sacks,
    round_trips: RoundTripColumns,
    detector: Detector,
    responses: Responses,
    state: State,
    limits: Limits,
    link: Link,
    drop_names: DropNames,
    rules: Vec<String>,
    impairments: Vec<String>,
}

impl SeriesBuilder {
    /// For the run of this provenance, whose data comes from this host.
    pub fn new(data_sender: Host, provenance: &Provenance) -> Self {
        Self {
            run: Some(SeriesRun::from(provenance)),
            ..Self::of_unknown_run(data_sender)
        }
    }

    /// For a capture of unknown origin.
    pub(crate) fn of_unknown_run(data_sender: Host) -> Self {
        Self {
            data_sender,
            run: None,
            origin: None,
            max: 0,
            window: Window::default(),
            tells_windows: true,
            last: Time::ZERO,
            spill: Spill::default(),
            data: Data::default(),
            acks: Acks::default(),
            sacks: Sacks::default(),
            round_trips: RoundTripColumns::default(),
            detector: Detector::default(),
            responses: Responses::default(),
            state: State::default(),
            limits: Limits::default(),
            link: Link::default(),
            drop_names: DropNames::default(),
            rules: Vec::new(),
            impairments: Vec::new(),
        }
    }

    /// Sends rows to a file when they are many; the series is read from it when it is serialised.
    #[must_use]
    pub fn spilling_into(mut self, make: MakeScratchFile) -> Self {
        self.spill = Spill::into_file(make);
        self
    }

    /// The first error of that file. The series is not whole then.
    pub const fn error(&self) -> Option<&io::Error> {
        self.spill.error()
    }

    /// Octets of memory that the rows take.
    pub fn memory_bytes(&mut self) -> usize {
        let Link {
            holds,
            outages,
            bad,
            drops,
            marks,
            queue,
            rates,
            delays,
        } = &mut self.link;
        let lanes = holds.memory_bytes() + outages.memory_bytes() + bad.memory_bytes() + drops.memory_bytes();
        let sorted = marks.0.memory_bytes() + queue.down.0.memory_bytes() + queue.up.0.memory_bytes();
        let sender = self.state.memory_bytes()
            + self.limits.memory_bytes()
            + self.detector.memory_bytes()
            + self.round_trips.memory_bytes();
        let segments = self.data.memory_bytes() + self.acks.memory_bytes() + self.sacks.memory_bytes();
        lanes + sorted + rates.memory_bytes() + delays.memory_bytes() + sender + segments
    }

    /// A verdict on this packet, which was sent last, will follow.
    pub(crate) fn expect_verdict(&mut self, id: PacketId) {
        if let Some(row) = self.data.newest().filter(|row| row.id == id) {
            row.judged = true;
        }
    }

    /// The stream begins behind this number though no SYN was seen.
    pub(crate) fn assume_origin(&mut self, origin: SeqNumber) {
        self.origin = Some(origin);
        self.max = 1;
    }

    /// A retransmission was judged.
    pub fn judged(&mut self, judgement: &Judgement) {
        if let Some(row) = self.data.row(judgement.id) {
            (row.verdict, row.reason) = (Some(judgement.verdict), judgement.reason);
        }
    }

    /// Acknowledgements tell no window, as in QUIC.
    pub(crate) fn without_windows(&mut self) {
        self.tells_windows = false;
    }

    /// An acknowledgement that arrived then ended a round trip of this length.
    pub(crate) fn round_trip(&mut self, at: Time, trip: Span) {
        self.round_trips.t.push(ns(at));
        self.round_trips.rtt.push(span(trip));
        self.round_trips.relieve(&mut self.spill);
    }

    /// A packet arrived at this time.
    pub(crate) fn delivered(&mut self, id: PacketId, at: Time) {
        if let Some(row) = self.data.row(id) {
            row.arrived = row.arrived.min(at);
        }
    }

    /// A packet arrived with flipped bits.
    pub(crate) fn corrupted(&mut self, id: PacketId) {
        if let Some(row) = self.data.row(id) {
            row.drop = u8::try_from(DROP_CORRUPTED).ok();
        }
    }

    /// A host offered a window scale, or none, in a SYN that was not seen to be sent.
    pub(crate) fn window_offered(&mut self, host: Host, segment: &Segment) {
        self.window.seen(host, segment);
    }

    /// A packet was lost; by what may not be known, and when neither.
    pub(crate) fn lost(&mut self, id: PacketId, direction: Direction, at: Time, by: Option<DropCause>) {
        let by = by.map_or(DROP_UNKNOWN, |cause| self.drop_names.number(cause));
        self.link.drops.t.push(ns(at));
        self.link.drops.direction.push(direction_index(direction));
        self.link.drops.by.push(index(by));
        self.link.drops.id.push(number(id.0));
        self.link.drops.relieve(&mut self.spill);
        // Acknowledgements have no rows.
        let row = if direction == self.data_sender.sends() {
            self.data.row(id)
        } else {
            None
        };
        if let Some(row) = row {
            row.drop = u8::try_from(by).ok();
        }
    }

    /// The diagram's file, with the timeouts and fast retransmits of the analysis.
    pub fn finish(mut self, analysis: &RunAnalysis) -> Series {
        let mut link = self.link;
        for spells in [&mut link.holds, &mut link.outages, &mut link.bad] {
            spells.finish(self.last);
        }
        link.queue.down.0.finish();
        link.queue.up.0.finish();
        link.marks.0.finish();
        let timeouts = timeout_columns(&analysis.timeouts, &mut self.rules);
        Series {
            version: 1,
            run: self.run,
            data_sender: self.data_sender,
            duration_ns: self.last.as_ns(),
            names: names(
                self.drop_names.names(),
                self.rules,
                self.impairments,
                !self.limits.is_empty(),
            ),
            data: self.data,
            acks: self.acks,
            sacks: self.sacks,
            rtt: self.round_trips,
            timeouts,
            fast_retransmits: FastRetransmits {
                t: analysis.fast_retransmits.iter().map(|it| ns(it.at_ns)).collect(),
                una: analysis.fast_retransmits.iter().map(|it| number(it.una)).collect(),
                verdict: analysis
                    .fast_retransmits
                    .iter()
                    .map(|it| truth_index(it.verdict))
                    .collect(),
            },
            detector: self.detector,
            responses: self.responses,
            state: self.state,
            limits: self.limits,
            link,
        }
    }

    fn ack_arrived(&mut self, now: Time, segment: &Segment) {
        let Some(origin) = self.origin.filter(|_| segment.flags.has(Flags::ACK)) else {
            return;
        };
        let Some(ack) = segment.ack.unwrap_near(origin, self.max).filter(|&ack| ack <= self.max) else {
            return;
        };
        let scale = if segment.flags.has(Flags::SYN) {
            0
        } else {
            self.window.scale(self.data_sender.peer())
        };
        let window = if self.tells_windows {
            u64::from(segment.window) << scale
        } else {
            0
        };
        let duplicate =
            self.window.last == Some((ack, segment.window)) && segment.sequence_len() == 0 && ack < self.max;
        self.window.last = Some((ack, segment.window));
        let t = ns(now);
        self.acks.t.push(t);
        self.acks.ack.push(offset(ack));
        self.acks.edge.push(offset(ack.saturating_add(window)));
        self.acks.dup.push(i64::from(duplicate));
        let blocks = Blocks::of(&segment.options.sack, origin, ack);
        let report = blocks.duplicate(ack);
        for (place, &(left, right)) in blocks.as_slice().iter().enumerate() {
            self.sacks.t.push(t);
            self.sacks.left.push(offset(left));
            self.sacks.right.push(offset(right));
            self.sacks.dsack.push(i64::from(place == 0 && report.is_some()));
        }
        self.acks.relieve(&mut self.spill);
        self.sacks.relieve(&mut self.spill);
    }

    fn sender_state(&mut self, now: Time, state: &SenderState) {
        let columns = &mut self.state;
        if columns.t.tail.last() == Some(&ns(now)) {
            // Only the last of an instant shows.
            for column in columns.columns() {
                column.tail.pop();
            }
        }
        columns.t.push(ns(now));
        columns.cwnd.push(number(state.cwnd_bytes));
        columns.ssthresh.push(state.ssthresh_bytes.map_or(MISSING, number));
        columns.flight.push(number(state.flight_bytes));
        columns.srtt.push(state.srtt.map_or(MISSING, span));
        columns.rttvar.push(state.rttvar.map_or(MISSING, span));
        columns.rto.push(span(state.rto));
        columns.estimated_rto.push(state.estimated_rto.map_or(MISSING, span));
        columns.phase.push(
            Phase::ALL
                .iter()
                .position(|&it| it == state.phase)
                .map_or(MISSING, index),
        );
        columns.relieve(&mut self.spill);
    }
}

impl Observer for SeriesBuilder {
    fn sent(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment, cause: Option<TransmitCause>) {
        self.last = now;
        self.window.seen(host, segment);
        if host != self.data_sender {
            return;
        }
        if segment.flags.has(Flags::SYN) && self.origin.is_none() {
            self.origin = Some(segment.seq);
        }
        let Some(start) = self.origin.and_then(|origin| segment.seq.unwrap_near(origin, self.max)) else {
            return;
        };
        let first = start + u64::from(segment.flags.has(Flags::SYN));
        self.max = self.max.max(start + u64::from(segment.sequence_len()));
        if segment.payload_len > 0 {
            let row = DataRow {
                sent: now,
                id,
                offset: first.saturating_sub(1),
                len: segment.payload_len,
                cause,
                verdict: None,
                reason: None,
                arrived: Time::NEVER,
                drop: None,
                held: Span::ZERO,
                judged: false,
            };
            self.data.push(row, &mut self.spill);
        }
    }

    fn arrived(&mut self, now: Time, host: Host, _id: PacketId, segment: &Segment) {
        self.last = now;
        if host == self.data_sender {
            self.ack_arrived(now, segment);
        }
    }

    fn fate(&mut self, fate: &Fate) {
        // What is dropped as it leaves has waited, too.
        let dropped = match fate.outcome {
            Outcome::Dropped {
                at,
                by: DropCause::QueueEarly | DropCause::AckThinned,
            } => Some(at),
            _ => None,
        };
        if let Some(left) = fate.started.or(dropped).filter(|&left| left > fate.entered) {
            let queue = match fate.direction {
                Direction::Down => &mut self.link.queue.down.0,
                Direction::Up => &mut self.link.queue.up.0,
            };
            queue.push([ns(fate.entered), 1], &mut self.spill);
            queue.push([ns(left), -1], &mut self.spill);
        }
        if fate.marked && fate.duplicate_of.is_none() {
            let left = fate.started.unwrap_or(fate.entered);
            let row = [ns(left), number(fate.id.0), direction_index(fate.direction)];
            self.link.marks.0.push(row, &mut self.spill);
        }
        if fate.direction != self.data_sender.sends() {
            // Acknowledgements have no rows; their drops are shown all the same.
            if let Outcome::Dropped { at, by } = fate.outcome {
                self.lost(fate.id, fate.direction, at, Some(by));
            }
            return;
        }
        if let Some(row) = self.data.row(fate.id) {
            row.held = fate.held;
        }
        match fate.outcome {
            Outcome::Delivered { at } if !fate.corrupted => self.delivered(fate.duplicate_of.unwrap_or(fate.id), at),
            Outcome::Delivered { .. } => self.corrupted(fate.id),
            Outcome::Dropped { at, by } => self.lost(fate.id, fate.direction, at, Some(by)),
        }
    }

    fn link(&mut self, now: Time, event: &LinkEvent) {
        let Self {
            link,
            impairments,
            spill,
            ..
        } = self;
        match event {
            LinkEvent::HoldBegan { direction, name, until } => {
                link.holds
                    .begin(now, *until, *direction, intern(impairments, name), spill);
            }
            LinkEvent::HoldEnded { direction, name } => link.holds.end(now, *direction, intern(impairments, name)),
            LinkEvent::OutageBegan { direction, name, until } => {
                link.outages
                    .begin(now, *until, *direction, intern(impairments, name), spill);
            }
            LinkEvent::OutageEnded { direction, name } => link.outages.end(now, *direction, intern(impairments, name)),
            LinkEvent::LossState {
                direction,
                name,
                bad: true,
            } => {
                link.bad
                    .begin(now, Time::NEVER, *direction, intern(impairments, name), spill);
            }
            LinkEvent::LossState {
                direction,
                name,
                bad: false,
            } => {
                link.bad.end(now, *direction, intern(impairments, name));
            }
            LinkEvent::Rate { direction, rate } => {
                link.rates.t.push(ns(now));
                link.rates.direction.push(direction_index(*direction));
                link.rates.bps.push(rate.map_or(MISSING, |rate| number(rate.as_bps())));
                link.rates.relieve(spill);
            }
            LinkEvent::Delay {
                direction,
                delay,
                before,
            } => {
                link.delays.t.push(ns(now));
                link.delays.direction.push(direction_index(*direction));
                link.delays.delay.push(delay.map_or(MISSING, span));
                link.delays.delay_before.push(before.map_or(MISSING, span));
                link.delays.relieve(spill);
            }
            LinkEvent::Allocating { .. } | LinkEvent::Changed { .. } => {}
        }
    }

    fn sender(&mut self, now: Time, host: Host, event: &SenderEvent) {
        if host != self.data_sender {
            return;
        }
        match event {
            SenderEvent::State(state) => self.sender_state(now, state),
            SenderEvent::Limited { by } => {
                self.limits.push(ns(now), index(*by as usize));
                self.limits.relieve(&mut self.spill);
            }
            SenderEvent::Detector { ordinal, rule, answer } => {
                let rule = intern(&mut self.rules, rule);
                self.detector.t.push(ns(now));
                self.detector.ordinal.push(i64::from(*ordinal));
                self.detector.rule.push(rule);
                let answer = answer.and_then(|answer| DetectorAnswer::ALL.iter().position(|&it| it == answer));
                self.detector.answer.push(answer.map_or(MISSING, index));
                self.detector.relieve(&mut self.spill);
            }
            SenderEvent::Response {
                ordinal,
                name,
                cwnd_before,
                cwnd_after,
                ..
            } => {
                self.responses.t.push(ns(now));
                self.responses.ordinal.push(i64::from(*ordinal));
                self.responses.cwnd_before.push(number(*cwnd_before));
                self.responses.cwnd_after.push(number(*cwnd_after));
                self.responses.name.push(name.clone().into_owned());
            }
            SenderEvent::RttSample { .. }
            | SenderEvent::Timeout { .. }
            | SenderEvent::FastRetransmit { .. }
            | SenderEvent::RecoveryEnded { .. }
            | SenderEvent::RecoveryUndone { .. }
            | SenderEvent::LossProbe
            | SenderEvent::LossProbeRepaired
            | SenderEvent::LimitedFor { .. } => {}
        }
    }
}

fn names(drop: Vec<&'static str>, rule: Vec<String>, impairment: Vec<String>, limited: bool) -> Names {
    Names {
        cause: TransmitCause::ALL.iter().map(|&cause| cause.name()).collect(),
        verdict: VERDICTS.to_vec(),
        drop,
        phase: Phase::ALL.iter().map(|phase| phase.name()).collect(),
        rule,
        answer: DetectorAnswer::ALL.iter().map(|answer| answer.name()).collect(),
        impairment,
        reason: REASONS.iter().map(|reason| reason.name()).collect(),
        limit: LimitedBy::ALL.iter().filter(|_| limited).map(|by| by.name()).collect(),
    }
}

fn timeout_columns(timeouts: &[TimeoutRecord], rules: &mut Vec<String>) -> Timeouts {
    let column = |value: fn(&TimeoutRecord) -> i64| -> Column { timeouts.iter().map(value).collect() };
    Timeouts {
        t: column(|it| ns(it.at_ns)),
        ordinal: column(|it| i64::from(it.ordinal)),
        una: column(|it| number(it.una)),
        rto: column(|it| it.rto_ns.map_or(MISSING, span)),
        backoff: column(|it| it.backoff.map_or(MISSING, i64::from)),
        rule: timeouts
            .iter()
            .map(|it| it.rule.as_deref().map_or(MISSING, |rule| intern(rules, rule)))
            .collect(),
        verdict: column(|it| truth_index(it.verdict)),
        reason: column(|it| reason_index(it.reason)),
        answer: column(|it| {
            let place = it
                .answer
                .and_then(|answer| DetectorAnswer::ALL.iter().position(|&each| each == answer));
            place.map_or(MISSING, index)
        }),
        answered: column(|it| it.answered_ns.map_or(MISSING, ns)),
    }
}
