//! Managed queues on a link: who is dropped or marked, when, and what that does to the others. Every octet takes a
//! millisecond; waits and drops are worked out by hand.

use crate::support::{Probe, Story, at, hundreds, link, ms, play, probe};
use proptest::prelude::*;
use windlull_link::model::{
    Action, AdaptiveRedModel, CodelModel, DrrModel, DualPi2Model, FqCodelModel, LinkModel, PieModel, QueueLimit,
    QueueModel, QueueSize, RedAim, RedModel,
};
use windlull_units::{Bytes, Direction, DropCause, Ecn, Fate, Outcome, Span, Time};

const END: Time = Time::from_ns(100_000_000_000);

fn with(queue: QueueModel) -> LinkModel {
    let mut model = link();
    model.down.queue = queue;
    model
}

/// The same packets, from a transport that knows of congestion marks.
fn capable(sends: Vec<(Time, Direction, Probe)>) -> Vec<(Time, Direction, Probe)> {
    sends
        .into_iter()
        .map(|(at, direction, packet)| {
            let packet = Probe {
                ecn: Ecn::Ect0,
                ..packet
            };
            (at, direction, packet)
        })
        .collect()
}

fn marked(story: &Story) -> Vec<u64> {
    let mut marked: Vec<u64> = story.fates.iter().filter(|it| it.marked).map(|it| it.id.0).collect();
    marked.sort_unstable();
    marked
}

const fn codel(limit: QueueLimit, ecn: bool) -> QueueModel {
    QueueModel::Codel(CodelModel {
        limit,
        target: Span::from_ms(50),
        interval: Span::from_secs(1),
        ecn,
    })
}

/// Forty packets of 100 ms each at once. The second waits 100 ms and starts the interval, so the first drop is at 1100 ms,
/// then at the first departure after 1000, 707.1, 577.4, 500 ms more: each drop lets the next packet go at once.
#[test]
fn codel_drops_from_the_head_by_its_control_law() {
    let story = play(&with(codel(QueueLimit::Unlimited, false)), 1, &hundreds(&[0; 40]), END);
    assert_eq!(story.lost_by(DropCause::QueueEarly), [11, 22, 31, 37]);
    for (id, due) in [(11, 1100), (22, 2100), (31, 2900), (37, 3400)] {
        let dropped = story.fate(id);
        let by = DropCause::QueueEarly;
        assert_eq!(dropped.outcome, Outcome::Dropped { at: ms(due), by });
        assert_eq!((dropped.entered, dropped.started, dropped.sent), (ms(0), None, None));
        assert_eq!(story.fate(id + 1).started, Some(ms(due)));
    }
    assert_eq!(story.deliveries.len(), 36);
    assert!(story.fates.iter().all(|fate| !fate.marked));
    assert_eq!(story.inside, 0);
}

/// What is marked goes on: the marks come at the departures at or after 1100, 2100, 2807.1, 3384.5 ms; at 3884.5 none waits.
#[test]
fn codel_marks_what_can_be_marked() {
    let sends = capable(hundreds(&[0; 40]));
    let story = play(&with(codel(QueueLimit::Unlimited, true)), 1, &sends, END);
    assert_eq!(marked(&story), [11, 21, 29, 34]);
    assert_eq!(story.deliveries.len(), 40);
    for delivery in &story.deliveries {
        let expected = if story.fate(delivery.id.0).marked {
            Ecn::Ce
        } else {
            Ecn::Ect0
        };
        assert_eq!(delivery.packet.ecn, expected);
    }
    // Without `ecn` they are dropped like any other.
    let dropping = play(&with(codel(QueueLimit::Unlimited, false)), 1, &sends, END);
    assert_eq!(dropping.lost_by(DropCause::QueueEarly), [11, 22, 31, 37]);
}

#[test]
fn a_managed_queue_overflows_like_any_other() {
    let mut sends = hundreds(&[0; 9]);
    sends.extend(hundreds(&[250, 250]));
    let mut model = with(codel(QueueLimit::Packets(7), false));
    let story = play(&model, 1, &sends, END);
    // One is in service and seven wait; two more have gone at 250 ms, and two find room.
    assert_eq!(story.lost_by(DropCause::QueueOverflow), [8]);
    // The script changes that limit, and gives it back.
    model.script = vec![at(100, Some(100), Action::SetQueue(QueueLimit::Packets(2)))];
    sends.insert(9, hundreds(&[150]).remove(0));
    let story = play(&model, 1, &sends, END);
    assert_eq!(story.lost_by(DropCause::QueueOverflow), [8, 9]);
}

