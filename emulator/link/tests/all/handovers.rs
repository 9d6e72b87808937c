//! Handovers: the delay steps at instants of a process in time, and about each packets are kept or lost.

use crate::support::{constant, delivered, down, hundreds, hundreds_through, impaired, just_before, link, ms, play};
use windlull_link::model::{Distribution, ImpairmentKind, LinkModel, Onset, Scope};
use windlull_units::{Direction, DropCause, LinkEvent, Outcome, Span, Time};

/// At 1 s, 2 s, and so on.
fn every_second(delay: Distribution<Span>, hold: u64, outage: u64, loss: f64) -> ImpairmentKind {
    ImpairmentKind::Handovers {
        every: Onset::IntervalsFrom(constant(1_000), Span::from_secs(1)),
        delay,
        hold: constant(hold),
        outage: constant(outage),
        loss,
    }
}

/// Steps of 0 to 40 ms.
fn steps() -> Distribution<Span> {
    Distribution::Uniform {
        min: Span::ZERO,
        max: Span::from_ms(40),
    }
}

/// When the delay changed, to what and from what.
fn delays(model: &LinkModel, seed: u64, direction: Direction) -> Vec<(Time, Option<Span>, Option<Span>)> {
    let story = play(model, seed, &[], ms(10_500));
    let told = story.events.iter().filter_map(|(at, event)| match event {
        LinkEvent::Delay {
            direction: where_to,
            delay,
            before,
        } if *where_to == direction => Some((*at, *delay, *before)),
        _ => None,
    });
    told.collect()
}

#[test]
fn the_delay_stays_from_one_handover_to_the_next() {
    let model = down(every_second(steps(), 0, 0, 1.0));
    let told = delays(&model, 1, Direction::Down);
    let instants: Vec<Time> = told.iter().map(|&(at, ..)| at).collect();
    let expected: Vec<Time> = (0..=10).map(|second| ms(1_000 * second)).collect();
    assert_eq!(instants, expected, "the run's first path, then each handover");
    let mut before = Some(Span::from_ms(50));
    for &(_, delay, was) in &told {
        assert_eq!(was, before);
        assert!((Some(Span::from_ms(50))..=Some(Span::from_ms(90))).contains(&delay));
        before = delay;
    }
    // A packet that is sent at 1,100 ms and at 1,800 ms meets the same delay; each takes 100 ms.
    let story = hundreds_through(&model, &[1_000, 1_700]);
    let delay = told[1].1.expect("known");
    for (id, sent) in [(0, 1_100), (1, 1_800)] {
        assert_eq!(story.fate(id).outcome, Outcome::Delivered { at: ms(sent) + delay });
    }
}

#[test]
fn instants_and_paths_do_not_depend_on_who_sends() {
    let model = down(every_second(steps(), 30, 100, 0.5));
    let alone = play(&model, 7, &[], ms(10_500));
    let sends = hundreds(&[10, 20, 950, 1_010, 3_000, 3_100, 3_200]);
    let busy = play(&model, 7, &sends, ms(10_500));
    assert_eq!(alone.events, busy.events);
}

#[test]
fn shared_handovers_are_the_same_in_both_directions_and_others_are_not() {
    let with = |scope| {
        let mut model = link();
        model.impairments = vec![impaired("it", scope, every_second(steps(), 0, 0, 1.0))];
        [Direction::Down, Direction::Up].map(|direction| delays(&model, 3, direction))
    };
    let [down, up] = with(Scope::Shared);
    assert_eq!(down, up);
    let [down, up] = with(Scope::Each);
    assert_ne!(down, up);
}

#[test]
fn what_arrives_in_the_hold_is_kept_and_in_order() {
    let model = down(every_second(constant(0), 80, 0, 1.0));
    // Sent by 900, 1,000 and 1,100 ms, due 50 ms later; held from 1,000 to 1,080 ms.
    let story = hundreds_through(&model, &[800, 900, 1_000]);
    assert_eq!(story.ends(), delivered([950, 1_080, 1_150]));
}

#[test]
fn a_shorter_path_overtakes_nothing() {
    let longer_then_shorter = (0..20).find_map(|seed| {
        let model = down(every_second(steps(), 0, 0, 1.0));
        let told = delays(&model, seed, Direction::Down);
        (told[0].1 > told[1].1).then(|| play(&model, seed, &hundreds(&[899, 900]), ms(5_000)))
    });
    let story = longer_then_shorter.expect("one in twenty seeds has it");
    assert_eq!(story.order(), [0, 1]);
}

#[test]
fn everything_is_lost_in_a_whole_outage_and_nothing_outside_it() {
    let model = down(every_second(constant(0), 0, 150, 1.0));
    // The last bits are sent at 999 ms, 1,099, 1,199 and 1,299 ms.
    let story = hundreds_through(&model, &[899, 999, 1_099, 1_199]);
    let lost = |at| Err((ms(at), DropCause::RandomLoss));
    assert_eq!(story.ends(), [Ok(ms(1_049)), lost(1_099), Ok(ms(1_249)), Ok(ms(1_349))]);
    let states: Vec<(Time, bool)> = story
        .events
        .iter()
        .filter_map(|(at, event)| match event {
            LinkEvent::LossState { bad, .. } => Some((*at, *bad)),
            _ => None,
        })
        .take(4)
        .collect();
    assert_eq!(
        states,
        [
            (ms(1_000), true),
            (ms(1_150), false),
            (ms(2_000), true),
            (ms(2_150), false)
        ]
    );
}

#[test]
fn a_random_delay_is_drawn_as_without_handovers() {
    let mut plain = link();
    plain.down.delay = steps();
    let mut moved = plain.clone();
    let step = constant(7);
    moved.impairments = vec![impaired(
        "it",
        Scope::One(Direction::Down),
        every_second(step, 0, 0, 1.0),
    )];
    // Far apart, so that none waits for another.
    let instants = [100, 500, 1_500, 2_500];
    let (plain, moved) = (hundreds_through(&plain, &instants), hundreds_through(&moved, &instants));
    for (before, after) in plain.ends().iter().zip(moved.ends()) {
        assert_eq!(before.map(|at| at + Span::from_ms(7)), after);
    }
    let told = |at: Time| moved.events.iter().any(|(when, _)| *when == at);
    assert!(
        told(Time::ZERO) && !told(ms(1_000)),
        "the same step again changes nothing"
    );
}

#[test]
fn a_run_may_begin_within_an_interval() {
    for seed in 0..50 {
        let kind = ImpairmentKind::Handovers {
            every: Onset::Intervals(constant(1_000)),
            delay: steps(),
            hold: constant(0),
            outage: constant(0),
            loss: 1.0,
        };
        let told = delays(&down(kind), seed, Direction::Down);
        assert_eq!(told[0].0, Time::ZERO);
        let first = told[1].0;
        assert!(first <= ms(1_000) && told[2].0 == first + Span::from_secs(1));
        assert!(told[0].0 <= just_before(first));
    }
}
