//! One connection of a run in order of time.

use std::collections::{BTreeMap, VecDeque};

use windlull_capture::Observer;
use windlull_plane::Fingerprint;
use windlull_units::{Fate, Host, Outcome, PacketId, Time};

use super::matching::Matches;
use super::seen::Seen;
use super::{Pieces, Reason, told};
use crate::transports::What;

/// Something to tell. Of what happens at one instant, the first kind comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    /// An event of the link, by its place.
    Link(usize),
    /// A packet was sent: by whom, its place in that capture, the link's number for it.
    Sent(usize, usize, Option<PacketId>),
    /// What a transport from elsewhere told or sent: by whom, its place in what that end told, and of what it sent its place in
    /// that end's capture.
    Told(usize, usize, Option<usize>),
    /// A fate, by its place, and where the packet is in the capture of the host that it reached.
    Sealed(usize, Option<usize>),
    /// An event of the sender, by its place.
    Sender(usize),
    /// A response was complete, by its place.
    Task(usize),
}

/// Tells the connection of this place to its observer. What happens to the link itself concerns all.
pub(super) fn tell(pieces: &Pieces, place: usize, matches: &Matches, observer: &mut impl Observer) {
    let connection = &pieces.connections[place];
    let mut reasons = [Reasons::of(&connection.reasons[0]), Reasons::of(&connection.reasons[1])];
    let mut items = Vec::new();
    let mut left_at: BTreeMap<PacketId, Time> = BTreeMap::new();
    let mut causes = BTreeMap::new();
    let by_place = Host::ALL.map(|host| numbers_by_place(pieces, place, matches, host));
    for (host, numbers) in by_place.iter().enumerate() {
        for (at, item) in told::items(&connection.told[host], &pieces.captures[host], numbers) {
            if let Some(id) = item.sent.and_then(|place| numbers[&place]) {
                left_at.insert(id, at);
            }
            items.push((at, Item::Told(host, item.place, item.sent)));
        }
        if !connection.told[host].is_empty() {
            continue;
        }
        for (&place, &id) in numbers {
            let packet = &pieces.captures[host].packets[place];
            let reason = reasons[host].take(packet);
            // The capture stamps a packet after its sender has said why it sends: the clocks' difference must not turn that.
            let at = packet.at.max(reason.map_or(Time::ZERO, |reason| reason.at));
            if let Some(id) = id {
                left_at.insert(id, at);
            }
            causes.insert((host, place), reason.map(|reason| reason.cause));
            items.push((at, Item::Sent(host, place, id)));
        }
    }
    for (place, fate) in pieces.link.fates.iter().enumerate() {
        // What no capture shows as sent cannot be told.
        let Some(&left) = left_at.get(&fate.duplicate_of.unwrap_or(fate.id)) else {
            continue;
        };
        let there = matches.arrived.get(&fate.id).copied();
        let to = fate.direction.reaches() as usize;
        let at = there.map_or(fate.outcome.at(), |there| pieces.captures[to].packets[there].at);
        items.push((at.max(left), Item::Sealed(place, there)));
    }
    items.extend(
        pieces
            .link
            .events
            .iter()
            .enumerate()
            .map(|(n, (at, _))| (*at, Item::Link(n))),
    );
    items.extend(
        connection
            .sender
            .iter()
            .enumerate()
            .map(|(n, (at, _))| (*at, Item::Sender(n))),
    );
    items.extend((connection.tasks.iter().enumerate()).map(|(n, (at, _))| (*at, Item::Task(n))));
    items.sort();
    for instant in items.chunk_by_mut(|(one, _), (other, _)| one == other) {
        answer_after_the_question(instant, pieces, &by_place);
    }
    if let Some(elapsed) = connection.elapsed {
        items.retain(|(at, _)| *at < elapsed);
    }

    let mut teller = Teller {
        pieces,
        observer,
        numbers: BTreeMap::new(),
        next: 0,
    };
    for (at, item) in items {
        match item {
            Item::Link(place) => teller.observer.link(at, &pieces.link.events[place].1),
            Item::Sender(place) => {
                teller
                    .observer
                    .sender(at, connection.data_sender, &connection.sender[place].1);
            }
            Item::Task(place) => teller.observer.task(at, connection.tasks[place].1),
            Item::Sent(host, place, id) => {
                let host_of = Host::ALL[host];
                let packet = &pieces.captures[host].packets[place];
                let number = teller.number(id);
                teller.octets(host, packet);
                let cause = causes.get(&(host, place)).copied().flatten();
                match &packet.segment {
                    Some(segment) => teller.observer.sent(at, host_of, number, segment, cause),
                    None => teller.observer.packet_sent(at, host_of, number),
                }
            }
            Item::Told(host, place, sent) => {
                let sent = sent.map(|place| (place, by_place[host][&place]));
                teller.told(at, host, &connection.told[host][place].what, sent);
            }
            Item::Sealed(place, there) => teller.sealed(at, &pieces.link.fates[place], there),
        }
    }
    if let Some(elapsed) = connection.elapsed {
        observer.time_is_up(elapsed);
    }
    if let Some(replayed) = &pieces.link.replayed {
        observer.replayed(replayed);
    }
    if let Some(unmet) = &pieces.link.unmet {
        observer.unmet(unmet);
    }
}

