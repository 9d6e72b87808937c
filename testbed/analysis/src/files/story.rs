//! Tells the analyser what captures show.

use std::collections::{BTreeMap, VecDeque};

use windlull_capture::{Event, Observer, RUN_START_NS, address_in};
use windlull_units::{DropCause, Host, PacketId, Time};

use super::connection::Connection;
use super::connection::Side;
use super::intact::{Doubt, Intact, KnownFates, intact};
use super::matching::{Found, Origin, match_packets};
use super::merge::{At, merge};
use super::notes::{matching_notes, offload_notes, one_end_note, side_of_first};
use super::packets::Seen;
use super::side::{KnownBy, Placed};
use crate::analyzer::{Analyzer, CORRUPTED};
use crate::episodes::Loss;
use crate::ledger::EndOfWay;
use crate::metrics::Meters;
use crate::result::{Ends, RunAnalysis};
use crate::series::{Series, SeriesBuilder};

/// What our own runs leave beside their captures.
#[derive(Debug, Default)]
pub(super) struct Extras {
    /// What the link said that it did to the packets.
    pub(super) fates: KnownFates,
    /// What the fates tell of it all.
    pub(super) meters: Meters,
    /// In order of time.
    pub(super) events: VecDeque<(Time, Event)>,
    /// The captures are of such a run: their time begins with it.
    pub(super) ours: bool,
}

impl Extras {
    /// Leaves out what senders said; whether they had said anything.
    pub(super) fn leave_out_senders(&mut self) -> bool {
        let before = self.events.len();
        self.events.retain(|(_, event)| matches!(event, Event::Link(_)));
        self.events.len() < before
    }
}

/// What is told, and the diagram's columns.
type PlayedResults = (RunAnalysis, Series);

/// Our own captures tell by the address which host sends the data; of others the data sender is called the server.
pub(super) fn data_sender_of(connection: &Connection) -> Host {
    if connection.info().data_sender == address_in(connection.network(), Host::Client) {
        Host::Client
    } else {
        Host::Server
    }
}

/// More arrivals than one in so many that nobody sent: the captures do not show the same packets.
const STRANGERS: usize = 20;

/// The analysis of one end's capture. Without a word of the caller or the file about the end, it is taken to be where the
/// handshake suggests.
pub(super) fn tell_one(
    connection: &Connection,
    placed: Option<Placed>,
    extras: Extras,
    mut notes: Vec<String>,
) -> PlayedResults {
    notes.extend(one_end_note(placed, data_sender_of(connection)));
    let side = placed.map_or(Side::Sender, |placed| placed.side);
    offload_notes(&mut notes, connection);
    let corrupting = connection.shows_corruption(side);
    let mut story = Story::begin(connection, &[connection], side.alone(), extras, notes);
    for packet in connection.packets.iter() {
        let data = connection.sends_data(&packet);
        let local = data == (side == Side::Sender);
        let intact = if local {
            Intact::Yes
        } else {
            intact(connection, &story.extras.fates, &packet, data, corrupting)
        };
        match intact {
            Intact::Yes => story.only_seen(&packet, data, side),
            // It arrived damaged, and the host threw it away.
            Intact::No => story.discarded += 1,
            Intact::Unknown(doubt) => story.perhaps_seen(&packet, data, doubt),
        }
    }
    story.end()
}

