//! All that is between the two devices: the link, an access link behind it, and what crosses the first beside the hosts'
//! packets.
//!
//! ```text
//!     to-server --> link --> access --> to-client        Direction::Down
//!     to-server <-- link <-- access <-- to-client        Direction::Up
//!                   ^ what crosses comes here, and ends behind it
//! ```
//!
//! Mostly there is the link alone, and this hands on what it is asked. Otherwise each link numbers packets by itself, and
//! a packet has a third number, by which the plane tells of it; its one fate is that of the last link it met.

use std::collections::VecDeque;

use windlull_link::{ChangeId, Condition, Delivery, Link, LinkObserver, LiveChange};
use windlull_units::{Direction, Fate, LinkEvent, Outcome, PacketId, Time};

use super::crossing::Source;
use super::frame::Frame;

/// The links of a run.
pub(super) struct Chain {
    link: Link<Frame>,
    /// Numbers by which the link knows packets; unused where it is alone.
    names: Names,
    behind: Option<Box<Behind>>,
}

/// What there is beside the link.
struct Behind {
    access: Option<(Link<Frame>, Names)>,
    sources: Vec<Source>,
    /// The number of the next packet.
    next: u64,
    /// What has passed all, by the plane's numbers.
    ready: VecDeque<Delivery<Frame>>,
}

/// What a packet of a link is called by the plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Name {
    id: PacketId,
    /// The packet that it is a copy of.
    copy_of: Option<PacketId>,
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
    /// The way on which another link comes after this.
    goes_on: Option<Direction>,
    observer: &'a mut O,
}

impl Chain {
    pub(super) fn new(link: Link<Frame>, access: Option<Link<Frame>>, sources: Vec<Source>) -> Self {
        let is_more = access.is_some() || !sources.is_empty();
        Self {
            link,
            names: Names::default(),
            behind: is_more.then(|| {
                Box::new(Behind {
                    access: access.map(|link| (link, Names::default())),
                    sources,
                    next: 0,
                    ready: VecDeque::new(),
                })
            }),
        }
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
        let Some(behind) = &mut self.behind else {
            return self.link.send(now, direction, frame, observer);
        };
        let id = PacketId(behind.next);
        behind.next += 1;
        let name = Name { id, copy_of: None };
        if direction == Direction::Up && behind.access.is_some() {
            behind.enter_access(now, direction, name, frame, observer);
        } else {
            behind.enter(
                &mut self.link,
                &mut self.names,
                now,
                direction,
                Some(name),
                frame,
                observer,
            );
        }
        id
    }

    /// When to call [`Self::advance`] next; `None` if nothing will ever happen unless something is sent.
    pub(super) fn poll_at(&self) -> Option<Time> {
        let link = self.link.poll_at();
        match &self.behind {
            None => link,
            Some(behind) => link.into_iter().chain(behind.poll_at()).min(),
        }
    }

    /// Does everything that is due up to and including `now`.
    pub(super) fn advance(&mut self, now: Time, observer: &mut impl LinkObserver) {
        let Some(behind) = &mut self.behind else {
            self.link.advance(now, observer);
            return;
        };
        loop {
            let due = self.link.poll_at().into_iter().chain(behind.poll_at()).min();
            let Some(at) = due.filter(|at| *at <= now) else { break };
            behind.step(&mut self.link, &mut self.names, at, observer);
        }
        behind.advance(&mut self.link, &mut self.names, now, observer);
    }

    /// What has arrived, in order.
    pub(super) fn pop_delivery(&mut self) -> Option<Delivery<Frame>> {
        match &mut self.behind {
            None => self.link.pop_delivery(),
            Some(behind) => behind.ready.pop_front(),
        }
    }

    /// How a direction of the link is, that of the first.
    pub(super) fn condition(&self, direction: Direction) -> Condition {
        self.link.condition(direction)
    }

    /// A hand changes the link. Only links that stand by themselves are changed, and these are alone.
    pub(super) fn change(&mut self, now: Time, id: ChangeId, change: LiveChange, observer: &mut impl LinkObserver) {
        self.link.change(now, id, change, observer);
    }

