//! Holds, outages and the states of losses, worked out by hand.

use crate::support::{
    at, constant, delivered, down, hundreds, hundreds_through, impaired, just_before, link, ms, on, play, probe,
};
use windlull_link::model::{
    Action, CodelModel, ImpairmentKind, LinkModel, Onset, QueueLimit, QueueModel, Scope, Selector,
};
use windlull_units::{Direction, DropCause, LinkEvent, Span, Time};

fn hold_began(until: u64, name: &str) -> LinkEvent {
    let (direction, name) = (Direction::Down, name.to_owned());
    LinkEvent::HoldBegan {
        direction,
        name,
        until: ms(until),
    }
}

fn hold_ended(name: &str) -> LinkEvent {
    LinkEvent::HoldEnded {
        direction: Direction::Down,
        name: name.to_owned(),
    }
}

#[test]
fn a_hold_at_a_packet_counts_from_when_it_would_have_been_delivered() {
    let mut model = link();
    model.script = vec![on(Selector::Packet(2), Some(1000), Action::Hold)];
    // Would arrive at 150, 250, 350, and, after the hold, at 1250 exactly and at 1350.
    let story = hundreds_through(&model, &[0, 0, 0, 1100, 1100]);
    assert_eq!(story.ends(), delivered([150, 1250, 1250, 1250, 1350]));
    assert_eq!(story.order(), [0, 1, 2, 3, 4]);
    assert_eq!(
        [1, 2, 3].map(|id| story.fate(id).held.as_ns() / 1_000_000),
        [1000, 900, 0]
    );
    assert_eq!(
        story.events,
        [
            (ms(250), hold_began(1250, "script 1")),
            (ms(1250), hold_ended("script 1"))
        ]
    );
}

#[test]
fn a_scripted_hold_holds_what_would_arrive_from_its_first_instant_to_before_its_last() {
    let mut model = link();
    model.script = vec![at(150, Some(100), Action::Hold)];
    let mut sends = vec![(ms(0), Direction::Down, probe(99))];
    sends.extend(hundreds(&[0]));
    let story = play(&model, 1, &sends, ms(1000));
    assert_eq!(story.ends(), delivered([149, 250]));
    let exactly = hundreds_through(&model, &[0, 100]);
    assert_eq!(exactly.ends(), delivered([250, 250]));
    assert_eq!(exactly.fate(0).held, Span::from_ms(100));
    assert_eq!(exactly.fate(1).held, Span::ZERO, "arrives as the hold ends");
}

#[test]
fn of_overlapping_holds_the_latest_end_counts() {
    let mut model = link();
    let each = |first, lasts| on(Selector::Packet(first), Some(lasts), Action::Hold);
    // From 150 to 1150, from 250 to 2250, from 350 to 450.
    model.script = vec![each(1, 1000), each(2, 2000), each(3, 100)];
    let story = hundreds_through(&model, &[0, 0, 0, 0]);
    assert_eq!(story.ends(), delivered([2250; 4]));
    assert_eq!(story.order(), [0, 1, 2, 3]);
}

#[test]
fn a_hold_drawn_again_while_it_lasts_is_made_longer_and_ends_once() {
    let kind = ImpairmentKind::Hold {
        every: Onset::PacketWithProbability(1.0),
        length: constant(1000),
    };
    let story = hundreds_through(&down(kind), &[0, 0]);
    assert_eq!(story.ends(), delivered([1250, 1250]));
    assert_eq!(
        story.events,
        [
            (ms(150), hold_began(1150, "it")),
            (ms(250), hold_began(1250, "it")),
            (ms(1250), hold_ended("it"))
        ]
    );
}

fn suspended(every: Onset, length: u64) -> LinkModel {
    let length = constant(length);
    down(ImpairmentKind::Suspend { every, length })
}