/// The analysis of both ends' captures, each with its place as far as anything tells it.
pub(super) fn tell_both(
    [first, second]: [&Connection; 2],
    placed: [Option<Placed>; 2],
    extras: Extras,
    mut notes: Vec<String>,
) -> PlayedResults {
    let (first_side, note) = side_of_first(placed, [first, second].map(Connection::data_packets));
    notes.extend(note);
    let (sender, receiver, placed) = match first_side {
        Side::Sender => (first, second, placed[0]),
        Side::Receiver => (second, first, placed[1]),
    };
    let data = match_packets(sender, receiver, true);
    let acks = match_packets(receiver, sender, false);
    if data.strangers * STRANGERS > data.arrivals + data.strangers {
        notes.push(format!(
            "{} of {} data packets of the data receiver's capture are not in the sender's: segmentation offload joins \
             packets before the capture (turn it off: ethtool -K DEVICE tso off gso off gro off), or a capture has \
             missed many. The data sender's capture is analysed alone.",
            data.strangers,
            data.arrivals + data.strangers,
        ));
        let at_sender = Placed {
            side: Side::Sender,
            by: placed.map_or(KnownBy::Caller, |placed| placed.by),
        };
        return tell_one(sender, Some(at_sender), extras, notes);
    }
    matching_notes(&mut notes, sender, receiver, &data, &acks);
    offload_notes(&mut notes, sender);
    offload_notes(&mut notes, receiver);
    let ends = [sender, receiver];
    let corrupting = sender.shows_corruption(Side::Sender) || receiver.shows_corruption(Side::Receiver);
    let order = merge(
        ends.map(|it| it.packets.len()),
        |at, place| ends[at as usize].packets.at_ns(place),
        |at, place| {
            let origin = match at {
                At::Sender => acks.origin(place),
                At::Receiver => data.origin(place),
            };
            match origin {
                Some(Origin::Of(sent) | Origin::CopyOf(sent)) => Some(sent),
                Some(Origin::Stranger) | None => None,
            }
        },
    );
    let last_at = ends.map(|it| it.packets.len().checked_sub(1).map_or(0, |last| it.packets.at_ns(last)));
    let mut story = Story::begin(sender, &ends, Ends::Both, extras, notes);
    let mut ids = ends.map(|it| vec![PacketId(0); it.packets.len()]);
    for (at, place) in order {
        let (own, other) = (at as usize, 1 - at as usize);
        let (ours, back) = match at {
            At::Sender => (&data, &acks),
            At::Receiver => (&acks, &data),
        };
        let packet = ends[own].packets.get(place);
        let data = ends[own].sends_data(&packet);
        if let Some(found) = ours.found(place) {
            ids[own][place] = story.sent(&packet, data, found, packet.at_ns > last_at[other]);
            continue;
        }
        match back.origin(place) {
            Some(Origin::Of(sent)) => {
                let intact = intact(ends[own], &story.extras.fates, &packet, data, corrupting);
                story.arrived(&packet, data, ids[other][sent], intact);
            }
            Some(Origin::CopyOf(sent)) => {
                let intact = intact(ends[own], &story.extras.fates, &packet, data, corrupting);
                story.copy_arrived(&packet, data, ids[other][sent], intact);
            }
            Some(Origin::Stranger) | None => {}
        }
    }
    story.end()
}

const fn lost_at(at: Option<Time>, by: Option<DropCause>) -> EndOfWay {
    EndOfWay::Lost { at, by }
}

/// The observers and what they are told.
struct Story {
    analyzer: Analyzer,
    series: SeriesBuilder,
    data_sender: Host,
    base_ns: u64,
    next_id: u64,
    extras: Extras,
    discarded: u64,
    /// Arrivals of which it cannot be told whether they were intact, by why not.
    doubtful: [u64; 2],
    /// What the run's link will have lost by then.
    losses: BTreeMap<(Time, PacketId), Loss>,
    /// Packets sent after the other capture had ended.
    after_the_end: u64,
}

impl Story {
    fn begin(connection: &Connection, all: &[&Connection], ends: Ends, extras: Extras, notes: Vec<String>) -> Self {
        let data_sender = data_sender_of(connection);
        let firsts = all
            .iter()
            .filter(|it| it.packets.len() > 0)
            .map(|it| it.packets.at_ns(0));
        let mut story = Self {
            analyzer: Analyzer::seen_from(data_sender, ends)
                .keeping_judgements()
                .telling_episodes(),
            series: SeriesBuilder::of_unknown_run(data_sender),
            data_sender,
            base_ns: if extras.ours {
                RUN_START_NS
            } else {
                firsts.min().unwrap_or(0)
            },
            next_id: 0,
            extras,
            discarded: 0,
            doubtful: [0; 2],
            losses: BTreeMap::new(),
            after_the_end: 0,
        };
        story.analyzer.meters = std::mem::take(&mut story.extras.meters);
        for note in notes {
            story.analyzer.note(note);
        }
        if let Some(origin) = connection.origin_without_syn() {
            story.analyzer.assume_origin(origin);
            story.series.assume_origin(origin);
            story.analyzer.note(
                "The connection began before the capture: octets and the elapsed time are counted from its first \
                 packet."
                    .to_owned(),
            );
        }
        story
    }