const fn red(limit: QueueLimit, ecn: bool) -> RedModel {
    RedModel {
        limit,
        minimum: QueueSize::Packets(2),
        maximum: QueueSize::Packets(4),
        probability: 1.0,
        weight: 1.0,
        gentle: false,
        mean_packet: Bytes::new(100),
        spare: None,
        ecn,
    }
}

/// With a weight of one the average is the queue. The fourth packet finds two: a probability of zero. The fifth finds three:
/// 1/2, which after one packet without a mark is 1 (section 4: `p_a = p_b / (1 - count p_b)`); and so do all that follow.
#[test]
fn red_drops_arrivals_by_the_average() {
    let story = play(
        &with(QueueModel::Red(red(QueueLimit::Unlimited, false))),
        1,
        &hundreds(&[0; 8]),
        END,
    );
    assert_eq!(story.lost_by(DropCause::QueueEarly), [4, 5, 6, 7]);
    assert_eq!(story.deliveries.len(), 4);
    assert_eq!(story.fate(4).queue_packets, 3);
}

/// Marked, the fifth waits. The sixth finds four, the maximum: all are dropped, capable or not.
#[test]
fn red_marks_below_its_maximum_and_drops_beyond() {
    let model = with(QueueModel::Red(red(QueueLimit::Unlimited, true)));
    let story = play(&model, 1, &capable(hundreds(&[0; 8])), END);
    assert_eq!(marked(&story), [4]);
    assert_eq!(story.lost_by(DropCause::QueueEarly), [5, 6, 7]);
    assert_eq!(story.deliveries[4].packet.ecn, Ecn::Ce);
}

#[test]
fn red_counts_octets_where_its_thresholds_do() {
    let octets = RedModel {
        minimum: QueueSize::Bytes(Bytes::new(200)),
        maximum: QueueSize::Bytes(Bytes::new(400)),
        ..red(QueueLimit::Unlimited, false)
    };
    let story = play(&with(QueueModel::Red(octets)), 1, &hundreds(&[0; 8]), END);
    assert_eq!(story.lost_by(DropCause::QueueEarly), [4, 5, 6, 7]);
}

#[test]
fn a_full_queue_is_named_as_the_cause() {
    let model = with(QueueModel::Red(red(QueueLimit::Packets(3), false)));
    let story = play(&model, 1, &hundreds(&[0; 8]), END);
    assert_eq!(story.lost_by(DropCause::QueueOverflow), [4, 5, 6, 7]);
    assert_eq!(story.lost_by(DropCause::QueueEarly), [0; 0]);
}

/// Which of the three packets are dropped that come at once, 14 s after 60 others have raised the average.
fn dropped_after_a_pause(mean_packet: u64, spare: Option<QueueSize>) -> Vec<u64> {
    let model = with(QueueModel::Red(RedModel {
        minimum: QueueSize::Packets(1),
        maximum: QueueSize::Packets(2),
        weight: 0.01,
        mean_packet: Bytes::new(mean_packet),
        spare,
        ..red(QueueLimit::Unlimited, false)
    }));
    let mut instants: Vec<u64> = vec![0; 60];
    instants.extend([20_000, 20_000, 20_000]);
    let story = play(&model, 1, &hundreds(&instants), END);
    let lost = story.lost_by(DropCause::QueueEarly);
    lost.into_iter().filter(|id| *id >= 60).collect()
}

/// The average of a link that was idle fades by the packets that it could have sent: it drops nothing after a pause.
#[test]
fn an_idle_link_forgets_its_average() {
    // 14 s of idle time are 140 packets of 100 octets: 0.99^140 = 0.24; of 100,000 octets they are none.
    assert_eq!(dropped_after_a_pause(100, None), [0; 0]);
    assert_eq!(dropped_after_a_pause(100_000, None), [60, 61, 62]);
}

/// The average that a link has not forgotten drops nothing while no more than `spare` waits; the packet in service does not wait.
#[test]
fn a_short_queue_is_spared() {
    let dropped = |spare| dropped_after_a_pause(100_000, Some(spare));
    assert_eq!(dropped(QueueSize::Packets(0)), [62]);
    assert_eq!(dropped(QueueSize::Packets(1)), [0; 0]);
    assert_eq!(dropped(QueueSize::Bytes(Bytes::new(99))), [62]);
    assert_eq!(dropped(QueueSize::Bytes(Bytes::new(100))), [0; 0]);
}

