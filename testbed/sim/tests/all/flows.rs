//! Many flows over one link, access links, and what crosses.

use std::collections::BTreeMap;

use windlull_capture::Observer;
use windlull_link::model::{
    Impairment, ImpairmentKind, LinkModel, PathModel, QueueLimit, QueueModel, RateModel, Scope,
};
use windlull_sim::{ConstantRate, Ending, Ends, Flow, Requests, Setup, Variant, Work, run};
use windlull_units::{BitRate, Bytes, Direction, Fate, Host, LinkEvent, Network, Outcome, PacketId, Seed, Span, Time};
use windlull_wire::{Segment, SenderEvent, TransmitCause};

/// What was told of one flow.
#[derive(Clone, Debug, Default, PartialEq)]
struct Observed {
    sent: Vec<(Time, Host, PacketId, Segment)>,
    arrived: Vec<(Time, Host, PacketId)>,
    fates: BTreeMap<u64, Fate>,
    tasks: Vec<Span>,
    up_at: Option<Time>,
}

impl Observed {
    /// Octets of payload that reached the client.
    fn octets(&self) -> u64 {
        let size: BTreeMap<PacketId, u64> = (self.sent.iter())
            .map(|(_, _, id, segment)| (*id, u64::from(segment.payload_len)))
            .collect();
        let to_client = self.arrived.iter().filter(|(_, host, _)| *host == Host::Client);
        to_client.map(|(_, _, id)| size.get(id).copied().unwrap_or(0)).sum()
    }

    /// Every packet was numbered in order, and has one fate; what was delivered intact arrived.
    fn check(&self) {
        for (place, (_, _, id, _)) in self.sent.iter().enumerate() {
            assert_eq!(id.0, place as u64);
            assert!(self.fates.contains_key(&id.0), "packet {id:?} has no fate");
        }
        assert_eq!(self.fates.len(), self.sent.len());
        let delivered = self.fates.values().filter(|fate| fate.arrived_intact()).count();
        assert_eq!(delivered, self.arrived.len());
    }
}

impl Observer for Observed {
    fn sent(&mut self, now: Time, host: Host, id: PacketId, segment: &Segment, _: Option<TransmitCause>) {
        self.sent.push((now, host, id, *segment));
    }

    fn arrived(&mut self, now: Time, host: Host, id: PacketId, _: &Segment) {
        self.arrived.push((now, host, id));
    }

    fn fate(&mut self, fate: &Fate) {
        assert_eq!(self.fates.insert(fate.id.0, *fate), None, "two fates of one packet");
    }

    fn link(&mut self, _: Time, _: &LinkEvent) {}

    fn sender(&mut self, _: Time, _: Host, _: &SenderEvent) {}

    fn task(&mut self, _: Time, took: Span) {
        self.tasks.push(took);
    }

    fn time_is_up(&mut self, now: Time) {
        self.up_at = Some(now);
    }
}

fn path(rate: Option<u64>, delay: Span, limit: QueueLimit) -> PathModel {
    PathModel {
        queue: QueueModel::DropTail(limit),
        ..PathModel::plain(rate.and_then(BitRate::from_bps).map(RateModel::Constant), delay)
    }
}

fn link(path: &PathModel) -> LinkModel {
    LinkModel::symmetric(path.clone())
}

fn one_mbit() -> LinkModel {
    link(&path(Some(1_000_000), Span::from_ms(20), QueueLimit::Packets(30)))
}

fn flow(variant: &Variant, work: Work, start: Span) -> Flow<'_> {
    Flow {
        ends: Ends::Tcp(variant),
        work,
        data_sender: Host::Server,
        start,
    }
}

fn bulk(octets: u64) -> Work {
    Work::Octets(Bytes::new(octets))
}