    fn time(&self, packet: &Seen) -> Time {
        Time::from_ns(packet.at_ns.saturating_sub(self.base_ns))
    }

    fn host(&self, data: bool) -> Host {
        if data {
            self.data_sender
        } else {
            self.data_sender.peer()
        }
    }

    fn take_id(&mut self) -> PacketId {
        self.next_id += 1;
        PacketId(self.next_id - 1)
    }

    /// A packet that only one capture can show.
    fn only_seen(&mut self, packet: &Seen, data: bool, side: Side) {
        let (now, id) = (self.time(packet), self.take_id());
        let segment = &packet.segment;
        self.events_until(now, data);
        match (data, side) {
            (true, Side::Sender) => {
                self.tell_sent(now, data, id, packet);
                self.analyzer.forget(id);
            }
            (true, Side::Receiver) => {
                self.tell_sent(now, data, id, packet);
                self.seal(id, EndOfWay::Delivered { order: 0, at: now });
                self.series.arrived(now, self.host(false), id, segment);
                self.analyzer.arrived(now, self.host(false), id, segment);
            }
            (false, _) => {
                if side == Side::Receiver {
                    self.tell_sent(now, data, id, packet);
                } else {
                    self.series.window_offered(self.host(false), segment);
                }
                self.series.arrived(now, self.host(true), id, segment);
                self.analyzer.arrived(now, self.host(true), id, segment);
            }
        }
        self.settle();
    }

    /// A packet came in at the only capture, intact or corrupted.
    fn perhaps_seen(&mut self, packet: &Seen, data: bool, doubt: Doubt) {
        self.doubtful[doubt as usize] += 1;
        if data {
            let (now, id) = (self.time(packet), self.take_id());
            self.events_until(now, data);
            self.tell_sent(now, data, id, packet);
            self.analyzer.forget(id);
            self.settle();
        }
    }

    /// A packet left its end; `late` if the other capture had ended by then.
    fn sent(&mut self, packet: &Seen, data: bool, found: Found, late: bool) -> PacketId {
        let (now, id) = (self.time(packet), self.take_id());
        self.events_until(now, data);
        self.tell_sent(now, data, id, packet);
        if found == Found::Nowhere && late {
            self.after_the_end += 1;
        } else if found == Found::Nowhere {
            let (at, by, name) = self.end_of(packet);
            let direction = self.host(data).sends();
            self.series.lost(id, direction, at.unwrap_or(now), by);
            self.analyzer.count_loss(by);
            let loss = self.analyzer.loss_of(id, name);
            match at {
                _ if by.is_some_and(|by| !by.is_loss()) => {}
                Some(at) if at > now => {
                    self.losses.insert((at, id), loss);
                }
                _ => self.analyzer.lost(now, loss),
            }
            self.seal(id, lost_at(at, by));
        }
        self.settle();
        id
    }

    fn arrived(&mut self, packet: &Seen, data: bool, id: PacketId, intact: Intact) {
        let now = self.time(packet);
        self.events_until(now, false);
        match intact {
            Intact::Yes => {
                self.seal(id, EndOfWay::Delivered { order: 0, at: now });
                self.series.arrived(now, self.host(!data), id, &packet.segment);
                self.analyzer.arrived(now, self.host(!data), id, &packet.segment);
            }
            Intact::No => {
                self.discarded += 1;
                self.series.corrupted(id);
                let loss = self.analyzer.loss_of(id, CORRUPTED);
                self.analyzer.lost(now, loss);
                self.seal(id, lost_at(Some(now), None));
            }
            Intact::Unknown(doubt) => {
                self.doubtful[doubt as usize] += 1;
                self.analyzer.forget(id);
            }
        }
        self.settle();
    }