/// 12 packets a second, where 10 pass: PIE drops until the wait is near its target.
#[test]
fn pie_brings_the_wait_to_its_target() {
    let pie = QueueModel::Pie(PieModel {
        limit: QueueLimit::Unlimited,
        target: Span::from_ms(500),
        burst: Span::from_ms(150),
        mean_packet: Bytes::new(100),
        ecn: false,
    });
    // For 300 s: unmanaged, the last would wait a minute.
    let instants: Vec<u64> = (0..3_600).map(|number| number * 250 / 3).collect();
    let story = play(&with(pie), 1, &hundreds(&instants), ms(400_000));
    let waits: Vec<Span> = story
        .fates
        .iter()
        .filter(|fate| fate.entered > ms(100_000))
        .filter_map(|fate| Some(fate.started?.since(fate.entered)))
        .collect();
    let mean = waits.iter().map(|wait| wait.as_ns()).sum::<u64>() / waits.len() as u64;
    assert!((300_000_000..700_000_000).contains(&mean), "{mean} ns");
    let dropped = story.lost_by(DropCause::QueueEarly).len();
    // One packet of six is too many.
    assert!((500..700).contains(&dropped), "{dropped} of 3600");
}

/// The same overload for Adaptive RED: the average queue ends in the target range, whatever `max_p` that takes.
#[test]
fn adaptive_red_brings_the_average_into_its_target_range() {
    let adaptive = QueueModel::AdaptiveRed(AdaptiveRedModel {
        limit: QueueLimit::Unlimited,
        aim: RedAim::Thresholds {
            minimum: QueueSize::Packets(5),
            maximum: QueueSize::Packets(15),
        },
        weight: Some(0.05),
        mean_packet: Bytes::new(100),
        spare: None,
        ecn: false,
    });
    let instants: Vec<u64> = (0..3_600).map(|number| number * 250 / 3).collect();
    let story = play(&with(adaptive), 1, &hundreds(&instants), ms(400_000));
    let late: Vec<u32> = story
        .fates
        .iter()
        .filter(|fate| fate.entered > ms(100_000))
        .map(|fate| fate.queue_packets)
        .collect();
    let mean = f64::from(late.iter().sum::<u32>()) / late.len() as f64;
    // Target range 9 to 11.
    assert!((8.5..11.5).contains(&mean), "{mean}");
}

// ---- any managed queue ----

fn queues() -> impl Strategy<Value = QueueModel> {
    let limits = prop_oneof![
        Just(QueueLimit::Unlimited),
        (1_u32..40).prop_map(QueueLimit::Packets),
        (100_u64..20_000).prop_map(|octets| QueueLimit::Bytes(Bytes::new(octets))),
    ];
    let sizes = prop_oneof![
        (1_u32..10, 1_u32..10).prop_map(|(low, more)| (QueueSize::Packets(low), QueueSize::Packets(low + more))),
        (1_u64..3_000, 1_u64..3_000).prop_map(|(low, more)| {
            (
                QueueSize::Bytes(Bytes::new(low)),
                QueueSize::Bytes(Bytes::new(low + more)),
            )
        }),
    ];
    let spans = || (1_u64..500).prop_map(Span::from_ms);
    (
        limits,
        sizes,
        0.01..1.0,
        0.001..1.0,
        any::<(bool, bool)>(),
        spans(),
        spans(),
        0..7,
    )
        .prop_map(
            |(limit, (minimum, maximum), probability, weight, (gentle, ecn), target, more, kind)| {
                let mean_packet = Bytes::new(500);
                match kind {
                    0 => QueueModel::Red(RedModel {
                        limit,
                        minimum,
                        maximum,
                        probability,
                        weight,
                        gentle,
                        mean_packet,
                        spare: None,
                        ecn,
                    }),
                    1 => QueueModel::AdaptiveRed(AdaptiveRedModel {
                        limit,
                        aim: if gentle {
                            RedAim::Delay(target)
                        } else {
                            RedAim::Thresholds { minimum, maximum }
                        },
                        weight: (probability < 0.5).then_some(weight),
                        mean_packet,
                        spare: None,
                        ecn,
                    }),
                    2 => QueueModel::Codel(CodelModel {
                        limit,
                        target,
                        interval: target + more,
                        ecn,
                    }),
                    3 => QueueModel::Pie(PieModel {
                        limit,
                        target,
                        burst: more,
                        mean_packet,
                        ecn,
                    }),
                    4 => QueueModel::Drr(DrrModel {
                        limit,
                        quantum: mean_packet,
                        flows: if gentle { 2 } else { 1024 },
                    }),
                    5 => QueueModel::DualPi2(DualPi2Model {
                        limit,
                        target,
                        round_trip: target + more,
                        threshold: more,
                        range: if gentle { more } else { Span::ZERO },
                        coupling: 2,
                        classic_share: probability,
                    }),
                    _ => QueueModel::FqCodel(FqCodelModel {
                        limit,
                        quantum: mean_packet,
                        flows: if gentle { 2 } else { 1024 },
                        target,
                        interval: target + more,
                        ecn,
                    }),
                }
            },
        )
}