    /// A hand takes a change back; false if it had ended.
    pub(super) fn take_back(&mut self, now: Time, id: ChangeId, observer: &mut impl LinkObserver) -> bool {
        self.link.take_back(now, id, observer)
    }
}

impl Behind {
    fn poll_at(&self) -> Option<Time> {
        let access = self.access.as_ref().and_then(|(link, _)| link.poll_at());
        let sources = self.sources.iter().map(Source::next);
        sources.chain(access).min()
    }

    /// Plays both links up to `at`, at which nothing is due.
    fn advance(&mut self, link: &mut Link<Frame>, names: &mut Names, at: Time, observer: &mut impl LinkObserver) {
        let goes_on = self.access.as_ref().map(|_| Direction::Down);
        let next = &mut self.next;
        link.advance(
            at,
            &mut Tap {
                names,
                next,
                goes_on,
                observer,
            },
        );
        if let Some((access, names)) = &mut self.access {
            let goes_on = Some(Direction::Up);
            access.advance(
                at,
                &mut Tap {
                    names,
                    next,
                    goes_on,
                    observer,
                },
            );
        }
    }

    /// Does what is due at `at`: the link first, then the access link, then what crosses.
    fn step(&mut self, link: &mut Link<Frame>, names: &mut Names, at: Time, observer: &mut impl LinkObserver) {
        self.advance(link, names, at, observer);
        while let Some(delivery) = link.pop_delivery() {
            // What crosses ends here.
            let Some(name) = names.get(delivery.id) else { continue };
            if delivery.direction == Direction::Down && self.access.is_some() && !delivery.corrupted {
                self.enter_access(at, Direction::Down, name, delivery.packet, observer);
            } else {
                self.ready.push_back(Delivery {
                    id: name.id,
                    ..delivery
                });
            }
        }
        while let Some(delivery) = self.access.as_mut().and_then(|(access, _)| access.pop_delivery()) {
            let named = self.access.as_ref().and_then(|(_, names)| names.get(delivery.id));
            let Some(name) = named else { continue };
            if delivery.direction == Direction::Up && !delivery.corrupted {
                self.enter(link, names, at, Direction::Up, Some(name), delivery.packet, observer);
            } else {
                self.ready.push_back(Delivery {
                    id: name.id,
                    ..delivery
                });
            }
        }
        for place in 0..self.sources.len() {
            let Some(source) = self.sources.get_mut(place).filter(|source| source.next() <= at) else {
                continue;
            };
            let (stream, frame) = source.send();
            self.enter(link, names, at, stream.direction, None, frame, observer);
        }
    }

    /// A packet comes to the shared link; without a name it is one of those that cross.
    #[expect(clippy::too_many_arguments, reason = "the link and its names are the chain's")]
    fn enter(
        &mut self,
        link: &mut Link<Frame>,
        names: &mut Names,
        at: Time,
        direction: Direction,
        name: Option<Name>,
        frame: Frame,
        observer: &mut impl LinkObserver,
    ) {
        if let Some(name) = name {
            names.put(link.next_id(), name);
        }
        let goes_on = self.access.as_ref().map(|_| Direction::Down);
        let next = &mut self.next;
        link.send(
            at,
            direction,
            frame,
            &mut Tap {
                names,
                next,
                goes_on,
                observer,
            },
        );
    }

    /// A packet comes to the access link.
    fn enter_access(
        &mut self,
        at: Time,
        direction: Direction,
        name: Name,
        frame: Frame,
        observer: &mut impl LinkObserver,
    ) {
        if let Some((access, names)) = &mut self.access {
            names.put(access.next_id(), name);
            let (next, goes_on) = (&mut self.next, Some(Direction::Up));
            access.send(
                at,
                direction,
                frame,
                &mut Tap {
                    names,
                    next,
                    goes_on,
                    observer,
                },
            );
        }
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
    use windlull_units::{BitRate, Bytes, ConstantRate, DropCause, Seed, Span};

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
        Pool::new(1_000).frame(&octets).expect("an IPv4 packet")
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
        let pool = Pool::new(10_000);
        let sources = streams
            .iter()
            .enumerate()
            .filter_map(|(place, it)| Source::new(*it, place, &pool));
        Chain::new(link(model), access.map(link), sources.collect())
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
