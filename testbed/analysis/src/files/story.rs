//! Tells the analyser what captures show.

use std::collections::{BTreeMap, VecDeque};

use windlull_capture::{Event, Observer, RUN_START_NS, address_of, drop_cause_name};
use windlull_units::{DropCause, Host, PacketId, Time};
use windlull_wire::packet::Checksum;

use super::connection::Connection;
use super::matching::{Found, Matches, Origin, match_packets};
use super::merge::{At, merge};
use super::packets::Seen;
use super::side::{Side, side};
use crate::analyzer::{Analyzer, CORRUPTED};
use crate::episodes::Loss;
use crate::ledger::EndOfWay;
use crate::queueing::Queueing;
use crate::result::{Ends, RunAnalysis};
use crate::series::{Series, SeriesBuilder};

/// What our own runs leave beside their captures.
#[derive(Debug, Default)]
pub(super) struct Extras {
    /// Packets that the link dropped, by their numbers: when, and by what.
    pub(super) drops: BTreeMap<u64, (Time, DropCause)>,
    /// What the fates tell of the queues.
    pub(super) queueing: Option<Queueing>,
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
    for packet in connection.packets.iter() {
        let data = connection.sends_data(&packet);
        let corrupted = packet.checksum == Checksum::Wrong && !connection.checksums_are_offloaded(data);
        let local = data == (side == Side::Sender);
        if corrupted && !local {
            // It arrived damaged, and the host threw it away.
            story.discarded += 1;
            continue;
        }
        story.only_seen(&packet, data, side);
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
            if first.data_packets() >= second.data_packets() {
                (first, second)
            } else {
                (second, first)
            }
        }
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
        return tell_one(sender, extras, notes);
    }
    matching_notes(&mut notes, sender, receiver, &data, &acks);
    offload_notes(&mut notes, sender);
    offload_notes(&mut notes, receiver);
    let ends = [sender, receiver];
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
                let corrupted = packet.checksum == Checksum::Wrong && !ends[own].checksums_are_offloaded(data);
                story.arrived(&packet, data, ids[other][sent], corrupted);
            }
            Some(Origin::CopyOf(sent)) => story.copy_arrived(&packet, data, ids[other][sent]),
            Some(Origin::Stranger) | None => {}
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
    let early = |from: &Connection, to: &Connection, matches: &Matches| -> (u64, u64) {
        let by = matches
            .pairs()
            .filter_map(|(there, here)| from.packets.at_ns(here).checked_sub(to.packets.at_ns(there)));
        by.filter(|&early| early > 0)
            .fold((0, 0), |(packets, most), early| (packets + 1, most.max(early)))
    };
    let (down, up) = (early(sender, receiver, data), early(receiver, sender, acks));
    let (too_early, most) = (down.0 + up.0, down.1.max(up.1));
    if too_early > 0 {
        notes.push(format!(
            "{too_early} packets arrive before they were sent, by up to {most} ns: the clocks differ by at least so \
             much. Times from one end to the other are wrong by it; verdicts follow the order of each capture."
        ));
    }
    let ambiguous = data.ambiguous + acks.ambiguous;
    if ambiguous > 0 {
        notes.push(format!(
            "{ambiguous} packets look like others, and not all of them arrived: their fates are not known."
        ));
    }
    let strangers = data.strangers + acks.strangers;
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
    /// What the run's link will have lost by then.
    losses: BTreeMap<(Time, PacketId), Loss>,
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
            losses: BTreeMap::new(),
            after_the_end: 0,
        };
        story.analyzer.totals.queueing = story.extras.queueing;
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
            let loss = self.analyzer.loss_of(id, by.map_or("unknown", drop_cause_name));
            match at {
                Some(at) if at > now => {
                    self.losses.insert((at, id), loss);
                }
                _ => self.analyzer.lost(now, loss),
            }
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
            let loss = self.analyzer.loss_of(id, CORRUPTED);
            self.analyzer.lost(now, loss);
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
        let drop = packet.packet_id.and_then(|id| self.extras.drops.get(&id));
        drop.map_or((None, None), |&(at, by)| (Some(at), Some(by)))
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
