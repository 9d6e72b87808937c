//! A link under test: packets in, fates, events and deliveries out. Times are in milliseconds, rates such that an
//! octet takes a millisecond, so that a test's numbers can be worked out by hand.

#![allow(dead_code, reason = "each test file uses its part")]

use windlull_link::model::{
    Action, ArqModel, ContentionModel, Distribution, GrantsModel, Impairment, ImpairmentKind, LinkModel, PathModel,
    Persistence, RateModel, Scope, ScriptEntry, Selector, Trigger,
};
use windlull_link::{Delivery, Link, LinkObserver, Packet, PureAck, TcpView};
use windlull_units::{BitRate, Bytes, Direction, DropCause, Ecn, Fate, LinkEvent, Outcome, PacketId, Seed, Span, Time};

/// A packet of a given size, with what a selector sees of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Probe {
    pub(crate) size: u64,
    pub(crate) tcp: Option<TcpView>,
    pub(crate) ecn: Ecn,
    pub(crate) flow: u64,
    pub(crate) ack: Option<PureAck>,
}

impl Packet for Probe {
    fn size(&self) -> Bytes {
        Bytes::new(self.size)
    }

    fn tcp(&self) -> Option<TcpView> {
        self.tcp
    }

    fn flow(&self) -> u64 {
        self.flow
    }

    fn pure_ack(&self) -> Option<PureAck> {
        self.ack
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

pub(crate) fn probe(size: u64) -> Probe {
    Probe {
        size,
        tcp: None,
        ecn: Ecn::NotEct,
        flow: 0,
        ack: None,
    }
}

/// A data segment of 100 octets.
pub(crate) fn segment(seq: u32) -> Probe {
    let tcp = Some(TcpView {
        seq,
        payload_len: 100,
        syn: false,
    });
    Probe { tcp, ..probe(100) }
}

/// All that happened.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Story {
    pub(crate) sent: Vec<(Time, Direction, u64)>,
    pub(crate) fates: Vec<Fate>,
    pub(crate) events: Vec<(Time, LinkEvent)>,
    pub(crate) deliveries: Vec<Delivery<Probe>>,
    pub(crate) inside: usize,
}

impl LinkObserver for Story {
    fn fate(&mut self, fate: &Fate) {
        self.fates.push(*fate);
    }

