//! Tells the analyser what captures show.

use std::collections::{BTreeMap, VecDeque};

use windlull_capture::{Event, Observer, RUN_START_NS, address_of};
use windlull_units::{DropCause, Fate, Host, Outcome, PacketId, Time};
use windlull_wire::packet::Checksum;

use super::connection::{Connection, Seen};
use super::matching::{Found, Matches, match_packets};
use super::merge::{At, merge};
use super::side::{Side, side};
use crate::analyzer::Analyzer;
use crate::ledger::EndOfWay;
use crate::result::{Ends, RunAnalysis};
use crate::series::{Series, SeriesBuilder};

/// What our own runs leave beside their captures.
#[derive(Debug, Default)]
pub(super) struct Extras {
    /// By packet number.
    pub(super) fates: BTreeMap<u64, Fate>,
    /// In order of time.
    pub(super) events: VecDeque<(Time, Event)>,
    /// The captures are of such a run: their time begins with it.
    pub(super) ours: bool,
}

/// More arrivals than one in so many that nobody sent: the captures do not show the same packets.
const STRANGERS: usize = 20;

/// The analysis of one end's capture.
pub(super) fn tell_one(connection: &Connection, extras: Extras, mut notes: Vec<String>) -> (RunAnalysis, Series) {
    let told = side(connection);
    if told.is_none() {
        notes.push("Nothing tells at which end the capture was made; it is taken to be the data sender's.".to_owned());
    }
    let side = told.unwrap_or(Side::Sender);
    let ends = match side {
        Side::Sender => Ends::Sender,
        Side::Receiver => Ends::Receiver,
    };
    offload_notes(&mut notes, connection);
    let mut story = Story::begin(connection, &[connection], ends, extras, notes);
    for packet in &connection.packets {
        let data = connection.sends_data(packet);
        let corrupted = packet.checksum == Checksum::Wrong && !connection.checksums_are_offloaded(data);
        let local = data == (side == Side::Sender);
        if corrupted && !local {
            // It arrived damaged, and the host threw it away.
            story.discarded += 1;
            continue;
        }
        story.only_seen(packet, data, side);
    }
    story.end()
}

/// The analysis of both ends' captures.
pub(super) fn tell_both(
    first: &Connection,
    second: &Connection,
    extras: Extras,
    mut notes: Vec<String>,
) -> (RunAnalysis, Series) {
    let (sender, receiver) = match (side(first), side(second)) {
        (Some(Side::Sender), Some(Side::Receiver)) => (first, second),
        (Some(Side::Receiver), Some(Side::Sender)) => (second, first),
        (Some(Side::Sender), None) | (None, Some(Side::Receiver)) => (first, second),
        (Some(Side::Receiver), None) | (None, Some(Side::Sender)) => (second, first),
        _ => {
            notes.push(
                "The captures do not tell at which end each was made; the one with more data packets is taken to be \
                 the data sender's."
                    .to_owned(),
            );
            let data = |it: &Connection| {
                let packets = it.packets.iter().filter(|packet| it.sends_data(packet));
                packets.filter(|packet| packet.segment.payload_len > 0).count()
            };
            if data(first) >= data(second) {
                (first, second)
            } else {
                (second, first)
            }
        }
    };
    let data = match_packets(sender, receiver, true);
    let acks = match_packets(receiver, sender, false);
    if data.strangers.len() * STRANGERS > data.arrived.len() + data.strangers.len() {
        notes.push(format!(
            "{} of {} data packets of the data receiver's capture are not in the sender's: segmentation offload joins \
             packets before the capture (turn it off: ethtool -K DEVICE tso off gso off gro off), or a capture has \
             missed many. The data sender's capture is analysed alone.",
            data.strangers.len(),
            data.arrived.len() + data.strangers.len(),
        ));
        return tell_one(sender, extras, notes);
    }
    matching_notes(&mut notes, sender, receiver, &data, &acks);
    offload_notes(&mut notes, sender);
    offload_notes(&mut notes, receiver);
    let times = [sender, receiver].map(|it| it.packets.iter().map(|packet| packet.at_ns).collect::<Vec<_>>());
    let order = merge([&times[0], &times[1]], |at, place| match at {
        At::Sender => acks.arrived.get(&place).or_else(|| acks.copies.get(&place)).copied(),
        At::Receiver => data.arrived.get(&place).or_else(|| data.copies.get(&place)).copied(),
    });
    let mut story = Story::begin(sender, &[sender, receiver], Ends::Both, extras, notes);
    let mut ids = [
        vec![PacketId(0); sender.packets.len()],
        vec![PacketId(0); receiver.packets.len()],
    ];
    for (at, place) in order {
        let (here, matches, back) = match at {
            At::Sender => (sender, &data, &acks),
            At::Receiver => (receiver, &acks, &data),
        };
        let (own, other) = match at {
            At::Sender => (0, 1),
            At::Receiver => (1, 0),
        };
        let packet = &here.packets[place];
        if let Some(&found) = matches.sent.get(&place) {
            let last_there = [receiver, sender][own].packets.last().map_or(0, |packet| packet.at_ns);
            ids[own][place] = story.sent(packet, own == 0, found, packet.at_ns > last_there);
        } else if let Some(&origin) = back.arrived.get(&place) {
            let corrupted =
                packet.checksum == Checksum::Wrong && !here.checksums_are_offloaded(here.sends_data(packet));
            story.arrived(packet, own == 1, ids[other][origin], corrupted);
        } else if let Some(&origin) = back.copies.get(&place) {
            story.copy_arrived(packet, own == 1, ids[other][origin]);
        }
    }
    story.end()
}