#[test]
fn a_suspension_keeps_what_waits_and_lets_arrive_what_is_on_its_way() {
    let model = suspended(Onset::Renewal(constant(1000)), 300);
    // On its way at 1000, in service then, and come too late.
    let story = hundreds_through(&model, &[850, 900, 960]);
    assert_eq!(story.ends(), delivered([1000, 1100, 1450]));
    let held = hundreds_through(
        &down(ImpairmentKind::Hold {
            every: Onset::Renewal(constant(1000)),
            length: constant(300),
        }),
        &[850, 900, 960],
    );
    assert_eq!(held.ends(), delivered([1300, 1300, 1300]));
    assert_eq!(
        story.events[..2],
        [(ms(1000), hold_began(1300, "it")), (ms(1300), hold_ended("it"))]
    );
}

#[test]
fn in_a_suspension_the_queue_fills_and_overflows() {
    let mut model = suspended(Onset::Renewal(constant(1000)), 300);
    model.down.queue = QueueModel::DropTail(QueueLimit::Packets(2));
    let story = hundreds_through(&model, &[1010, 1020, 1030]);
    let mut ends = delivered([1450, 1550]);
    ends.push(Err((ms(1030), DropCause::QueueOverflow)));
    assert_eq!(story.ends(), ends);
}

#[test]
fn a_suspension_at_a_packet_lets_that_one_pass() {
    let model = suspended(Onset::PacketWithProbability(1.0), 1000);
    let story = hundreds_through(&model, &[0, 0]);
    assert_eq!(story.ends(), delivered([150, 1250]));
    assert_eq!(story.events[0], (ms(100), hold_began(1100, "it")));
}

#[test]
fn suspensions_and_holds_are_apart() {
    let mut model = suspended(Onset::Renewal(constant(1000)), 300);
    // Delivered nothing from 1100 to 1600; sent nothing from 1000 to 1300.
    model.script = vec![at(1100, Some(500), Action::Hold)];
    let story = hundreds_through(&model, &[900, 960, 1500]);
    assert_eq!(story.ends(), delivered([1050, 1600, 1650]));
}

fn arrivals_held(every: Onset, length: u64) -> LinkModel {
    let length = constant(length);
    down(ImpairmentKind::HoldArrivals { every, length })
}

#[test]
fn held_arrivals_come_in_at_once_and_what_is_in_the_link_goes_on() {
    let model = arrivals_held(Onset::Renewal(constant(1000)), 300);
    // In service at 1000, in the queue then, and two before the queue until 1300.
    let story = hundreds_through(&model, &[950, 960, 1000, 1299]);
    assert_eq!(story.ends(), delivered([1100, 1200, 1450, 1550]));
    assert_eq!(story.fate(2).entered, ms(1000));
    assert_eq!(story.fate(2).started, Some(ms(1300)));
    assert_eq!(
        story.events[..2],
        [(ms(1000), hold_began(1300, "it")), (ms(1300), hold_ended("it"))]
    );
    let later = hundreds_through(&model, &[1299, 1300]);
    assert_eq!(
        later.ends(),
        delivered([1450, 1550]),
        "in order, where one comes as the hold ends"
    );
}

#[test]
fn held_arrivals_meet_the_queues_limit_when_they_are_let_in() {
    let mut model = arrivals_held(Onset::Renewal(constant(1000)), 300);
    model.down.queue = QueueModel::DropTail(QueueLimit::Packets(2));
    let story = hundreds_through(&model, &[1010, 1020, 1030, 1040]);
    let mut ends = delivered([1450, 1550, 1650]);
    ends.push(Err((ms(1300), DropCause::QueueOverflow)));
    assert_eq!(story.ends(), ends, "one is in service, two wait, the last has no room");
    let places = [0, 1, 2].map(|id| story.fate(id).queue_packets);
    assert_eq!(places, [0, 0, 1]);
}

#[test]
fn the_time_before_the_queue_is_none_in_the_queue() {
    let mut model = arrivals_held(Onset::Renewal(constant(1000)), 300);
    model.down.queue = QueueModel::Codel(CodelModel {
        limit: QueueLimit::Unlimited,
        target: Span::from_ms(250),
        interval: Span::from_ms(50),
        ecn: false,
    });
    // In the queue they wait 0, 100, 200 and 300 ms; the last alone is above the target, and begins the interval.
    let story = hundreds_through(&model, &[1010; 4]);
    assert_eq!(story.ends(), delivered([1450, 1550, 1650, 1750]));
}

