//! All that is between the two devices: the link, access links behind it, and what crosses the first beside the hosts'
//! packets.
//!
//! ```text
//!     to-server --> link --> access --> to-client        Direction::Down
//!     to-server <-- link <-- access <-- to-client        Direction::Up
//!                   ^ what crosses comes here, and ends behind it
//! ```
//!
//! Mostly there is the link alone, and this hands on what it is asked. Otherwise each link numbers packets by itself, and
//! a packet has a third number, by which the plane tells of it; its one fate is that of the last link it met. Of several
//! flows each has an access link of its own, known by its port at the client.

use std::collections::VecDeque;

use windlull_link::{ChangeId, Condition, Delivery, Link, LinkObserver, LiveChange};
use windlull_units::{Direction, Fate, LinkEvent, Outcome, PacketId, Replayed, Time, UnmetCondition};

use super::crossing::Source;
use super::frame::Frame;
use super::parse;

/// The links of a run.
pub(super) enum Chain {
    Alone(Box<Link<Frame>>),
    Several(Box<Several>),
}

/// An access link, and whose it is.
pub(super) struct Access {
    pub(super) link: Link<Frame>,
    /// The client's port of the packets that pass it. Those of ports that no link has pass the first.
    pub(super) port: Option<u16>,
}

/// The link, and what there is beside it.
pub(super) struct Several {
    shared: Hop,
    access: Vec<Hop>,
    /// The client's port of each access link.
    ports: Vec<Option<u16>>,
    sources: Vec<Source>,
    /// The number of the next packet.
    next: u64,
    /// What has passed all, by the plane's numbers.
    ready: VecDeque<Delivery<Frame>>,
}

/// One of several links.
struct Hop {
    link: Link<Frame>,
    names: Names,
    /// The way on which another link comes after this.
    goes_on: Option<Direction>,
}

/// What a packet of a link is called by the plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Name {
    id: PacketId,
    /// The packet that it is a copy of.
    copy_of: Option<PacketId>,
    /// The place of its access link.
    access: usize,
}

/// What all packets that a link had are called, by its numbers; those that cross are nobody's. A packet that has left keeps
/// its name: a copy of it may be under way.
#[derive(Debug, Default)]
struct Names(Vec<Option<Name>>);

impl Names {
    fn get(&self, id: PacketId) -> Option<Name> {
        let place = usize::try_from(id.0).ok()?;
        self.0.get(place).copied().flatten()
    }

    fn put(&mut self, id: PacketId, name: Name) {
        let Ok(place) = usize::try_from(id.0) else { return };
        if self.0.len() <= place {
            self.0.resize(place + 1, None);
        }
        if let Some(entry) = self.0.get_mut(place) {
            *entry = Some(name);
        }
    }
}

/// Between a link and who is told of it.
struct Tap<'a, O> {
    names: &'a mut Names,
    next: &'a mut u64,
    goes_on: Option<Direction>,
    observer: &'a mut O,
}

impl Chain {
    pub(super) fn new(link: Link<Frame>, access: Vec<Access>, sources: Vec<Source>) -> Self {
        if access.is_empty() && sources.is_empty() {
            return Self::Alone(Box::new(link));
        }
        let (access, ports) = access
            .into_iter()
            .map(|access| (Hop::new(access.link, Some(Direction::Up)), access.port))
            .unzip::<_, _, Vec<_>, Vec<_>>();
        let goes_on = (!access.is_empty()).then_some(Direction::Down);
        Self::Several(Box::new(Several {
            shared: Hop::new(link, goes_on),
            access,
            ports,
            sources,
            next: 0,
            ready: VecDeque::new(),
        }))
    }

    /// A packet arrives from a device at `now`.
    pub(super) fn send(
        &mut self,
        now: Time,
        direction: Direction,
        frame: Frame,
        observer: &mut impl LinkObserver,
    ) -> PacketId {
        // Copies that are made until then have earlier numbers, whenever the plane woke up.
        self.advance(now, observer);
        match self {
            Self::Alone(link) => link.send(now, direction, frame, observer),
            Self::Several(several) => several.send(now, direction, frame, observer),
        }
    }

    /// When to call [`Self::advance`] next; `None` if nothing will ever happen unless something is sent.
    pub(super) fn poll_at(&self) -> Option<Time> {
        match self {
            Self::Alone(link) => link.poll_at(),
            Self::Several(several) => several.poll_at(),
        }
    }

