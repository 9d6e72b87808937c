//! Aggregation: packets wait before the queue for others, and come in together.

use std::num::NonZeroU32;

use crate::support::{at, delivered, down, hundreds, hundreds_through, ms, play};
use proptest::prelude::*;
use windlull_link::model::{Action, Distribution, ImpairmentKind, LinkModel, QueueLimit, QueueModel, Scope};
use windlull_units::{Direction, DropCause, Span, Time};

fn gathering(every: Distribution<Span>, most: u32) -> LinkModel {
    let most = NonZeroU32::new(most).expect("not zero");
    down(ImpairmentKind::Aggregation { every, most })
}

fn every(ms: u64, most: u32) -> LinkModel {
    gathering(Distribution::Constant(Span::from_ms(ms)), most)
}

#[test]
fn what_waits_comes_in_at_the_next_instant() {
    let story = hundreds_through(&every(40, 64), &[0, 10, 39, 40, 50]);
    // Three come in at 40 ms and two at 80 ms; each takes 100 ms, and 50 ms on its way.
    assert_eq!(story.ends(), delivered([190, 290, 390, 490, 590]));
    let (first, third, fourth) = (story.fate(0), story.fate(2), story.fate(3));
    assert_eq!((first.entered, first.started), (ms(0), Some(ms(40))));
    assert_eq!(
        (third.queue_packets, fourth.queue_packets),
        (1, 2),
        "the one in service is not in the queue"
    );
}

#[test]
fn as_many_as_may_do_not_wait() {
    let story = hundreds_through(&every(40, 2), &[0, 10, 20]);
    assert_eq!(story.ends(), delivered([160, 260, 360]));
    let alone = hundreds_through(&every(40, 1), &[0, 10, 20]);
    assert_eq!(alone.ends(), delivered([150, 250, 350]), "as if there were none");
}

#[test]
fn a_hold_of_arrivals_keeps_what_would_come_in() {
    let mut model = every(40, 64);
    model.script = vec![at(35, Some(30), Action::HoldArrivals)];
    // The first is kept until the hold ends at 65 ms; the second then still waits for 80 ms.
    let story = hundreds_through(&model, &[10, 50]);
    assert_eq!(story.fate(0).started, Some(ms(65)));
    assert_eq!(story.ends(), delivered([215, 315]));
    // Over several instants.
    model.script = vec![at(35, Some(130), Action::HoldArrivals)];
    let story = hundreds_through(&model, &[10, 50, 90, 163]);
    assert_eq!(story.ends(), delivered([315, 415, 515, 615]));
    assert_eq!(story.fate(2).queue_packets, 1, "came in at 165 ms, with the first");
    assert_eq!(story.fate(3).queue_packets, 2, "came in at 200 ms");
}

#[test]
fn a_queue_without_room_loses_what_comes_in_at_once() {
    let mut model = every(40, 64);
    model.down.queue = QueueModel::DropTail(QueueLimit::Packets(1));
    let story = hundreds_through(&model, &[0, 10, 20, 30]);
    let overflown = story.lost_by(DropCause::QueueOverflow);
    assert_eq!(overflown, [2, 3], "one in service and one that waits");
    assert_eq!(story.fate(2).outcome.at(), ms(40));
}

#[test]
fn each_direction_gathers_by_itself() {
    let mut model = gathering(
        Distribution::Exponential {
            mean: Span::from_ms(200),
        },
        64,
    );
    model.impairments[0].scope = Scope::Each;
    let mut sends = hundreds(&[0]);
    sends.push((ms(0), Direction::Up, sends[0].2.clone()));
    let story = play(&model, 1, &sends, ms(10_000));
    assert_ne!(story.fate(0).started, story.fate(1).started);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn nobody_waits_past_an_instant(
        interval in 1_u64..200,
        most in 1_u32..8,
        gaps in proptest::collection::vec(0_u64..50, 1..60),
    ) {
        let mut model = every(interval, most);
        model.down.rate = None;
        let mut now = 0;
        let instants: Vec<u64> = gaps.iter().map(|gap| { now += gap; now }).collect();
        let story = play(&model, 1, &hundreds(&instants), ms(100_000));
        prop_assert_eq!(story.fates.len(), instants.len());
        let mut at_once: Vec<(Time, usize)> = Vec::new();
        for fate in &story.fates {
            let (entered, started) = (fate.entered, fate.started.expect("nothing is lost"));
            let interval = Span::from_ms(interval);
            let next = Time::ZERO + interval.saturating_mul(entered.as_ns() / interval.as_ns() + 1);
            prop_assert!(started <= next, "{} after {}", started, next);
            match at_once.last_mut() {
                Some((at, packets)) if *at == started => *packets += 1,
                _ => at_once.push((started, 1)),
            }
        }
        // Between two instants only as many as may come in together.
        for &(started, packets) in &at_once {
            if started.as_ns() % Span::from_ms(interval).as_ns() != 0 {
                prop_assert_eq!(packets % most as usize, 0, "{} let in at {}", packets, started);
            }
        }
    }
}