fn traffic() -> impl Strategy<Value = Vec<(Time, Direction, Probe)>> {
    let send = (0_u64..300, 40_u64..1_500, 0_u8..4, 0_u64..4);
    proptest::collection::vec(send, 1..150).prop_map(|sends| {
        let mut now = 0;
        let packet = |size, ecn, flow| Probe {
            ecn: Ecn::of_octet(ecn),
            flow,
            ..probe(size)
        };
        sends
            .into_iter()
            .map(|(gap, size, ecn, flow)| {
                now += gap;
                (ms(now), Direction::Down, packet(size, ecn, flow))
            })
            .collect()
    })
}

const fn marks(queue: &QueueModel) -> bool {
    match queue {
        QueueModel::DropTail(_) | QueueModel::Drr(_) => false,
        QueueModel::Red(model) => model.ecn,
        QueueModel::AdaptiveRed(model) => model.ecn,
        QueueModel::Codel(model) => model.ecn,
        QueueModel::Pie(model) => model.ecn,
        QueueModel::FqCodel(model) => model.ecn,
        QueueModel::DualPi2(_) | QueueModel::Cake(_) => true,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn every_packet_has_one_fate_and_only_capable_ones_are_marked(
        queue in queues(), seed: u64, sends in traffic(),
    ) {
        let story = play(&with(queue), seed, &sends, Time::from_ns(10_000_000_000_000));
        prop_assert_eq!(story.inside, 0);
        prop_assert_eq!(story.fates.len(), sends.len());
        prop_assert_eq!(&story, &play(&with(queue), seed, &sends, Time::from_ns(10_000_000_000_000)));
        for fate in &story.fates {
            let index = usize::try_from(fate.id.0).expect("few packets");
            let sent = sends[index].2.ecn;
            prop_assert!(!fate.marked || (marks(&queue) && sent.is_capable()), "{:?}", fate);
        }
        for delivery in &story.deliveries {
            let index = usize::try_from(delivery.id.0).expect("few packets");
            let sent = sends[index].2.ecn;
            let expected = if story.fate(delivery.id.0).marked { Ecn::Ce } else { sent };
            prop_assert_eq!(delivery.packet.ecn, expected);
        }
        // Those of a flow stay in order, with two kinds those of each kind, and all octets are delivered or dropped.
        let kind = |id: u64| {
            let sent = sends[usize::try_from(id).expect("few packets")].2.ecn;
            matches!(queue, QueueModel::DualPi2(_)) && matches!(sent, Ecn::Ect1 | Ecn::Ce)
        };
        for (flow, low) in (0..4).flat_map(|flow| [(flow, false), (flow, true)]) {
            let of_flow = story.deliveries.iter().filter(|it| it.packet.flow == flow && kind(it.id.0) == low);
            prop_assert!(of_flow.map(|it| it.id).is_sorted(), "flow {}", flow);
        }
        let sent: u64 = sends.iter().map(|(_, _, packet)| packet.size).sum();
        let told: u64 = story.fates.iter().map(|fate| fate.size.get()).sum();
        prop_assert_eq!(told, sent);
    }

    /// The average is never above the longest queue, so below the minimum nothing happens.
    #[test]
    fn red_leaves_a_short_queue_alone(seed: u64, sends in traffic(), weight in 0.001..1.0, minimum in 1_u32..20) {
        let model = RedModel {
            minimum: QueueSize::Packets(minimum),
            maximum: QueueSize::Packets(minimum * 3),
            weight,
            ..red(QueueLimit::Unlimited, true)
        };
        let story = play(&with(QueueModel::Red(model)), seed, &sends, END);
        let touched = |fate: &&Fate| {
            fate.marked || matches!(fate.outcome, Outcome::Dropped { by: DropCause::QueueEarly, .. })
        };
        let first = story.fates.iter().filter(touched).map(|fate| fate.entered).min();
        let longest = story.fates.iter().filter(|fate| Some(fate.entered) <= first).map(|fate| fate.queue_packets).max();
        prop_assert!(first.is_none() || longest >= Some(minimum), "{:?} at {:?}", longest, first);
    }
}