fn play(
    link: &LinkModel,
    access: Option<&LinkModel>,
    flows: &[Flow<'_>],
    crossing: &[ConstantRate],
) -> (Ending, Vec<Observed>) {
    let mut observed = vec![Observed::default(); flows.len()];
    let setup = Setup {
        link,
        access,
        flows,
        crossing,
        network: Network::Ipv4,
        seed: Seed::new(7),
        time_limit: Span::from_secs(600),
    };
    (run(&setup, &mut observed), observed)
}

#[test]
fn over_ipv6_packets_have_twenty_octets_more_on_both_links() {
    let access = link(&path(Some(2_000_000), Span::from_ms(5), QueueLimit::Packets(30)));
    let variant = |network: Network| Variant {
        mss: network.segment_size(1460),
        ..Variant::default()
    };
    let sizes = |network: Network, access: Option<&LinkModel>| {
        let variant = variant(network);
        let play = || {
            let mut observed = [Observed::default()];
            let setup = Setup {
                link: &one_mbit(),
                access,
                flows: &[flow(&variant, bulk(200_000), Span::ZERO)],
                crossing: &[],
                network,
                seed: Seed::new(7),
                time_limit: Span::from_secs(600),
            };
            let ending = run(&setup, &mut observed);
            assert!(matches!(ending, Ending::Closed { .. }), "{ending}");
            observed
        };
        let first = play();
        assert_eq!(play(), first);
        let [observed] = first;
        observed.check();
        let sizes = observed.fates.values().map(|fate| fate.size.get());
        let (least, most) = (sizes.clone().min(), sizes.max());
        (least.expect("packets"), most.expect("packets"))
    };
    for access in [None, Some(&access)] {
        assert_eq!(sizes(Network::Ipv4, access), (40, 1500));
        assert_eq!(sizes(Network::Ipv6, access), (60, 1500));
    }
}

#[test]
fn every_flow_of_a_full_link_transfers_all_and_accounts_for_all_its_packets() {
    let variant = Variant::default();
    let flows: Vec<_> = (0..9)
        .map(|i| flow(&variant, bulk(200_000), Span::from_ms(30 * i)))
        .collect();
    let (ending, observed) = play(&one_mbit(), None, &flows, &[]);
    assert!(matches!(ending, Ending::Closed { .. }), "{ending}");
    let mut lost = 0;
    for (one, flow) in observed.iter().zip(&flows) {
        one.check();
        assert!(one.octets() >= 200_000);
        assert_eq!(one.sent[0].0, Time::ZERO + flow.start);
        lost += one.sent.len() - one.arrived.len();
    }
    assert!(lost > 0, "nine flows never filled a queue of 30 packets");
}

#[test]
fn a_flow_beside_others_that_take_nothing_from_it_does_as_if_it_were_alone() {
    let wide = link(&path(None, Span::from_ms(20), QueueLimit::Unlimited));
    let variant = Variant::default();
    let mine = flow(&variant, bulk(200_000), Span::ZERO);
    let (_, alone) = play(&wide, None, &[mine], &[]);
    let other = flow(&variant, bulk(300_000), Span::from_ms(7));
    let (_, together) = play(&wide, None, &[mine, other], &[]);
    assert_eq!(alone[0].sent, together[0].sent);
    assert_eq!(alone[0].arrived, together[0].arrived);
}

#[test]
fn a_flow_by_time_always_has_data_and_ends_when_its_time_is_up() {
    let variant = Variant::default();
    let (begins, lasts) = (Span::from_secs(2), Span::from_secs(30));
    let (ending, observed) = play(&one_mbit(), None, &[flow(&variant, Work::Lasting(lasts), begins)], &[]);
    let at = Time::ZERO + begins + lasts;
    assert_eq!(ending, Ending::Elapsed { at });
    assert_eq!(observed[0].up_at, Some(at));
    // 1 Mbit/s in 30 s, less headers and the first round trips.
    let share = observed[0].octets() * 8 / 30;
    assert!((850_000..1_000_000).contains(&share), "{share} bit/s");
    assert!(observed[0].sent.iter().all(|(when, ..)| *when <= at));
}

#[test]
fn flows_by_time_and_by_size_end_each_by_its_own() {
    let variant = Variant::default();
    let flows = [
        flow(&variant, Work::Lasting(Span::from_secs(1)), Span::ZERO),
        flow(&variant, bulk(1_000_000), Span::ZERO),
    ];
    let (ending, observed) = play(&one_mbit(), None, &flows, &[]);
    assert!(
        matches!(ending, Ending::Closed { at } if at > Time::ZERO + Span::from_secs(8)),
        "{ending}"
    );
    assert_eq!(observed[0].up_at, Some(Time::ZERO + Span::from_secs(1)));
    assert_eq!(observed[1].up_at, None);
    observed[1].check();
}

#[test]
fn what_crosses_takes_its_share_and_is_told_to_nobody() {
    let variant = Variant::default();
    let transfer = flow(&variant, bulk(500_000), Span::ZERO);
    let half = ConstantRate {
        rate: BitRate::from_bps(500_000).expect("not zero"),
        packet: Bytes::new(1_000),
        direction: Direction::Down,
        start: Span::ZERO,
    };
    let end = |crossing: &[ConstantRate]| {
        let (ending, observed) = play(&one_mbit(), None, &[transfer], crossing);
        observed[0].check();
        match ending {
            Ending::Closed { at } => at.as_secs_f64(),
            other => panic!("{other}"),
        }
    };
    let (alone, beside) = (end(&[]), end(&[half]));
    assert!(beside > 1.7 * alone, "{alone} s alone, {beside} s beside half the rate");
    let up = ConstantRate {
        direction: Direction::Up,
        ..half
    };
    assert!(end(&[up]) < 1.2 * alone);
}

#[test]
fn an_access_link_adds_its_way_and_its_losses_and_a_packet_has_one_fate() {
    let variant = Variant::default();
    let shared = link(&path(None, Span::from_ms(20), QueueLimit::Unlimited));
    let mut own = link(&path(None, Span::from_ms(5), QueueLimit::Unlimited));
    let transfer = flow(&variant, bulk(100_000), Span::ZERO);
    let (_, observed) = play(&shared, Some(&own), &[transfer, transfer], &[]);
    for one in &observed {
        one.check();
        let Fate { outcome, .. } = one.fates[&0];
        assert_eq!(
            outcome,
            Outcome::Delivered {
                at: Time::ZERO + Span::from_ms(25)
            }
        );
    }
    own.impairments = vec![Impairment {
        name: "errors".to_owned(),
        scope: Scope::Each,
        kind: ImpairmentKind::Loss { probability: 0.05 },
    }];
    let (ending, observed) = play(&shared, Some(&own), &[transfer, transfer], &[]);
    assert!(matches!(ending, Ending::Closed { .. }), "{ending}");
    let lost = |one: &Observed| -> Vec<u64> {
        let fates = one.fates.values();
        let lost = fates.filter(|fate| !fate.arrived_intact());
        lost.map(|fate| fate.id.0).collect()
    };
    for one in &observed {
        one.check();
        assert!(!lost(one).is_empty(), "5 % of 100 packets and more, and none was lost");
    }
    assert_ne!(
        lost(&observed[0]),
        lost(&observed[1]),
        "each has an access link of its own"
    );
}

#[test]
fn requests_are_answered_and_each_task_is_told() {
    let variant = Variant::default();
    let link = link(&path(None, Span::from_ms(50), QueueLimit::Unlimited));
    let requests = |request: u64, every: Option<Span>| {
        Work::Requests(Requests {
            request: Bytes::new(request),
            response: Bytes::new(1_000),
            every,
            count: 5,
        })
    };
    let tasks = |work: Work| {
        let (ending, observed) = play(&link, None, &[flow(&variant, work, Span::ZERO)], &[]);
        assert!(matches!(ending, Ending::Closed { .. }), "{ending}");
        observed[0].check();
        let asked: Vec<Time> = (observed[0].sent.iter())
            .filter(|(_, host, _, segment)| *host == Host::Client && segment.payload_len > 0)
            .map(|(at, ..)| *at)
            .collect();
        (observed[0].tasks.clone(), asked)
    };
    // The first response takes the handshake besides: there and back, then there with the data.
    let (took, asked) = tasks(requests(0, Some(Span::from_secs(1))));
    assert_eq!(took[1..], [Span::from_ms(50); 4]);
    assert_eq!(took[0], Span::from_ms(150));
    assert_eq!(asked, []);
    let (took, asked) = tasks(requests(200, Some(Span::from_secs(1))));
    assert_eq!(took[1..], [Span::from_ms(100); 4]);
    assert_eq!(
        asked[1..],
        [1, 2, 3, 4].map(|second| Time::ZERO + Span::from_secs(second))
    );
    // One after another: each is asked when the one before is there.
    let (took, asked) = tasks(requests(200, None));
    assert_eq!(took[1..], [Span::from_ms(100); 4]);
    let gaps: Vec<Span> = asked.windows(2).map(|pair| pair[1].since(pair[0])).collect();
    assert_eq!(gaps[1..], [Span::from_ms(100); 3]);
}

#[test]
fn the_same_seed_tells_the_same_of_every_flow() {
    let variant = Variant::default();
    let mut own = one_mbit();
    own.impairments = vec![Impairment {
        name: "errors".to_owned(),
        scope: Scope::Each,
        kind: ImpairmentKind::Loss { probability: 0.03 },
    }];
    let flows: Vec<_> = (0..5).map(|i| flow(&variant, bulk(40_000), Span::from_ms(i))).collect();
    let crossing = [ConstantRate {
        rate: BitRate::from_bps(300_000).expect("not zero"),
        packet: Bytes::new(700),
        direction: Direction::Down,
        start: Span::from_ms(11),
    }];
    let first = play(&one_mbit(), Some(&own), &flows, &crossing);
    assert_eq!(first, play(&one_mbit(), Some(&own), &flows, &crossing));
}

#[test]
fn a_sender_that_nothing_answers_gives_up_and_says_after_how_many_timeouts() {
    let variant = Variant::default();
    let mut deaf = one_mbit();
    deaf.impairments.push(Impairment {
        name: "deaf".to_owned(),
        scope: Scope::Each,
        kind: ImpairmentKind::Loss { probability: 1.0 },
    });
    let setup = Setup {
        link: &deaf,
        access: None,
        flows: &[flow(&variant, bulk(2_000), Span::ZERO)],
        crossing: &[],
        network: Network::Ipv4,
        seed: Seed::new(7),
        time_limit: Span::from_secs(3600),
    };
    let ending = run(&setup, &mut [Observed::default()]);
    assert!(matches!(ending, Ending::GaveUp { timeouts: 16, .. }), "{ending}");
    assert!(
        ending.to_string().contains("nothing answered 16 timeouts in a row"),
        "{ending}"
    );
}