    fn copy_arrived(&mut self, packet: &Seen, data: bool, of: PacketId, intact: Intact) {
        let (now, id) = (self.time(packet), self.take_id());
        self.events_until(now, false);
        if intact == Intact::Yes {
            self.analyzer
                .duplicated(id, of, EndOfWay::Delivered { order: 0, at: now });
            self.series.arrived(now, self.host(!data), id, &packet.segment);
            self.analyzer.arrived(now, self.host(!data), id, &packet.segment);
        } else {
            match intact {
                Intact::Yes => {}
                Intact::No => self.discarded += 1,
                Intact::Unknown(doubt) => self.doubtful[doubt as usize] += 1,
            }
            self.analyzer.duplicated(id, of, lost_at(Some(now), None));
        }
        self.settle();
    }

    fn end(mut self) -> PlayedResults {
        self.events_until(Time::NEVER, true);
        if self.discarded > 0 {
            self.analyzer.note(format!(
                "{} packets arrived with wrong checksums and count as lost.",
                self.discarded
            ));
        }
        let [uncomputed, cut] = self.doubtful;
        if uncomputed > 0 {
            self.analyzer.note(format!(
                "{uncomputed} packets arrived with wrong checksums in a capture that has most packets cut: corrupted on \
                 the way, or never computed. Their fates are not known.",
            ));
        }
        if cut > 0 {
            self.analyzer.note(format!(
                "{cut} packets were cut when they were captured, and others were corrupted on the way: whether these \
                 arrived intact is not known. Capture whole packets to know it.",
            ));
        }
        if self.after_the_end > 0 {
            self.analyzer.note(format!(
                "{} packets were sent after the other end's capture had ended: their fates are not known.",
                self.after_the_end
            ));
        }
        let analysis = self.analyzer.finish();
        self.settle();
        let series = self.series.finish(&analysis);
        (analysis, series)
    }

    fn tell_sent(&mut self, now: Time, data: bool, id: PacketId, packet: &Seen) {
        self.series.sent(now, self.host(data), id, &packet.segment, None);
        self.analyzer.on_sent(now, self.host(data), id, &packet.segment, None);
    }

    fn seal(&mut self, id: PacketId, end: EndOfWay) {
        if let EndOfWay::Delivered { at, .. } = end {
            self.series.delivered(id, at);
        }
        self.analyzer.sealed(id, end);
    }

    /// When, by what and by which name the run's own link lost a packet that is not in the other capture. One that it
    /// corrupted may not be known by its look there.
    fn end_of(&self, packet: &Seen) -> (Option<Time>, Option<DropCause>, &'static str) {
        let fates = &self.extras.fates;
        match (fates.drop_of(packet), fates.corrupted_at(packet)) {
            (Some((at, by)), _) => (Some(at), Some(by), by.name()),
            (None, Some(at)) => (Some(at), None, CORRUPTED),
            (None, None) => (None, None, "unknown"),
        }
    }

    /// What the run's own events say before this time; those of the very instant come before what the data sender
    /// sends and after what it receives.
    fn events_until(&mut self, now: Time, before_sending: bool) {
        let due = |at: &Time| *at < now || (*at == now && before_sending);
        loop {
            let event = self.extras.events.front().map(|(at, _)| *at);
            let loss = self.losses.first_key_value().map(|((at, _), _)| *at);
            // The link says what changed before what it lost by it.
            if loss.filter(due).is_some_and(|at| event.is_none_or(|event| at < event)) {
                if let Some(((at, _), loss)) = self.losses.pop_first() {
                    self.analyzer.lost(at, loss);
                }
                continue;
            }
            if event.filter(due).is_none() {
                break;
            }
            match self.extras.events.pop_front() {
                Some((at, Event::Link(event))) => {
                    self.series.link(at, &event);
                    self.analyzer.link(at, &event);
                }
                Some((at, Event::Sender(host, event))) => {
                    self.series.sender(at, host, &event);
                    self.analyzer.sender(at, host, &event);
                }
                None => {}
            }
        }
    }

    fn settle(&mut self) {
        if let Some((at, trip)) = self.analyzer.take_round_trip() {
            self.series.round_trip(at, trip);
        }
        for judgement in self.analyzer.take_judgements() {
            self.series.judged(&judgement);
        }
    }
}
