//! The path without impairments: queue, rate, delay, framing, allocation; every time worked out by hand.

use crate::support::{at, constant, delivered, hundreds, hundreds_through, just_before, link, ms, play, probe, rate};
use windlull_link::model::{Action, AllocationModel, QueueLimit, QueueModel, RateModel};
use windlull_link::{Link, parse_trace};
use windlull_units::{Bytes, Direction, DropCause, LinkEvent, Outcome, Seed, Span, Time};

#[test]
fn packets_are_serialised_one_after_another_and_travel() {
    let story = hundreds_through(&link(), &[0, 0, 0, 1000]);
    assert_eq!(story.ends(), delivered([150, 250, 350, 1150]));
    let third = story.fate(2);
    assert_eq!(
        (third.entered, third.started, third.sent),
        (ms(0), Some(ms(200)), Some(ms(300)))
    );
    assert_eq!(
        (third.queue_packets, third.held, third.size),
        (1, Span::ZERO, Bytes::new(100))
    );
    assert!(!third.corrupted && !third.reordered && third.duplicate_of.is_none());
    assert!(story.events.is_empty());
    assert_eq!(story.inside, 0);
}

#[test]
fn directions_do_not_wait_for_each_other() {
    let mut sends = hundreds(&[0, 0]);
    sends.push((ms(0), Direction::Up, probe(10)));
    let story = play(&link(), 1, &sends, ms(1000));
    assert_eq!(story.ends(), delivered([150, 250, 60]));
    assert_eq!(story.deliveries[0].direction, Direction::Up);
}

#[test]
fn seven_wait_besides_the_one_in_service_and_the_ninth_is_dropped() {
    let mut model = link();
    model.down.queue = QueueModel::DropTail(QueueLimit::Packets(7));
    let mut sends = hundreds(&[0; 9]);
    sends.push((just_before(ms(100)), Direction::Down, probe(100)));
    // The queue moves up as the first packet leaves; what arrives at that instant finds room.
    sends.extend(hundreds(&[100, 100]));
    let story = play(&model, 1, &sends, ms(100_000));
    assert_eq!(story.lost_by(DropCause::QueueOverflow), [8, 9, 11]);
    let dropped = story.fate(8);
    assert_eq!(dropped.queue_packets, 7);
    assert_eq!((dropped.started, dropped.sent, dropped.held), (None, None, Span::ZERO));
    assert_eq!(
        dropped.outcome,
        Outcome::Dropped {
            at: ms(0),
            by: DropCause::QueueOverflow
        }
    );
    assert_eq!(story.fate(7).queue_packets, 6);
    assert_eq!(story.fate(10).started, Some(ms(800)));
}

#[test]
fn a_queue_in_bytes_counts_packets_without_framing() {
    let mut model = link();
    model.down.queue = QueueModel::DropTail(QueueLimit::Bytes(Bytes::new(250)));
    model.down.framing = Bytes::new(60);
    let story = hundreds_through(&model, &[0; 5]);
    assert_eq!(story.lost_by(DropCause::QueueOverflow), [3, 4]);
}

#[test]
fn no_queue_at_all_still_lets_a_packet_into_service() {
    let mut model = link();
    model.down.queue = QueueModel::DropTail(QueueLimit::Packets(0));
    let mut sends = hundreds(&[0, 0]);
    sends.push((just_before(ms(100)), Direction::Down, probe(100)));
    sends.extend(hundreds(&[100]));
    let story = play(&model, 1, &sends, ms(1000));
    assert_eq!(story.lost_by(DropCause::QueueOverflow), [1, 2]);
    assert_eq!(story.fate(3).outcome, Outcome::Delivered { at: ms(250) });
}

#[test]
fn framing_is_serialised_but_not_part_of_the_packet() {
    let mut model = link();
    model.down.framing = Bytes::new(28);
    let story = hundreds_through(&model, &[0, 0]);
    assert_eq!(story.ends(), delivered([178, 306]));
    assert_eq!(story.fate(0).size, Bytes::new(100));
}

#[test]
fn an_unlimited_rate_and_no_delay_deliver_at_once() {
    let mut model = link();
    model.down.rate = None;
    model.down.delay = constant(0);
    let story = hundreds_through(&model, &[5, 5]);
    assert_eq!(story.ends(), delivered([5, 5]));
    assert_eq!(story.order(), [0, 1]);
}

#[test]
fn a_step_of_the_rate_applies_to_the_rest_of_the_packet() {
    let mut model = link();
    model.down.rate = Some(RateModel::Stepped {
        steps: vec![(ms(0), rate(8000)), (ms(140), rate(80_000))],
        period: Some(Span::from_ms(1000)),
    });
    // The second packet sends 40 octets in 40 ms, then 60 in 6 ms; the third is as quick; at 1000 it is slow again.
    let story = hundreds_through(&model, &[0, 0, 0, 995]);
    assert_eq!(story.ends(), delivered([150, 196, 206, 1000 + 50 + 50]));
    let rates: Vec<_> = story.events.iter().take(3).map(|(at, _)| *at).collect();
    assert_eq!(rates, [ms(0), ms(140), ms(1000)]);
    let event = LinkEvent::Rate {
        direction: Direction::Down,
        rate: Some(rate(80_000)),
    };
    assert_eq!(story.events[1].1, event);
}