    fn link(&mut self, now: Time, event: &LinkEvent) {
        self.events.push((now, event.clone()));
    }
}

/// Plays sends, in order of time, and then goes on until `until`.
pub(crate) fn play(model: &LinkModel, seed: u64, sends: &[(Time, Direction, Probe)], until: Time) -> Story {
    play_with_wakes(model, seed, sends, &[], until)
}

/// The same, with a driver that also wakes up at other instants.
pub(crate) fn play_with_wakes(
    model: &LinkModel,
    seed: u64,
    sends: &[(Time, Direction, Probe)],
    wakes: &[Time],
    until: Time,
) -> Story {
    let mut link = Link::new(model, Seed::new(seed));
    let mut story = Story::default();
    let mut sends = sends.iter().peekable();
    let mut wakes = wakes.iter().copied().peekable();
    loop {
        let next_send = sends.peek().map_or(Time::NEVER, |(at, _, _)| *at);
        let next_wake = wakes.peek().copied().unwrap_or(Time::NEVER);
        let next_link = link.poll_at().unwrap_or(Time::NEVER);
        let now = next_send.min(next_wake).min(next_link);
        if now > until {
            break;
        }
        link.advance(now, &mut story);
        while let Some(delivery) = link.pop_delivery() {
            assert_eq!(delivery.at, now, "a delivery comes at its instant");
            story.deliveries.push(delivery);
        }
        while wakes.next_if(|wake| *wake <= now).is_some() {}
        while let Some((_, direction, packet)) = sends.next_if(|(at, _, _)| *at <= now) {
            let expected = link.next_id();
            assert_eq!(link.send(now, *direction, packet.clone(), &mut story), expected);
            story.sent.push((now, *direction, packet.size));
        }
    }
    story.inside = link.packets_inside();
    story
}

pub(crate) fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

/// One nanosecond before.
pub(crate) fn just_before(time: Time) -> Time {
    Time::from_ns(time.as_ns() - 1)
}

pub(crate) fn rate(bps: u64) -> BitRate {
    BitRate::from_bps(bps).expect("a rate above zero")
}

/// One octet a millisecond, 50 ms of propagation, no limits.
pub(crate) fn path() -> PathModel {
    PathModel::plain(Some(RateModel::Constant(rate(8000))), Span::from_ms(50))
}

pub(crate) fn link() -> LinkModel {
    LinkModel::symmetric(path())
}

/// A link layer with room for `octets` at both ends that retries after 150 ms.
pub(crate) fn arq(octets: u64, persistence: Persistence) -> ArqModel {
    ArqModel {
        send_buffer: Bytes::new(octets),
        receive_buffer: Bytes::new(octets),
        persistence,
        retry_after: Span::from_ms(150),
    }
}

/// Wi-Fi without anybody else, of which each packet is sent alone, at once and without anything besides.
pub(crate) fn wifi() -> ContentionModel {
    ContentionModel {
        contenders: 0,
        contender_airtime: Span::from_ms(4),
        slot: Span::from_us(9),
        spacing: Span::from_us(34),
        cw_min: 15,
        cw_max: 1023,
        aggregate: 1,
        airtime: Span::from_ms(4),
        overhead: Span::ZERO,
        error: 0.0,
        attempts: 7,
    }
}

/// Units of `cycle` milliseconds, without a request, that do not fail.
pub(crate) fn units(cycle: u64) -> GrantsModel {
    GrantsModel {
        cycle: Span::from_ms(cycle),
        sr_period: Span::ZERO,
        grant_delay: Span::ZERO,
        error: 0.0,
        round_trip: Span::from_ms(8),
        attempts: 4,
    }
}

pub(crate) fn with_arq(arq: ArqModel) -> LinkModel {
    let mut model = link();
    (model.down.arq, model.up.arq) = (Some(arq), Some(arq));
    model
}

pub(crate) fn impaired(name: &str, scope: Scope, kind: ImpairmentKind) -> Impairment {
    Impairment {
        name: name.to_owned(),
        scope,
        kind,
    }
}

pub(crate) fn down(kind: ImpairmentKind) -> LinkModel {
    let mut model = link();
    model.impairments = vec![impaired("it", Scope::One(Direction::Down), kind)];
    model
}

/// Does something to the down link from `at` on.
pub(crate) fn at(at: u64, lasts: Option<u64>, action: Action) -> ScriptEntry {
    ScriptEntry {
        scope: Scope::One(Direction::Down),
        trigger: Trigger::At {
            at: ms(at),
            lasts: lasts.map(Span::from_ms),
        },
        action,
    }
}

/// Does something at chosen packets of the down link.
pub(crate) fn on(which: Selector, lasts: Option<u64>, action: Action) -> ScriptEntry {
    ScriptEntry {
        scope: Scope::One(Direction::Down),
        trigger: Trigger::Packets {
            which,
            lasts: lasts.map(Span::from_ms),
        },
        action,
    }
}

pub(crate) fn constant(ms: u64) -> Distribution<Span> {
    Distribution::Constant(Span::from_ms(ms))
}

/// Packets of 100 octets down the link at these instants.
pub(crate) fn hundreds(instants: &[u64]) -> Vec<(Time, Direction, Probe)> {
    instants
        .iter()
        .map(|&instant| (ms(instant), Direction::Down, probe(100)))
        .collect()
}

/// Plays packets of 100 octets down the link, for a long time.
pub(crate) fn hundreds_through(model: &LinkModel, instants: &[u64]) -> Story {
    play(model, 1, &hundreds(instants), ms(100_000))
}

/// What became of each packet, by number: `Ok` with the time of delivery, or `Err` with that and cause of the loss.
pub(crate) type End = Result<Time, (Time, DropCause)>;

impl Story {
    pub(crate) fn fate(&self, id: u64) -> &Fate {
        self.fates
            .iter()
            .find(|fate| fate.id == PacketId(id))
            .unwrap_or_else(|| panic!("no fate of packet {id}: {self:#?}"))
    }

    pub(crate) fn ends(&self) -> Vec<End> {
        let mut fates: Vec<_> = self.fates.iter().collect();
        fates.sort_by_key(|fate| fate.id);
        fates
            .iter()
            .map(|fate| match fate.outcome {
                Outcome::Delivered { at } => Ok(at),
                Outcome::Dropped { at, by } => Err((at, by)),
            })
            .collect()
    }

    /// Numbers of delivered packets, in order of delivery.
    pub(crate) fn order(&self) -> Vec<u64> {
        self.deliveries.iter().map(|delivery| delivery.id.0).collect()
    }

    /// Numbers of the packets lost by `cause`.
    pub(crate) fn lost_by(&self, cause: DropCause) -> Vec<u64> {
        let lost = |fate: &&Fate| matches!(fate.outcome, Outcome::Dropped { by, .. } if by == cause);
        let mut ids: Vec<u64> = self.fates.iter().filter(lost).map(|fate| fate.id.0).collect();
        ids.sort_unstable();
        ids
    }
}

/// Delivered at these milliseconds.
pub(crate) fn delivered<const N: usize>(instants: [u64; N]) -> Vec<End> {
    instants.map(|instant| Ok(ms(instant))).to_vec()
}