fn offload_notes(notes: &mut Vec<String>, connection: &Connection) {
    for (data, what) in [(true, "data packets"), (false, "acknowledgements")] {
        if connection.checksums_are_offloaded(data) {
            notes.push(format!(
                "Most checksums of {what} are wrong in a capture: the network card computes them, or nobody. They are \
                 not looked at."
            ));
        }
    }
}

fn matching_notes(notes: &mut Vec<String>, sender: &Connection, receiver: &Connection, data: &Matches, acks: &Matches) {
    notes.push("The clocks of both captures are taken to agree; no offset is estimated.".to_owned());
    let early = |from: &Connection, to: &Connection, matches: &Matches| -> Vec<u64> {
        let pairs = matches
            .arrived
            .iter()
            .map(|(&there, &here)| (to.packets[there].at_ns, from.packets[here].at_ns));
        pairs
            .filter_map(|(arrived, sent)| sent.checked_sub(arrived).filter(|&early| early > 0))
            .collect()
    };
    let mut too_early = early(sender, receiver, data);
    too_early.extend(early(receiver, sender, acks));
    if let Some(most) = too_early.iter().max() {
        notes.push(format!(
            "{} packets arrive before they were sent, by up to {} ns: the clocks differ by at least so much. Times \
             from one end to the other are wrong by it; verdicts follow the order of each capture.",
            too_early.len(),
            most
        ));
    }
    let ambiguous = data.ambiguous + acks.ambiguous;
    if ambiguous > 0 {
        notes.push(format!(
            "{ambiguous} packets look like others, and not all of them arrived: their fates are not known."
        ));
    }
    let strangers = data.strangers.len() + acks.strangers.len();
    if strangers > 0 {
        notes.push(format!(
            "{strangers} packets arrived that the other capture does not have; they are left out."
        ));
    }
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
    /// Packets sent after the other capture had ended.
    after_the_end: u64,
}

impl Story {
    fn begin(connection: &Connection, all: &[&Connection], ends: Ends, extras: Extras, notes: Vec<String>) -> Self {
        // Our own captures tell by the address which host it is; of others the data sender is called the server.
        let client = connection.info().data_sender == address_of(Host::Client).into();
        let data_sender = if client { Host::Client } else { Host::Server };
        let firsts = all
            .iter()
            .filter_map(|it| it.packets.first())
            .map(|packet| packet.at_ns);
        let mut story = Self {
            analyzer: Analyzer::seen_from(data_sender, ends).keeping_judgements(),
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
            after_the_end: 0,
        };
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

    /// A packet left its end; `late` if the other capture had ended by then.
    fn sent(&mut self, packet: &Seen, data: bool, found: Found, late: bool) -> PacketId {
        let (now, id) = (self.time(packet), self.take_id());
        self.events_until(now, data);
        self.tell_sent(now, data, id, packet);
        if found == Found::Nowhere && late {
            self.after_the_end += 1;
        } else if found == Found::Nowhere {
            let (at, by) = self.drop_of(packet);
            self.series.lost(id, self.host(data).sends(), at.unwrap_or(now), by);
            self.analyzer.count_loss(by);
            self.seal(id, EndOfWay::Lost { at, by });
        }
        self.settle();
        id
    }

    fn arrived(&mut self, packet: &Seen, data: bool, id: PacketId, corrupted: bool) {
        let now = self.time(packet);
        self.events_until(now, false);
        if corrupted {
            self.discarded += 1;
            self.series.corrupted(id);
            self.seal(
                id,
                EndOfWay::Lost {
                    at: Some(now),
                    by: None,
                },
            );
        } else {
            self.seal(id, EndOfWay::Delivered { order: 0, at: now });
            self.series.arrived(now, self.host(!data), id, &packet.segment);
            self.analyzer.arrived(now, self.host(!data), id, &packet.segment);
        }
        self.settle();
    }

    fn copy_arrived(&mut self, packet: &Seen, data: bool, of: PacketId) {
        let (now, id) = (self.time(packet), self.take_id());
        self.events_until(now, false);
        self.analyzer
            .duplicated(id, of, EndOfWay::Delivered { order: 0, at: now });
        self.series.arrived(now, self.host(!data), id, &packet.segment);
        self.analyzer.arrived(now, self.host(!data), id, &packet.segment);
        self.settle();
    }

    fn end(mut self) -> (RunAnalysis, Series) {
        self.events_until(Time::NEVER, true);
        if self.discarded > 0 {
            self.analyzer.note(format!(
                "{} packets arrived with wrong checksums and count as lost.",
                self.discarded
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

    /// When and by what the run's own link dropped a packet.
    fn drop_of(&self, packet: &Seen) -> (Option<Time>, Option<DropCause>) {
        let fate = packet.packet_id.and_then(|id| self.extras.fates.get(&id));
        match fate.map(|fate| fate.outcome) {
            Some(Outcome::Dropped { at, by }) => (Some(at), Some(by)),
            _ => (None, None),
        }
    }

    /// What the run's own events say before this time; those of the very instant come before what the data sender
    /// sends and after what it receives.
    fn events_until(&mut self, now: Time, before_sending: bool) {
        while let Some((at, _)) = self.extras.events.front() {
            if *at > now || (*at == now && !before_sending) {
                break;
            }
            match self.extras.events.pop_front() {
                Some((at, Event::Link(event))) => self.series.link(at, &event),
                Some((at, Event::Sender(host, event))) => {
                    self.series.sender(at, host, &event);
                    self.analyzer.sender(at, host, &event);
                }
                None => {}
            }
        }
    }

    fn settle(&mut self) {
        for judgement in self.analyzer.take_judgements() {
            self.series.judged(&judgement);
        }
    }
}