#[test]
fn a_trace_serves_at_its_opportunities() {
    let mut model = link();
    model.down.rate = parse_trace("10\n20\n30\n1000\n").ok();
    let sends = [
        (ms(0), Direction::Down, probe(1504)),
        (ms(0), Direction::Down, probe(2000)),
        // Shares the rest of the opportunity at 30 ms.
        (ms(0), Direction::Down, probe(1008)),
        (ms(40), Direction::Down, probe(40)),
        // Exactly at an opportunity of the second cycle.
        (ms(1010), Direction::Down, probe(40)),
    ];
    let story = play(&model, 1, &sends, ms(1400));
    assert_eq!(story.ends(), delivered([60, 80, 80, 1050, 1060]));
    assert_eq!(story.fate(3).started, Some(ms(1000)));
    assert_eq!(story.fate(2).queue_packets, 1);
    let times: Vec<_> = story.events.iter().map(|(at, _)| *at).collect();
    assert_eq!(
        times,
        [ms(0), ms(500), ms(1000)],
        "a rate for each half second, where it changes"
    );
}

#[test]
fn the_script_changes_the_rate_and_gives_it_back() {
    let mut model = link();
    model.script = vec![at(50, Some(100), Action::SetRate(rate(800)))];
    // 50 octets at once, 10 in the next 100 ms, 40 thereafter.
    let story = hundreds_through(&model, &[0, 0]);
    assert_eq!(story.ends(), delivered([190 + 50, 290 + 50]));
    let rates: Vec<_> = story
        .events
        .iter()
        .map(|(at, event)| match event {
            LinkEvent::Rate { rate: Some(rate), .. } => (*at, rate.as_bps()),
            other => panic!("not a rate: {other:?}"),
        })
        .collect();
    assert_eq!(rates, [(ms(0), 8000), (ms(50), 800), (ms(150), 8000)]);
}

#[test]
fn a_shorter_delay_lets_no_packet_overtake() {
    let mut model = link();
    model.script = vec![at(150, None, Action::SetDelay(Span::from_ms(10)))];
    model.down.delay = constant(300);
    let story = hundreds_through(&model, &[0, 0, 150, 1000]);
    // The second was sent under the new delay, but arrives behind the first.
    assert_eq!(story.ends(), delivered([400, 400, 400, 1110]));
    assert_eq!(story.order(), [0, 1, 2, 3]);
    assert_eq!(story.fate(1).held, Span::from_ms(190));
    assert_eq!(story.fate(3).held, Span::ZERO);
    let event = LinkEvent::Delay {
        direction: Direction::Down,
        delay: Some(Span::from_ms(10)),
        before: Some(Span::from_ms(300)),
    };
    assert_eq!(story.events, [(ms(150), event)]);
}

#[test]
fn the_script_changes_the_queue_and_keeps_what_is_in_it() {
    let mut model = link();
    model.script = vec![at(50, Some(100), Action::SetQueue(QueueLimit::Packets(1)))];
    let story = hundreds_through(&model, &[0, 0, 0, 60, 120, 160]);
    // At 60 two wait, at 120 one; at 160 any number may.
    assert_eq!(story.lost_by(DropCause::QueueOverflow), [3, 4]);
    let changes: Vec<_> = story
        .events
        .iter()
        .map(|(at, event)| (*at, format!("{event:?}")))
        .collect();
    assert_eq!(changes.len(), 2);
    assert!(
        changes[0].1.contains("queue = 1 packets") && changes[1].1.contains("queue = unlimited"),
        "{changes:?}"
    );
}

#[test]
fn an_idle_channel_must_be_acquired_again() {
    let mut model = link();
    model.down.allocation = Some(AllocationModel {
        idle_after: Span::from_ms(200),
        delay: constant(30),
    });
    // At rest since 230 after the second packet. A third just in time; after 200 ms more the channel is lost.
    let mut sends = hundreds(&[0, 10]);
    sends.push((just_before(ms(430)), Direction::Down, probe(100)));
    sends.extend(hundreds(&[730]));
    let story = play(&model, 1, &sends, ms(10_000));
    assert_eq!(story.fate(0).started, Some(ms(30)));
    assert_eq!(story.fate(1).started, Some(ms(130)));
    assert_eq!(story.fate(2).started, Some(just_before(ms(430))));
    assert_eq!(story.fate(3).started, Some(ms(760)));
    let allocating = |until| LinkEvent::Allocating {
        direction: Direction::Down,
        until,
    };
    assert_eq!(
        story.events,
        [(ms(0), allocating(ms(30))), (ms(730), allocating(ms(760)))]
    );
}

#[test]
fn packets_wait_for_the_channel_in_the_queue() {
    let mut model = link();
    model.down.queue = QueueModel::DropTail(QueueLimit::Packets(2));
    model.down.allocation = Some(AllocationModel {
        idle_after: Span::from_ms(200),
        delay: constant(30),
    });
    let story = hundreds_through(&model, &[0, 10, 29, 30]);
    assert_eq!(story.lost_by(DropCause::QueueOverflow), [2]);
    assert_eq!(story.fate(3).queue_packets, 1);
}

#[test]
#[should_panic(expected = "time went back")]
fn time_never_goes_back() {
    let mut link = Link::new(&link(), Seed::new(1));
    link.send(ms(2), Direction::Down, probe(1), &mut ());
    link.advance(just_before(ms(2)), &mut ());
}

#[test]
fn a_link_that_nobody_uses_wants_no_wake_up() {
    let mut link = Link::new(&link(), Seed::new(1));
    assert_eq!(link.poll_at(), None);
    link.send(Time::ZERO, Direction::Down, probe(100), &mut ());
    assert_eq!(link.poll_at(), Some(ms(150)));
    link.advance(ms(150), &mut ());
    assert_eq!(link.poll_at(), Some(ms(150)), "what has arrived wants to be collected");
    let next = link.delivery().cloned();
    assert!(next.is_some());
    assert_eq!(link.pop_delivery(), next);
    assert_eq!((link.delivery(), link.poll_at()), (None, None));
}
