//! Service in batches, and the order at the far end: units after a grant, aggregates of Wi-Fi; worked out by hand.

use crate::support;
use crate::support::{
    Probe, Story, arq, at, constant, delivered, hundreds, hundreds_through, link, ms, play, probe, rate, units, wifi,
};
use proptest::prelude::*;
use windlull_link::model::{
    Action, ContentionModel, GrantsModel, InOrder, LinkModel, Persistence, QueueLimit, QueueModel, RateModel,
    ServiceModel,
};
use windlull_link::parse_trace;
use windlull_units::{Bytes, Direction, DropCause, Outcome, Span, Time};

const GAVE_UP: DropCause = DropCause::ArqGaveUp;

fn served(service: ServiceModel) -> LinkModel {
    let mut model = link();
    model.down.service = Some(service);
    model
}

fn granted(grants: GrantsModel) -> LinkModel {
    served(ServiceModel::Grants(grants))
}

fn sizes(sizes: &[(u64, u64)]) -> Vec<(Time, Direction, Probe)> {
    let send = |&(instant, size): &(u64, u64)| (ms(instant), Direction::Down, probe(size));
    sizes.iter().map(send).collect()
}

// ---- units ----

#[test]
fn what_arrives_waits_for_the_next_unit() {
    // A unit has 100 octets. The first packet comes as one begins, the fourth in the middle of one.
    let story = hundreds_through(&granted(units(100)), &[0, 0, 10, 250]);
    assert_eq!(story.ends(), delivered([150, 250, 350, 450]));
    let story = hundreds_through(&granted(units(100)), &[30]);
    assert_eq!(story.ends(), delivered([250]));
    assert_eq!(
        (story.fate(0).started, story.fate(0).sent),
        (Some(ms(100)), Some(ms(200)))
    );
}

#[test]
fn a_unit_carries_several_packets_and_a_packet_takes_several_units() {
    let sends = sizes(&[(1, 40), (2, 40), (3, 150)]);
    let story = play(&granted(units(100)), 1, &sends, ms(10_000));
    // 40, 40 and 20; 100; 30.
    assert_eq!(story.ends(), delivered([250, 250, 450]));
    let mut model = granted(units(100));
    model.down.framing = Bytes::new(10);
    // 50, 50; 100; 60.
    assert_eq!(play(&model, 1, &sends, ms(10_000)).ends(), delivered([250, 250, 450]));
}

#[test]
fn octets_of_a_cycle_need_not_be_whole() {
    // 0.5 octets a unit: three octets take six units, from the one that begins at 0 on.
    let mut model = granted(units(1));
    model.down.rate = Some(RateModel::Constant(rate(4000)));
    let story = play(&model, 1, &sizes(&[(0, 3)]), ms(1000));
    assert_eq!(story.ends(), delivered([56]));
}

#[test]
fn the_queue_gives_up_what_is_in_a_unit() {
    let mut model = granted(units(100));
    model.down.queue = QueueModel::DropTail(QueueLimit::Packets(2));
    // One is in the unit of 0 ms; two wait; one has no room. From 100 ms on there is room for one.
    let story = hundreds_through(&model, &[0, 10, 20, 30, 101]);
    assert_eq!(story.lost_by(DropCause::QueueOverflow), [3]);
    assert_eq!(story.fate(4).queue_packets, 1);
}

#[test]
fn a_queue_that_was_empty_asks_first() {
    let model = granted(GrantsModel {
        sr_period: Span::from_ms(80),
        grant_delay: Span::from_ms(130),
        ..units(100)
    });
    // Asks at 80, granted at 210, and the next unit begins at 300. The second packet comes before the queue is empty. The
    // third asks at 480: granted at 610, sent from 700 on.
    let story = hundreds_through(&model, &[10, 290, 450]);
    assert_eq!(story.ends(), delivered([450, 550, 850]));
}

#[test]
fn a_unit_has_the_rate_of_its_beginning_or_the_opportunities_within_it() {
    let mut model = granted(units(100));
    model.script = vec![at(150, None, Action::SetRate(rate(800)))];
    // 100 octets in each of two units, then ten units of 10.
    let story = hundreds_through(&model, &[0, 0, 0]);
    assert_eq!(story.ends(), delivered([150, 250, 1250]));

    let mut model = granted(units(10));
    model.down.rate = Some(parse_trace("10\n20\n30\n").expect("a trace"));
    // Nothing in the unit of 0 ms; 1504 octets in that of 10 ms and in that of 20 ms.
    let story = play(&model, 1, &sizes(&[(0, 2000)]), ms(1000));
    assert_eq!(story.ends(), delivered([80]));
}

#[test]
fn a_failed_unit_takes_the_place_of_a_new_one() {
    let model = granted(GrantsModel {
        error: 1.0,
        round_trip: Span::from_ms(200),
        attempts: 2,
        ..units(100)
    });
    // In units: 0, 1, 0 again, 1 again, 2, 3, 2 again, 3 again.
    let story = hundreds_through(&model, &[0, 0, 0, 0]);
    let lost = [300, 400, 700, 800].map(|instant| Err((ms(instant), GAVE_UP)));
    assert_eq!(story.ends(), lost);
    assert_eq!(story.fate(0).sent, Some(ms(100)));
}