    /// Does everything that is due up to and including `now`.
    pub(super) fn advance(&mut self, now: Time, observer: &mut impl LinkObserver) {
        match self {
            Self::Alone(link) => link.advance(now, observer),
            Self::Several(several) => several.advance(now, observer),
        }
    }

    /// What has arrived, in order.
    pub(super) fn pop_delivery(&mut self) -> Option<Delivery<Frame>> {
        match self {
            Self::Alone(link) => link.pop_delivery(),
            Self::Several(several) => several.ready.pop_front(),
        }
    }

    /// How far what came was what had been recorded, if the shared link replays a recording.
    pub(super) fn replayed(&self) -> Option<Replayed> {
        self.shared().replayed()
    }

    /// The entries of the shared link's script that have not begun, if any waits for the transport.
    pub(super) fn unmet(&self) -> Option<Vec<UnmetCondition>> {
        self.shared().unmet()
    }

    /// How a direction of the link is, that of the shared one.
    pub(super) fn condition(&self, direction: Direction) -> Condition {
        self.shared().condition(direction)
    }

    /// A hand changes the link. Only links that stand by themselves are changed, and these are alone.
    pub(super) fn change(&mut self, now: Time, id: ChangeId, change: LiveChange, observer: &mut impl LinkObserver) {
        self.shared_mut().change(now, id, change, observer);
    }

    /// A hand takes a change back; false if it had ended.
    pub(super) fn take_back(&mut self, now: Time, id: ChangeId, observer: &mut impl LinkObserver) -> bool {
        self.shared_mut().take_back(now, id, observer)
    }

    /// What an entry of the shared link's script waits for will have come at `at`.
    pub(super) fn trigger(&mut self, now: Time, entry: usize, at: Time, observer: &mut impl LinkObserver) {
        self.shared_mut().trigger(now, entry, at, observer);
    }

    fn shared(&self) -> &Link<Frame> {
        match self {
            Self::Alone(link) => link,
            Self::Several(several) => &several.shared.link,
        }
    }

    fn shared_mut(&mut self) -> &mut Link<Frame> {
        match self {
            Self::Alone(link) => link,
            Self::Several(several) => &mut several.shared.link,
        }
    }
}

impl Hop {
    fn new(link: Link<Frame>, goes_on: Option<Direction>) -> Self {
        Self {
            link,
            names: Names::default(),
            goes_on,
        }
    }

    /// The link, and who hears of it; the plane's next number is `next`.
    fn heard<'a, O>(&'a mut self, next: &'a mut u64, observer: &'a mut O) -> (&'a mut Link<Frame>, Tap<'a, O>) {
        let tap = Tap {
            names: &mut self.names,
            next,
            goes_on: self.goes_on,
            observer,
        };
        (&mut self.link, tap)
    }

    fn advance(&mut self, at: Time, next: &mut u64, observer: &mut impl LinkObserver) {
        let (link, mut tap) = self.heard(next, observer);
        link.advance(at, &mut tap);
    }

    /// What it delivers with its name; of what crosses there is none.
    fn pop(&mut self) -> Option<(Option<Name>, Delivery<Frame>)> {
        let delivery = self.link.pop_delivery()?;
        Some((self.names.get(delivery.id), delivery))
    }
}

impl Several {
    fn poll_at(&self) -> Option<Time> {
        let links = [&self.shared].into_iter().chain(&self.access);
        let due = links.filter_map(|hop| hop.link.poll_at());
        due.chain(self.sources.iter().map(Source::next)).min()
    }

    fn send(&mut self, now: Time, direction: Direction, frame: Frame, observer: &mut impl LinkObserver) -> PacketId {
        let name = Name {
            id: PacketId(self.next),
            copy_of: None,
            access: self.access_of(direction, &frame),
        };
        self.next += 1;
        match direction {
            Direction::Up if !self.access.is_empty() => self.enter_access(now, direction, name, frame, observer),
            Direction::Up | Direction::Down => self.enter(now, direction, Some(name), frame, observer),
        }
        name.id
    }

    /// The place of the access link that a frame of this direction passes.
    fn access_of(&self, direction: Direction, frame: &Frame) -> usize {
        if self.ports.len() < 2 {
            return 0;
        }
        let port = parse::ports(frame.packet()).map(|[source, destination]| match direction {
            Direction::Down => destination,
            Direction::Up => source,
        });
        let place = port.and_then(|port| self.ports.iter().position(|own| *own == Some(port)));
        place.unwrap_or(0)
    }

    /// Does everything that is due up to and including `now`.
    fn advance(&mut self, now: Time, observer: &mut impl LinkObserver) {
        while let Some(at) = self.poll_at().filter(|at| *at <= now) {
            self.step(at, observer);
        }
        for hop in [&mut self.shared].into_iter().chain(&mut self.access) {
            hop.advance(now, &mut self.next, observer);
        }
    }

