//! Thinned acknowledgements: of those of a connection that wait, the newest remain, and nothing else gives way.

use std::num::NonZeroU32;

use crate::support::{Probe, down, ms, play, probe};
use proptest::prelude::*;
use windlull_link::PureAck;
use windlull_link::model::{ImpairmentKind, LinkModel, QueueLimit, QueueModel};
use windlull_units::{Direction, DropCause, Time};

fn thinning(waiting: u32) -> LinkModel {
    let waiting = NonZeroU32::new(waiting).expect("not zero");
    down(ImpairmentKind::AckThinning { waiting })
}

fn ack(flow: u64, number: u32) -> Probe {
    Probe {
        flow,
        ack: Some(PureAck { number, echoes: 0 }),
        ..probe(40)
    }
}

fn sends(packets: &[(u64, Probe)]) -> Vec<(Time, Direction, Probe)> {
    let down = |(at, packet): &(u64, Probe)| (ms(*at), Direction::Down, packet.clone());
    packets.iter().map(down).collect()
}

#[test]
fn the_newest_takes_the_place_in_the_queue() {
    // 100 octets of another flow, in service until 100 ms; an acknowledgement, and 100 octets behind it.
    let story = play(
        &thinning(1),
        1,
        &sends(&[
            (0, probe(100)),
            (10, ack(7, 10)),
            (20, probe(100)),
            (30, ack(7, 20)),
            (40, ack(7, 30)),
        ]),
        ms(10_000),
    );
    assert_eq!(story.order(), [0, 4, 2], "before what came between");
    assert_eq!(story.lost_by(DropCause::AckThinned), [1, 3]);
    let (first, second) = (story.fate(1), story.fate(3));
    assert_eq!((first.outcome.at(), second.outcome.at()), (ms(30), ms(40)));
    assert_eq!(first.started, None, "it was never served");
    // 100 ms, then 40 ms, then 50 ms on its way.
    assert_eq!(story.fate(4).outcome.at(), ms(190));
    assert_eq!(story.fate(2).outcome.at(), ms(290));
}

#[test]
fn what_is_in_service_stays() {
    let story = play(
        &thinning(1),
        1,
        &sends(&[(0, ack(7, 10)), (10, ack(7, 20))]),
        ms(10_000),
    );
    assert_eq!(story.order(), [0, 1]);
}

#[test]
fn several_may_wait() {
    let packets: Vec<_> = (0..6).map(|number| (u64::from(number), ack(7, number))).collect();
    let story = play(&thinning(3), 1, &sends(&packets), ms(10_000));
    assert_eq!(story.order(), [0, 1, 2, 5]);
}

#[test]
fn connections_have_nothing_to_do_with_each_other() {
    let story = play(
        &thinning(1),
        1,
        &sends(&[(0, probe(100)), (1, ack(7, 10)), (2, ack(8, 20)), (3, ack(7, 30))]),
        ms(10_000),
    );
    assert_eq!(story.order(), [0, 3, 2]);
}

#[test]
fn nothing_of_its_connection_is_overtaken() {
    let data = Probe { flow: 7, ..probe(100) };
    let story = play(
        &thinning(1),
        1,
        &sends(&[
            (0, probe(100)),
            (1, ack(7, 10)),
            (2, data),
            (3, ack(7, 20)),
            (4, ack(7, 30)),
        ]),
        ms(10_000),
    );
    assert_eq!(story.order(), [0, 1, 2, 4]);
}

#[test]
fn a_place_needs_no_room() {
    let mut model = thinning(1);
    model.down.queue = QueueModel::DropTail(QueueLimit::Packets(1));
    let full = [(0, probe(100)), (1, ack(7, 10)), (2, ack(7, 20)), (3, ack(8, 10))];
    let story = play(&model, 1, &sends(&full), ms(10_000));
    assert_eq!(story.order(), [0, 2]);
    assert_eq!(story.lost_by(DropCause::QueueOverflow), [3]);
    // A larger one needs more than the place has.
    let larger = Probe { size: 52, ..ack(7, 20) };
    let story = play(
        &model,
        1,
        &sends(&[(0, probe(100)), (1, ack(7, 10)), (2, larger)]),
        ms(10_000),
    );
    assert_eq!(story.lost_by(DropCause::QueueOverflow), [2]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    /// Each that is left out has a later one of its connection, not lost, that acknowledges more; each connection keeps its
    /// order; never do more than `most` wait; and whatever is no acknowledgement arrives.
    #[test]
    fn nothing_is_lost_with_them(
        most in 1_u32..4,
        packets in proptest::collection::vec((0_u64..60, 0_u64..3, proptest::option::weighted(0.8, 0_u32..3)), 1..60),
    ) {
        let (mut now, mut numbers) = (0, [u32::MAX - 20; 3]);
        let packets: Vec<_> = packets
            .into_iter()
            .map(|(gap, flow, more)| {
                now += gap;
                let number = &mut numbers[usize::try_from(flow).expect("few")];
                let packet = match more {
                    Some(more) => {
                        *number = number.wrapping_add(more);
                        ack(flow, *number)
                    }
                    None => Probe { flow, ..probe(60) },
                };
                (now, packet)
            })
            .collect();
        let story = play(&thinning(most), 1, &sends(&packets), ms(100_000));
        let packet = |id: u64| &packets[usize::try_from(id).expect("few")].1;
        let thinned = story.lost_by(DropCause::AckThinned);
        let order = story.order();
        prop_assert_eq!(thinned.len() + order.len(), packets.len());
        for &id in &thinned {
            let (old, flow) = (packet(id).ack.expect("an acknowledgement"), packet(id).flow);
            let stands_in = order.iter().filter(|&&later| later > id && packet(later).flow == flow);
            let says_more = |ack: PureAck| (1..1 << 31).contains(&ack.number.wrapping_sub(old.number));
            prop_assert!(stands_in.filter_map(|&later| packet(later).ack).any(says_more), "{} is lost", id);
        }
        for flow in 0..3 {
            let of_flow = order.iter().filter(|&&id| packet(id).flow == flow);
            prop_assert!(of_flow.is_sorted());
        }
    }
}