/// In virtual time what arrives and what answers it are of one instant. An arrival then comes before all that its host's capture
/// shows behind it as sent, and after its own sending.
fn answer_after_the_question(
    instant: &mut [(Time, Item)],
    pieces: &Pieces,
    numbers: &[BTreeMap<usize, Option<PacketId>>; 2],
) {
    let sent = |item: &Item| match *item {
        Item::Sent(host, place, _) | Item::Told(host, _, Some(place)) => Some((host, place)),
        Item::Link(_) | Item::Told(_, _, None) | Item::Sealed(..) | Item::Sender(_) | Item::Task(_) => None,
    };
    for at in 1..instant.len() {
        let Item::Sealed(fate, Some(there)) = instant[at].1 else {
            continue;
        };
        let fate = &pieces.link.fates[fate];
        let host = fate.direction.reaches() as usize;
        let answers = |(_, item): &(Time, Item)| sent(item).is_some_and(|(by, place)| by == host && place > there);
        let Some(first) = instant[..at].iter().position(answers) else {
            continue;
        };
        instant[first..=at].rotate_right(1);
        let origin = Some(fate.duplicate_of.unwrap_or(fate.id));
        let is_its_own = |(_, item): &(Time, Item)| {
            sent(item).is_some_and(|(by, place)| by != host && numbers[by].get(&place).copied().flatten() == origin)
        };
        if let Some(own) = instant[first..=at].iter().position(is_its_own) {
            instant[first..=first + own].rotate_right(1);
        }
    }
}

/// The places of what a host sent on a connection, with the link's number for it.
fn numbers_by_place(
    pieces: &Pieces,
    connection: usize,
    matches: &Matches,
    host: Host,
) -> BTreeMap<usize, Option<PacketId>> {
    let is_of_it = |place: usize| pieces.captures[host as usize].packets[place].connection == connection;
    let directions = pieces
        .link
        .entered
        .iter()
        .filter(|entered| entered.direction == host.sends());
    let mut numbers: BTreeMap<usize, Option<PacketId>> = directions
        .filter_map(|entered| Some((*matches.sent.get(&entered.id)?, Some(entered.id))))
        .filter(|&(place, _)| is_of_it(place))
        .collect();
    let lost = matches.lost_before.iter();
    let lost = lost.filter(|&&(from, place)| from == host && is_of_it(place));
    numbers.extend(lost.map(|&(_, place)| (place, None)));
    numbers
}

struct Teller<'a, O> {
    pieces: &'a Pieces,
    observer: &'a mut O,
    /// From the link's numbers to those that are told.
    numbers: BTreeMap<PacketId, PacketId>,
    next: u64,
}

impl<O: Observer> Teller<'_, O> {
    fn number(&mut self, id: Option<PacketId>) -> PacketId {
        let number = PacketId(self.next);
        self.next += 1;
        if let Some(id) = id {
            self.numbers.insert(id, number);
        }
        number
    }

    fn octets(&mut self, host: usize, packet: &Seen) {
        let octets = self.pieces.captures[host].octets(packet);
        self.observer.octets(octets, packet.len);
    }

    /// Tells what a transport from elsewhere told or sent; `sent` is where a datagram is in its capture, and the link's number.
    fn told(&mut self, at: Time, host: usize, what: &What, sent: Option<(usize, Option<PacketId>)>) {
        let host_of = Host::ALL[host];
        match (what, sent) {
            (What::Said(said), _) => self.observer.said(at, host_of, said),
            (What::Secret(line), _) => self.observer.secret(line),
            (What::Task { took }, _) => self.observer.task(at, *took),
            (What::Closed { error }, _) => self.observer.closed(at, host_of, error.as_deref()),
            (What::Sent { .. }, Some((place, id))) => {
                let number = self.number(id);
                self.octets(host, &self.pieces.captures[host].packets[place]);
                self.observer.packet_sent(at, host_of, number);
            }
            (What::Sent { .. }, None) => {}
        }
    }

    fn sealed(&mut self, at: Time, fate: &Fate, there: Option<usize>) {
        let duplicate_of = match fate.duplicate_of {
            None => None,
            Some(origin) => {
                let origin = self.numbers.get(&origin).copied();
                self.number(Some(fate.id));
                origin
            }
        };
        let Some(&id) = self.numbers.get(&fate.id) else { return };
        let final_fate = Fate {
            id,
            duplicate_of,
            ..*fate
        };
        let to = fate.direction.reaches();
        let packet = there.map(|there| &self.pieces.captures[to as usize].packets[there]);
        if let (Some(packet), true) = (packet, fate.corrupted) {
            self.octets(to as usize, packet);
        }
        self.observer.fate(&final_fate);
        if let (Some(packet), true) = (packet, fate.arrived_intact()) {
            self.octets(to as usize, packet);
            match &packet.segment {
                Some(segment) => self.observer.arrived(at, to, id, segment),
                None => self.observer.packet_arrived(at, to, id),
            }
        }
        debug_assert!(packet.is_none() || matches!(fate.outcome, Outcome::Delivered { .. }));
    }
}

/// Why an end sent its packets, by what they look like.
struct Reasons(BTreeMap<Fingerprint, VecDeque<Reason>>);

impl Reasons {
    fn of(reasons: &[Reason]) -> Self {
        let mut by_look: BTreeMap<Fingerprint, VecDeque<Reason>> = BTreeMap::new();
        for &reason in reasons {
            by_look.entry(reason.fingerprint).or_default().push_back(reason);
        }
        Self(by_look)
    }

    fn take(&mut self, packet: &Seen) -> Option<Reason> {
        self.0.get_mut(&packet.fingerprint)?.pop_front()
    }
}