    /// Does what is due at `at`: the link first, then access links in order, then what crosses.
    fn step(&mut self, at: Time, observer: &mut impl LinkObserver) {
        self.shared.advance(at, &mut self.next, observer);
        while let Some((name, delivery)) = self.shared.pop() {
            // What crosses ends here.
            let Some(name) = name else { continue };
            if delivery.direction == Direction::Down && !self.access.is_empty() && !delivery.corrupted {
                self.enter_access(at, Direction::Down, name, delivery.packet, observer);
            } else {
                self.arrived(name, delivery);
            }
        }
        for place in 0..self.access.len() {
            let Some(hop) = self.access.get_mut(place) else { break };
            if hop.link.poll_at().is_some_and(|due| due <= at) {
                hop.advance(at, &mut self.next, observer);
            }
            while let Some((Some(name), delivery)) = self.access.get_mut(place).and_then(Hop::pop) {
                if delivery.direction == Direction::Up && !delivery.corrupted {
                    self.enter(at, Direction::Up, Some(name), delivery.packet, observer);
                } else {
                    self.arrived(name, delivery);
                }
            }
        }
        for place in 0..self.sources.len() {
            let Some(source) = self.sources.get_mut(place).filter(|source| source.next() <= at) else {
                continue;
            };
            let (stream, frame) = source.send();
            self.enter(at, stream.direction, None, frame, observer);
        }
    }

    /// A packet has passed all that it had to.
    fn arrived(&mut self, name: Name, delivery: Delivery<Frame>) {
        self.ready.push_back(Delivery {
            id: name.id,
            ..delivery
        });
    }

    /// A packet comes to the shared link; without a name it is one of those that cross.
    fn enter(
        &mut self,
        at: Time,
        direction: Direction,
        name: Option<Name>,
        frame: Frame,
        observer: &mut impl LinkObserver,
    ) {
        let hop = &mut self.shared;
        if let Some(name) = name {
            hop.names.put(hop.link.next_id(), name);
        }
        let (link, mut tap) = hop.heard(&mut self.next, observer);
        link.send(at, direction, frame, &mut tap);
    }

    /// A packet comes to its access link.
    fn enter_access(
        &mut self,
        at: Time,
        direction: Direction,
        name: Name,
        frame: Frame,
        observer: &mut impl LinkObserver,
    ) {
        let Some(hop) = self.access.get_mut(name.access) else {
            return;
        };
        // Nothing of it is due before.
        hop.advance(at, &mut self.next, observer);
        hop.names.put(hop.link.next_id(), name);
        let (link, mut tap) = hop.heard(&mut self.next, observer);
        link.send(at, direction, frame, &mut tap);
    }
}

impl<O: LinkObserver> LinkObserver for Tap<'_, O> {
    fn fate(&mut self, fate: &Fate) {
        let of = fate.duplicate_of.unwrap_or(fate.id);
        let Some(original) = self.names.get(of) else { return };
        let name = match fate.duplicate_of {
            None => original,
            Some(_) => {
                let copy = Name {
                    id: PacketId(*self.next),
                    copy_of: Some(original.id),
                    ..original
                };
                *self.next += 1;
                self.names.put(fate.id, copy);
                copy
            }
        };
        let is_delivered = matches!(fate.outcome, Outcome::Delivered { .. });
        // A corrupted packet goes no further in a simulation; here the host gets it at once, and drops it.
        let goes_on = self.goes_on == Some(fate.direction) && is_delivered && !fate.corrupted;
        if !goes_on {
            self.observer.fate(&Fate {
                id: name.id,
                duplicate_of: name.copy_of,
                ..*fate
            });
        }
    }

    fn link(&mut self, now: Time, event: &LinkEvent) {
        self.observer.link(now, event);
    }
}

#[cfg(test)]
mod tests {
    use windlull_link::model::{
        Impairment, ImpairmentKind, LinkModel, PathModel, QueueLimit, QueueModel, RateModel, Scope,
    };
    use windlull_units::{BitRate, Bytes, ConstantRate, DropCause, Network, Seed, Span};

    use super::super::frame::Pool;
    use super::super::parse::ETHERNET_LEN;
    use super::*;

    #[derive(Default)]
    struct Fates(Vec<Fate>);