#[test]
fn scripted_and_drawn_holds_of_arrivals_count_to_the_latest_end() {
    let mut model = arrivals_held(Onset::Renewal(constant(1000)), 300);
    model.script = vec![at(1100, Some(500), Action::HoldArrivals)];
    let story = hundreds_through(&model, &[1050, 1400, 1700]);
    assert_eq!(story.ends(), delivered([1750, 1850, 1950]));
    model.script = vec![on(Selector::Packet(1), Some(300), Action::HoldArrivals)];
    model.impairments.clear();
    // It begins as the last bit of the first is sent, at 100.
    let story = hundreds_through(&model, &[0, 50, 150]);
    assert_eq!(story.ends(), delivered([150, 250, 550]));
}

#[test]
fn a_hold_of_arrivals_at_a_packet_holds_what_comes_after_it() {
    let model = arrivals_held(Onset::PacketWithProbability(1.0), 1000);
    let story = hundreds_through(&model, &[0, 110]);
    assert_eq!(story.ends(), delivered([150, 1250]));
    assert_eq!(story.events[0], (ms(100), hold_began(1100, "it")));
}

#[test]
fn a_renewing_hold_comes_whatever_the_traffic() {
    let kind = ImpairmentKind::Hold {
        every: Onset::Renewal(constant(1000)),
        length: constant(300),
    };
    let events = |sends: &[_]| play(&down(kind.clone()), 1, sends, ms(2700)).events;
    let alone = events(&[]);
    assert_eq!(
        alone,
        [
            (ms(1000), hold_began(1300, "it")),
            (ms(1300), hold_ended("it")),
            (ms(2300), hold_began(2600, "it")),
            (ms(2600), hold_ended("it"))
        ]
    );
    assert_eq!(alone, events(&hundreds(&[0, 5, 900, 1000, 1100, 2600])));
    let story = hundreds_through(&down(kind), &[800, 850, 1000]);
    assert_eq!(story.ends(), delivered([950, 1300, 1300]));
}

#[test]
fn a_shared_hold_stops_both_directions_at_once() {
    let mut model = link();
    let kind = ImpairmentKind::Hold {
        every: Onset::Renewal(constant(100)),
        length: constant(300),
    };
    model.impairments = vec![impaired("spike", Scope::Shared, kind)];
    let sends = [(ms(0), Direction::Down, probe(100)), (ms(0), Direction::Up, probe(60))];
    let story = play(&model, 1, &sends, ms(450));
    assert_eq!(story.ends(), delivered([400, 400]));
    assert_eq!(story.events.len(), 4);
    // At a packet of one direction: both stop when it would have arrived.
    let entry = on(Selector::Packet(1), Some(300), Action::Hold);
    model.impairments.clear();
    model.script = vec![windlull_link::model::ScriptEntry {
        scope: Scope::Shared,
        ..entry
    }];
    let sends = [(ms(0), Direction::Down, probe(100)), (ms(0), Direction::Up, probe(101))];
    let story = play(&model, 1, &sends, ms(10_000));
    assert_eq!(
        story.ends(),
        delivered([451, 451]),
        "packet 1 of each direction has its hold"
    );
}

fn outage(model: &mut LinkModel) {
    model.script = vec![at(200, Some(100), Action::Drop)];
}