#[test]
fn a_suspended_link_ends_its_unit_and_begins_none() {
    let mut model = granted(units(100));
    model.impairments = vec![support::impaired(
        "it",
        windlull_link::model::Scope::One(Direction::Down),
        windlull_link::model::ImpairmentKind::Suspend {
            every: windlull_link::model::Onset::IntervalsFrom(constant(100_000), Span::from_ms(50)),
            length: constant(200),
        },
    )];
    assert_eq!(hundreds_through(&model, &[0, 0]).ends(), delivered([150, 450]));
}

// ---- order at the far end ----

/// A link of which the first unit fails once and the second does not, with a seed for it.
fn first_unit_fails(attempts: u32, wanted: impl Fn(&Story) -> bool) -> (LinkModel, u64) {
    let mut model = granted(GrantsModel {
        error: 0.5,
        round_trip: Span::from_ms(300),
        attempts,
        ..units(100)
    });
    model.down.in_order = InOrder::Never;
    let seed = (0..200).find(|&seed| wanted(&play(&model, seed, &hundreds(&[0, 0]), ms(10_000))));
    (
        model,
        seed.expect("a seed in two hundred, of which each has one chance in eight"),
    )
}

fn with_order(model: &LinkModel, seed: u64, in_order: InOrder) -> Story {
    let mut model = model.clone();
    model.down.in_order = in_order;
    play(&model, seed, &hundreds(&[0, 0]), ms(10_000))
}

fn wait(ms: u64) -> InOrder {
    InOrder::For(Span::from_ms(ms))
}

#[test]
fn later_packets_wait_for_one_that_is_sent_again_up_to_the_timer() {
    let (model, seed) = first_unit_fails(4, |story| story.ends() == delivered([450, 250]));
    let as_they_come = with_order(&model, seed, InOrder::Never);
    assert_eq!(as_they_come.order(), [1, 0]);
    assert!(as_they_come.fate(0).reordered && !as_they_come.fate(1).reordered);
    assert_eq!(as_they_come.fate(0).held, Span::from_ms(300));
    assert_eq!(with_order(&model, seed, InOrder::Always).ends(), delivered([450, 450]));
    // It comes at the very instant at which the timer would expire.
    assert_eq!(with_order(&model, seed, wait(200)).ends(), delivered([450, 450]));
    let passed_over = with_order(&model, seed, wait(199));
    assert_eq!(passed_over.ends(), [Err((ms(450), GAVE_UP)), Ok(ms(449))]);
    assert_eq!(passed_over.inside, 0);
}

#[test]
fn the_far_end_does_not_know_of_a_lost_unit_before_the_timer_says_so() {
    let (model, seed) = first_unit_fails(1, |story| story.ends() == [Err((ms(100), GAVE_UP)), Ok(ms(250))]);
    let story = with_order(&model, seed, InOrder::Always);
    assert_eq!(story.ends(), [Err((ms(100), GAVE_UP)), Ok(ms(250))]);
    let mut model = model;
    assert_eq!(
        with_order(&model, seed, wait(100)).fate(1).outcome,
        Outcome::Delivered { at: ms(350) }
    );
    // A hold holds what the timer releases.
    model.script = vec![at(300, Some(300), Action::Hold)];
    assert_eq!(
        with_order(&model, seed, wait(100)).fate(1).outcome,
        Outcome::Delivered { at: ms(600) }
    );
}

#[test]
fn the_timer_is_that_of_any_link_layer() {
    let mut model = support::with_arq(arq(1000, Persistence::Unlimited));
    model.script = vec![at(90, Some(20), Action::Drop)];
    // The first is lost at 100, sent again from 250 on, and there at 400. The second is there at 250.
    assert_eq!(hundreds_through(&model, &[0, 0]).ends(), delivered([400, 400]));
    model.down.in_order = wait(100);
    assert_eq!(
        hundreds_through(&model, &[0, 0]).ends(),
        [Err((ms(400), GAVE_UP)), Ok(ms(350))]
    );
    model.down.in_order = InOrder::Never;
    assert_eq!(hundreds_through(&model, &[0, 0]).ends(), delivered([400, 250]));
}

// ---- Wi-Fi ----

/// An octet takes a microsecond; nobody draws a slot.
fn radio(contention: ContentionModel) -> LinkModel {
    let mut model = served(ServiceModel::Contention(contention));
    model.down.rate = Some(RateModel::Constant(rate(8_000_000)));
    model
}

fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

#[test]
fn packets_are_sent_together_and_arrive_together() {
    let without_draws = ContentionModel {
        cw_min: 0,
        aggregate: 3,
        overhead: Span::from_us(100),
        ..wifi()
    };
    // 34 us of silence, 300 us of octets and 100 us besides; then 34, 200 and 100.
    let story = hundreds_through(&radio(without_draws), &[0; 5]);
    assert_eq!(
        story.ends(),
        [50_434, 50_434, 50_434, 50_768, 50_768].map(|at| Ok(us(at)))
    );
    assert_eq!(story.fate(2).started, Some(us(34)));
    // No more than 250 us of octets: two packets, two packets, one.
    let short = ContentionModel {
        airtime: Span::from_us(250),
        ..without_draws
    };
    let story = hundreds_through(&radio(short), &[0; 5]);
    assert_eq!(
        story.ends(),
        [50_334, 50_334, 50_668, 50_668, 50_902].map(|at| Ok(us(at)))
    );
}