    impl LinkObserver for Fates {
        fn fate(&mut self, fate: &Fate) {
            self.0.push(*fate);
        }
        fn link(&mut self, _: Time, _: &LinkEvent) {}
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn model(mbps: u64, delay_ms: u64) -> LinkModel {
        let rate = BitRate::from_bps(mbps * 1_000_000).map(RateModel::Constant);
        LinkModel::symmetric(PathModel::plain(rate, Span::from_ms(delay_ms)))
    }

    fn impaired(mut model: LinkModel, kind: ImpairmentKind) -> LinkModel {
        model.impairments.push(Impairment {
            name: "it".to_owned(),
            scope: Scope::Each,
            kind,
        });
        model
    }

    fn link(model: &LinkModel) -> Link<Frame> {
        Link::new(model, Seed::new(1))
    }

    /// A packet of 1000 octets: 8 ms at 1 Mbit/s.
    fn packet() -> Frame {
        let mut octets = vec![0; ETHERNET_LEN + 1_000];
        octets[12] = 0x08;
        octets[ETHERNET_LEN] = 0x45;
        octets[ETHERNET_LEN + 2..ETHERNET_LEN + 4].copy_from_slice(&1_000_u16.to_be_bytes());
        Pool::new(1_000, Network::Ipv4).frame(&octets).expect("an IPv4 packet")
    }

    /// The same from and to these ports, by UDP.
    fn packet_of([source, destination]: [u16; 2]) -> Frame {
        let mut octets = packet().octets().to_vec();
        octets[ETHERNET_LEN + 9] = 17;
        let ports = ETHERNET_LEN + 20;
        octets[ports..ports + 2].copy_from_slice(&source.to_be_bytes());
        octets[ports + 2..ports + 4].copy_from_slice(&destination.to_be_bytes());
        Pool::new(1_000, Network::Ipv4).frame(&octets).expect("an IPv4 packet")
    }

    fn stream(kbps: u64, start_ms: u64) -> ConstantRate {
        ConstantRate {
            rate: BitRate::from_bps(kbps * 1_000).expect("not zero"),
            packet: Bytes::new(1_000),
            direction: Direction::Down,
            start: Span::from_ms(start_ms),
        }
    }

    fn crossed(model: &LinkModel, access: Option<&LinkModel>, streams: &[ConstantRate]) -> Chain {
        let pool = Pool::new(10_000, Network::Ipv4);
        let sources = streams
            .iter()
            .enumerate()
            .filter_map(|(place, it)| Source::new(*it, place, &pool));
        let access = access.map(|model| Access {
            link: link(model),
            port: None,
        });
        Chain::new(link(model), access.into_iter().collect(), sources.collect())
    }

    /// Plays it, and says when which packet came out, and which way.
    fn play(chain: &mut Chain, until: Time, fates: &mut Fates) -> Vec<(u64, Direction, Time)> {
        let mut out = Vec::new();
        while let Some(at) = chain.poll_at().filter(|at| *at <= until) {
            chain.advance(at, fates);
            while let Some(delivery) = chain.pop_delivery() {
                out.push((delivery.id.0, delivery.direction, delivery.at));
            }
        }
        out
    }

    #[test]
    fn packets_pass_both_links_and_have_the_fate_of_the_last() {
        let mut chain = crossed(&model(1, 20), Some(&model(2, 5)), &[]);
        let mut fates = Fates::default();
        for direction in Direction::ALL {
            chain.send(Time::ZERO, direction, packet(), &mut fates);
        }
        // 8 ms and 20 ms, 4 ms and 5 ms, in either order.
        let expected = [(0, Direction::Down, ms(37)), (1, Direction::Up, ms(37))];
        let mut out = play(&mut chain, ms(1_000), &mut fates);
        out.sort_unstable_by_key(|(id, ..)| *id);
        assert_eq!(out, expected);
        fates.0.sort_unstable_by_key(|fate| fate.id);
        let entered: Vec<(u64, Time)> = fates.0.iter().map(|fate| (fate.id.0, fate.entered)).collect();
        assert_eq!(entered, [(0, ms(28)), (1, ms(9))], "of the last link, once each");
    }

    #[test]
    fn a_packet_that_one_link_loses_is_lost_once() {
        let lossy = |model| impaired(model, ImpairmentKind::Loss { probability: 1.0 });
        for (first, access) in [(model(1, 20), lossy(model(2, 5))), (lossy(model(1, 20)), model(2, 5))] {
            let mut chain = crossed(&first, Some(&access), &[]);
            let mut fates = Fates::default();
            for direction in Direction::ALL {
                chain.send(Time::ZERO, direction, packet(), &mut fates);
            }
            assert_eq!(play(&mut chain, ms(1_000), &mut fates), []);
            assert_eq!(fates.0.len(), 2);
            assert!(fates.0.iter().all(|fate| {
                matches!(
                    fate.outcome,
                    Outcome::Dropped {
                        by: DropCause::RandomLoss,
                        ..
                    }
                )
            }));
        }
    }