#[test]
fn an_outage_loses_what_meets_the_channel_from_its_first_instant_to_before_its_last() {
    let mut model = link();
    outage(&mut model);
    let story = hundreds_through(&model, &[0, 100, 200]);
    assert_eq!(
        story.ends(),
        [Ok(ms(150)), Err((ms(200), DropCause::Outage)), Ok(ms(350))]
    );
    let lost = story.fate(1);
    assert_eq!(
        (lost.started, lost.sent, lost.held),
        (Some(ms(100)), Some(ms(200)), Span::ZERO)
    );
    let name = || "script 1".to_owned();
    let direction = Direction::Down;
    assert_eq!(
        story.events,
        [
            (
                ms(200),
                LinkEvent::OutageBegan {
                    direction,
                    name: name(),
                    until: ms(300)
                }
            ),
            (
                ms(300),
                LinkEvent::OutageEnded {
                    direction,
                    name: name()
                }
            )
        ]
    );
    let early = [(Time::ZERO, Direction::Down, probe(100))].map(|(_, to, packet)| (just_before(ms(100)), to, packet));
    assert_eq!(play(&model, 1, &early, ms(1000)).ends(), [Ok(just_before(ms(250)))]);
}

#[test]
fn an_outage_at_a_packet_begins_with_that_packet() {
    let kind = ImpairmentKind::Drop {
        every: Onset::PacketWithProbability(1.0),
        length: constant(150),
    };
    let story = hundreds_through(&down(kind), &[0, 0]);
    let lost = |at| Err((ms(at), DropCause::Outage));
    assert_eq!(story.ends(), [lost(100), lost(200)]);
    let mut model = link();
    model.script = vec![on(Selector::Packet(2), Some(100), Action::Drop)];
    let story = hundreds_through(&model, &[0, 0, 0]);
    assert_eq!(story.ends(), [Ok(ms(150)), lost(200), Ok(ms(350))]);
}

#[test]
fn two_states_alternate_in_time_for_both_directions_at_once() {
    let kind = ImpairmentKind::TwoState {
        good: constant(1000),
        bad: constant(500),
        loss_good: 0.0,
        loss_bad: 1.0,
    };
    let mut model = link();
    model.impairments = vec![impaired("bursts", Scope::Shared, kind)];
    let mut sends = hundreds(&[800, 900, 1399, 1400]);
    sends.push((ms(1400), Direction::Up, probe(99)));
    let story = play(&model, 1, &sends, ms(2499));
    let lost = |at| Err((ms(at), DropCause::RandomLoss));
    // Sent at 900, 1000, 1499, 1599 (behind the one before) and, up, 1499.
    assert_eq!(
        story.ends(),
        [Ok(ms(950)), lost(1000), lost(1499), Ok(ms(1649)), lost(1499)]
    );
    let state = |direction, bad| LinkEvent::LossState {
        direction,
        name: "bursts".to_owned(),
        bad,
    };
    let (down, up) = (Direction::Down, Direction::Up);
    assert_eq!(
        story.events,
        [
            (ms(1000), state(down, true)),
            (ms(1000), state(up, true)),
            (ms(1500), state(down, false)),
            (ms(1500), state(up, false))
        ]
    );
}

#[test]
fn a_gilbert_elliott_chain_steps_at_each_packet() {
    let kind = ImpairmentKind::GilbertElliott {
        to_bad: 1.0,
        to_good: 1.0,
        loss_good: 0.0,
        loss_bad: 1.0,
    };
    let story = hundreds_through(&down(kind), &[0, 0, 0, 0]);
    assert_eq!(story.lost_by(DropCause::RandomLoss), [0, 2]);
    let bad: Vec<_> = story
        .events
        .iter()
        .map(|(at, event)| (*at, matches!(event, LinkEvent::LossState { bad: true, .. })))
        .collect();
    assert_eq!(
        bad,
        [(ms(100), true), (ms(200), false), (ms(300), true), (ms(400), false)]
    );
}

#[test]
fn the_script_adds_loss_for_a_while() {
    let mut model = link();
    model.script = vec![at(200, Some(100), Action::SetLoss(1.0))];
    let story = hundreds_through(&model, &[0, 100, 200]);
    assert_eq!(
        story.ends(),
        [Ok(ms(150)), Err((ms(200), DropCause::RandomLoss)), Ok(ms(350))]
    );
    assert_eq!(story.events.len(), 2);
}