#[test]
fn a_packet_that_fails_goes_first_next_time_until_its_attempts_are_over() {
    let hopeless = ContentionModel {
        cw_min: 0,
        error: 1.0,
        attempts: 2,
        aggregate: 2,
        overhead: Span::from_us(100),
        ..wifi()
    };
    // The first two at 34 to 334 and at 368 to 668; the third from 702 to 902 and from 936 to 1136.
    let story = hundreds_through(&radio(hopeless), &[0; 3]);
    assert_eq!(story.ends(), [668, 668, 1136].map(|at| Err((us(at), GAVE_UP))));
}

#[test]
fn slots_are_drawn_alike_from_nought_to_the_window() {
    let sends: Vec<u64> = (0..1600).map(|number| number * 10).collect();
    let story = hundreds_through(&radio(wifi()), &sends);
    let mut drawn = [0; 16];
    for fate in &story.fates[1..] {
        // Slots begin at multiples of 9 us after the last transmission and 34 us.
        let waited = fate.started.expect("it was sent").since(fate.entered).as_ns() / 9_000;
        drawn[usize::try_from(waited).expect("a slot")] += 1;
    }
    // Each is expected a hundred times, with a deviation of ten.
    assert!(drawn.iter().all(|&times| (60..=140).contains(&times)), "{drawn:?}");
}

#[test]
fn others_take_their_share_of_the_channel() {
    let contended = |contenders| ContentionModel {
        contenders,
        contender_airtime: Span::from_us(1000),
        aggregate: 10,
        ..wifi()
    };
    let sends = vec![0; 40_000];
    let until = |contenders| {
        let story = hundreds_through(&radio(contended(contenders)), &sends);
        story.fates.last().expect("fates").sent.expect("it was sent").as_ns() / 1_000_000
    };
    // Alone: 4000 aggregates of 1 ms, 34 us and 7.5 slots of 9 us on average. With as busy others everybody has an equal share,
    // and collisions cost more.
    let (alone, two, five) = (until(0), until(1), until(4));
    assert!((4350..4450).contains(&alone), "{alone} ms");
    assert!((2.0..2.2).contains(&(two as f64 / alone as f64)), "{two} ms");
    assert!((5.2..5.8).contains(&(five as f64 / alone as f64)), "{five} ms");
}

// ---- what holds for every service ----

fn services() -> impl Strategy<Value = ServiceModel> {
    let span = |range: std::ops::Range<u64>| range.prop_map(Span::from_us);
    prop_oneof![
        (
            span(50..30_000),
            span(0..40_000),
            span(0..20_000),
            0.0..0.7,
            span(50..60_000),
            1_u32..6
        )
            .prop_map(
                |(cycle, sr_period, grant_delay, error, round_trip, attempts)| ServiceModel::Grants(GrantsModel {
                    cycle,
                    sr_period,
                    grant_delay,
                    error,
                    round_trip,
                    attempts
                })
            ),
        (0_u32..6, 1_u32..70, span(0..8_000), 0.0..0.7, 1_u32..6).prop_map(
            |(contenders, aggregate, airtime, error, attempts)| ServiceModel::Contention(ContentionModel {
                contenders,
                aggregate,
                airtime,
                error,
                attempts,
                ..wifi()
            })
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn every_packet_comes_out_in_order_and_no_faster_than_the_rate(
        service in services(),
        bps in 20_000_u64..20_000_000,
        wait in proptest::option::of(0_u64..100),
        seed: u64,
        sends in proptest::collection::vec((0_u64..40, 1_u64..1_500), 1..150),
    ) {
        let mut model = served(service);
        model.down.rate = Some(RateModel::Constant(rate(bps)));
        model.down.in_order = wait.map_or(InOrder::Always, |ms| InOrder::For(Span::from_ms(ms)));
        let mut now = 0;
        let sends: Vec<_> = sends
            .iter()
            .map(|&(gap, size)| {
                now += gap.saturating_sub(20);
                (ms(now), Direction::Down, probe(size))
            })
            .collect();
        let story = play(&model, seed, &sends, ms(4_000_000));
        prop_assert_eq!((story.fates.len(), story.inside), (sends.len(), 0));
        prop_assert!(story.order().is_sorted(), "{:?}", story.order());
        let octets: u64 = sends.iter().map(|(_, _, packet)| packet.size).sum();
        let last = story.fates.iter().filter_map(|fate| fate.sent).max().expect("something was sent");
        // An octet may come early: a cycle's part of one is kept for the next.
        prop_assert!(last.since(Time::ZERO) >= rate(bps).time_for(Bytes::new(octets - 1)));
        prop_assert_eq!(&story, &play(&model, seed, &sends, ms(4_000_000)));
    }
}