    #[test]
    fn a_copy_that_the_first_link_makes_passes_the_second_by_a_number_of_its_own() {
        let doubled = impaired(model(1, 20), ImpairmentKind::Duplicate { probability: 1.0 });
        let mut chain = crossed(&doubled, Some(&model(2, 5)), &[]);
        let mut fates = Fates::default();
        chain.send(Time::ZERO, Direction::Down, packet(), &mut fates);
        let out = play(&mut chain, ms(1_000), &mut fates);
        assert_eq!(out.len(), 2);
        let mut told: Vec<(u64, Option<u64>)> = fates
            .0
            .iter()
            .map(|it| (it.id.0, it.duplicate_of.map(|of| of.0)))
            .collect();
        told.sort_unstable();
        assert_eq!(told, [(0, None), (1, Some(0))]);
    }

    #[test]
    fn each_flow_has_an_access_link_of_its_own() {
        let access = [(2, 50_000), (1, 50_001)].map(|(mbps, port)| Access {
            link: link(&model(mbps, 5)),
            port: Some(port),
        });
        let mut chain = Chain::new(link(&model(100, 20)), access.into(), Vec::new());
        let mut fates = Fates::default();
        // Two of each flow, either way, and one of a port that has none.
        for port in [50_000, 50_001, 50_000, 50_001, 9] {
            chain.send(Time::ZERO, Direction::Up, packet_of([port, 80]), &mut fates);
        }
        for port in [50_001, 50_000] {
            chain.send(Time::ZERO, Direction::Down, packet_of([80, port]), &mut fates);
        }
        let mut out = play(&mut chain, ms(1_000), &mut fates);
        out.sort_unstable_by_key(|(id, ..)| *id);
        // On its own link each takes 4 or 8 ms, one after another, and 25 ms on both; on the shared one 80 us, and as much
        // again where two come to it together.
        let up = [4, 8, 8, 16, 12];
        let down = [8, 4];
        for ((id, _, at), own) in out.iter().zip(up.into_iter().chain(down)) {
            let shared = at.since(ms(own + 25));
            assert!(*at > ms(own + 25) && shared <= Span::from_us(160), "{id}: {at:?}");
        }
        assert_eq!(out.len(), 7);
        assert_eq!(fates.0.len(), 7);
    }

    #[test]
    fn what_crosses_takes_its_time_on_the_link_and_ends_there_untold() {
        // One packet every 80 ms, the first at 20 ms, on a link that takes 8 ms for each.
        let mut chain = crossed(&model(1, 20), Some(&model(2, 5)), &[stream(100, 20)]);
        let mut fates = Fates::default();
        assert_eq!(chain.poll_at(), Some(ms(20)));
        chain.advance(ms(22), &mut fates);
        chain.send(ms(22), Direction::Down, packet(), &mut fates);
        let out = play(&mut chain, ms(10_000), &mut fates);
        // It waits for 6 ms.
        assert_eq!(out, [(0, Direction::Down, ms(22 + 6 + 37))]);
        assert_eq!(fates.0.len(), 1);
    }

    #[test]
    fn what_crosses_fills_the_queue() {
        let mut full = model(1, 20);
        full.down.queue = QueueModel::DropTail(QueueLimit::Packets(1));
        let mut chain = crossed(&full, None, &[stream(2_000, 0)]);
        let mut fates = Fates::default();
        // One is in service until 8 ms, one waits, and others were dropped.
        chain.advance(ms(5), &mut fates);
        chain.send(ms(5), Direction::Down, packet(), &mut fates);
        assert!(matches!(
            fates.0.as_slice(),
            [Fate {
                id: PacketId(0),
                outcome: Outcome::Dropped {
                    by: DropCause::QueueOverflow,
                    ..
                },
                ..
            }]
        ));
    }

    #[test]
    fn a_link_alone_is_handed_on_as_it_is() {
        let mut chain = crossed(&model(1, 20), None, &[]);
        let mut fates = Fates::default();
        chain.send(ms(1), Direction::Up, packet(), &mut fates);
        assert_eq!(play(&mut chain, ms(1_000), &mut fates), [(0, Direction::Up, ms(29))]);
        assert_eq!(fates.0.len(), 1);
    }
}
