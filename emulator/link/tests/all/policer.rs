//! A policer: what exceeds its rate and burst is lost before the queue, and nothing waits.

use crate::support::{Story, arq, delivered, down, hundreds, hundreds_through, ms, play, probe, rate, with_arq};
use proptest::prelude::*;
use windlull_link::model::{ImpairmentKind, LinkModel, Persistence, RateModel};
use windlull_units::{Bytes, Direction, DropCause, Span, Time};

fn policer(bps: u64, burst: u64) -> ImpairmentKind {
    ImpairmentKind::Policer {
        rate: rate(bps),
        burst: Bytes::new(burst),
    }
}

/// Three hundred octets at once, one a millisecond after that; the link itself is eight times as fast.
fn policed() -> LinkModel {
    let mut model = down(policer(8_000, 300));
    model.down.rate = Some(RateModel::Constant(rate(64_000)));
    model
}

#[test]
fn a_burst_passes_and_then_what_the_rate_brings() {
    // Three empty the bucket; the fourth has nothing, the fifth 99 of 100 octets, the sixth all.
    let story = hundreds_through(&policed(), &[0, 0, 0, 0, 99, 100, 150, 199, 201]);
    assert_eq!(story.lost_by(DropCause::Policer), [3, 4, 6, 7]);
    let fate = story.fate(3);
    assert_eq!((fate.started, fate.sent), (None, None), "it never came to the queue");
    assert_eq!(fate.outcome.at(), ms(0));
}

#[test]
fn what_passes_is_served_as_ever() {
    let policed = hundreds_through(&policed(), &[0, 0, 0]);
    // 12.5 ms of serialisation each, and 50 ms of propagation.
    let ends: Vec<_> = [62_500, 75_000, 87_500]
        .map(|us| Ok(Time::ZERO + Span::from_us(us)))
        .into();
    assert_eq!(policed.ends(), ends);
    // The queue counts only what passes.
    let story = hundreds_through(&self::policed(), &[0, 0, 0, 0, 100]);
    assert_eq!(story.fate(3).queue_packets, 2);
}

/// A plan of 10 Mbit/s with 25 kB at once behind a line of 100 Mbit/s that is full: a packet of 1500 octets every 120 us
/// brings tokens for 150 octets. Before the n-th packet, from 0, there are 25,000 - 1350 n: for n = 17 that is 2050, for
/// n = 18 it is 700, which is too little. Six packets later there are 1600; 100 are left, and ten packets later there are
/// 1600 again: one in ten passes, which is the plan.
#[test]
fn a_carriers_policer_passes_what_the_plan_says() {
    let mut model = down(policer(10_000_000, 25_000));
    model.down.rate = Some(RateModel::Constant(rate(100_000_000)));
    let full: Vec<_> = (0..1_000)
        .map(|number| (Time::ZERO + Span::from_us(120 * number), Direction::Down, probe(1_500)))
        .collect();
    let story = play(&model, 1, &full, ms(10_000));
    let passed: Vec<u64> = (0..18).chain((24..1_000).step_by(10)).collect();
    assert_eq!(story.order(), passed);
    assert_eq!(story.lost_by(DropCause::Policer).len(), 1_000 - passed.len());
}

#[test]
fn the_link_layer_does_not_repeat_what_a_policer_loses() {
    let mut model = with_arq(arq(10_000, Persistence::Unlimited));
    model.impairments = down(policer(8_000, 100)).impairments;
    let story = hundreds_through(&model, &[0, 0, 500]);
    assert_eq!(story.lost_by(DropCause::Policer), [1]);
    assert_eq!(story.ends()[2], delivered([650])[0]);
}

#[test]
fn each_direction_has_a_bucket_of_its_own() {
    let mut model = down(policer(8_000, 100));
    model.impairments[0].scope = windlull_link::model::Scope::Each;
    let mut sends = hundreds(&[0, 0]);
    sends.extend(
        sends
            .clone()
            .into_iter()
            .map(|(at, _, packet)| (at, Direction::Up, packet)),
    );
    let story = play(&model, 1, &sends, ms(10_000));
    assert_eq!(story.lost_by(DropCause::Policer), [1, 3]);
}

/// Over any window, no more passes than the burst and what the rate brings.
fn within_bucket(story: &Story, bps: u64, burst: u64) -> bool {
    let passed: Vec<_> = story
        .fates
        .iter()
        .filter(|fate| fate.started.is_some())
        .map(|fate| (fate.entered, fate.size))
        .collect();
    passed.iter().enumerate().all(|(first, &(from, _))| {
        let mut octets = Bytes::ZERO;
        passed[first..].iter().all(|&(to, size)| {
            octets += size;
            let brought = u128::from(to.since(from).as_ns()) * u128::from(bps);
            u128::from(octets.bits()) * 1_000_000_000 <= brought + u128::from(burst) * 8_000_000_000
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn no_window_passes_more_than_the_bucket(
        bps in 1_000_u64..1_000_000,
        burst in 40_u64..10_000,
        sends in proptest::collection::vec((0_u64..100_000_000, 40_u64..1_500), 1..100),
    ) {
        let mut now = Time::ZERO;
        let sends: Vec<_> = sends
            .into_iter()
            .map(|(gap, size)| {
                now += Span::from_ns(gap.saturating_sub(20_000_000));
                (now, Direction::Down, probe(size))
            })
            .collect();
        let mut model = down(policer(bps, burst));
        model.down.rate = None;
        let story = play(&model, 1, &sends, ms(100_000));
        prop_assert!(within_bucket(&story, bps, burst));
        // The check itself: half the burst is too little, if the first packets needed it.
        let at_once: u64 = sends.iter().take_while(|(at, ..)| *at == sends[0].0).map(|(.., packet)| packet.size).sum();
        if at_once <= burst && at_once > burst / 2 {
            prop_assert!(!within_bucket(&story, bps, burst / 2));
        }
        // Nobody is lost for whom there is room: a bucket that holds all traffic loses nothing.
        let all: u64 = sends.iter().map(|(.., packet)| packet.size).sum();
        let roomy = play(&down(policer(bps, all)), 1, &sends, ms(100_000));
        prop_assert!(roomy.lost_by(DropCause::Policer).is_empty());
    }
}
