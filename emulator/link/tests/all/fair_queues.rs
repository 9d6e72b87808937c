//! Queues that keep flows apart, on a link: who is served, who waits and who is dropped. Every octet takes a millisecond.

use crate::support::{Probe, Story, arq, at, link, ms, play, probe};
use windlull_link::model::{
    Action, DrrModel, DualPi2Model, FqCodelModel, LinkModel, Persistence, QueueLimit, QueueModel,
};
use windlull_units::{Bytes, Direction, DropCause, Ecn, Span, Time};

const END: Time = Time::from_ns(10_000_000_000_000);

fn with(queue: QueueModel) -> LinkModel {
    let mut model = link();
    model.down.queue = queue;
    model
}

const fn fq_codel(limit: QueueLimit, flows: u32) -> QueueModel {
    QueueModel::FqCodel(FqCodelModel {
        limit,
        quantum: Bytes::new(100),
        flows,
        target: Span::from_secs(100),
        interval: Span::from_secs(100),
        ecn: false,
    })
}

const fn drr(limit: QueueLimit) -> QueueModel {
    QueueModel::Drr(DrrModel {
        limit,
        quantum: Bytes::new(100),
        flows: 1024,
    })
}

/// Its controller is as good as off: classic packets may wait for 100 s.
const fn dual_pi2(limit: QueueLimit) -> QueueModel {
    QueueModel::DualPi2(DualPi2Model {
        limit,
        target: Span::from_secs(100),
        round_trip: Span::from_secs(300),
        threshold: Span::from_ms(150),
        range: Span::ZERO,
        coupling: 2,
        classic_share: 0.0625,
    })
}

/// So many packets of 100 octets at once, with a codepoint.
fn kind(at: u64, ecn: Ecn, packets: usize) -> Vec<(Time, Direction, Probe)> {
    vec![(ms(at), Direction::Down, Probe { ecn, ..probe(100) }); packets]
}

/// So many packets of 100 octets at once, of a flow.
fn burst(at: u64, flow: u64, packets: usize) -> Vec<(Time, Direction, Probe)> {
    let packet = Probe { flow, ..probe(100) };
    vec![(ms(at), Direction::Down, packet); packets]
}

/// The flows of what is delivered, in order.
fn order(story: &Story) -> Vec<u64> {
    story.deliveries.iter().map(|it| it.packet.flow).collect()
}

#[test]
fn two_bursts_take_turns() {
    let mut sends = burst(0, 1, 4);
    sends.extend(burst(10, 2, 3));
    for queue in [drr(QueueLimit::Unlimited), fq_codel(QueueLimit::Unlimited, 1024)] {
        let story = play(&with(queue), 1, &sends, END);
        // The first is in service when the second flow comes; its quantum is used.
        let expected = match queue {
            QueueModel::Drr(_) => [1, 1, 2, 1, 2, 1, 2],
            _ => [1, 2, 1, 2, 1, 2, 1],
        };
        assert_eq!(order(&story), expected, "{queue:?}");
        assert_eq!((story.fates.len(), story.inside), (7, 0));
    }
}

/// A sparse flow's packet waits for the one in service alone, however much others have waiting.
#[test]
fn a_sparse_flow_does_not_wait_for_a_bulk_transfer() {
    let mut sends = burst(0, 1, 50);
    for second in 1..5 {
        sends.extend(burst(second * 1000 + 50, 2, 1));
    }
    let story = play(&with(fq_codel(QueueLimit::Unlimited, 1024)), 1, &sends, END);
    for (id, second) in (50..54).zip(1..5) {
        assert_eq!(story.fate(id).started, Some(ms(second * 1000 + 100)), "{id}");
    }
    // With one queue for all, it is the last.
    let story = play(&with(fq_codel(QueueLimit::Unlimited, 1)), 1, &sends, END);
    assert_eq!(story.fate(50).started, Some(ms(5000)));
}

/// Six flows whose packets differ in size up to sixfold: each has a sixth of what is served while all have something.
#[test]
fn every_flow_has_its_share() {
    for queue in [drr(QueueLimit::Unlimited), fq_codel(QueueLimit::Unlimited, 1024)] {
        let mut sends = Vec::new();
        for flow in 1..=6 {
            // In packets of another size each.
            let packet = Probe {
                flow,
                ..probe(flow * 20)
            };
            sends.extend(vec![(ms(0), Direction::Down, packet); 300]);
        }
        let story = play(&with(queue), 1, &sends, END);
        // The first flow has 6000 octets, so all have something for 36 s.
        let mut octets = [0_u64; 6];
        for delivery in story.deliveries.iter().filter(|it| it.at <= ms(30_000)) {
            octets[usize::try_from(delivery.packet.flow - 1).expect("few")] += delivery.packet.size;
        }
        #[expect(clippy::cast_precision_loss, reason = "small")]
        let shares = octets.map(|octets| octets as f64);
        let (sum, squares) = (shares.iter().sum::<f64>(), shares.iter().map(|it| it * it).sum::<f64>());
        let fairness = sum * sum / (6.0 * squares);
        assert!(fairness > 0.999, "{fairness} {octets:?} {queue:?}");
    }
}

#[test]
fn the_flow_with_the_longest_queue_makes_room() {
    let limit = QueueLimit::Packets(6);
    let mut sends = burst(0, 1, 6);
    sends.extend(burst(10, 2, 4));
    // One is in service. When the last three come, there wait 5 of flow 1 and 1 of flow 2, then 4 and 2, then 3 and 3.
    let story = play(&with(drr(limit)), 1, &sends, END);
    assert_eq!(story.lost_by(DropCause::QueueOverflow), [4, 5, 9]);
    // FQ-CoDel drops half of the longest from its head, and there is room for another.
    let story = play(&with(fq_codel(limit, 1024)), 1, &sends, END);
    assert_eq!(story.lost_by(DropCause::QueueOverflow), [1, 2, 6, 7]);
}

#[test]
fn a_packet_that_finds_the_way_free_needs_no_room() {
    for limit in [QueueLimit::Packets(0), QueueLimit::Bytes(Bytes::new(99))] {
        for queue in [drr(limit), fq_codel(limit, 1024)] {
            let mut sends = burst(0, 1, 2);
            sends.extend(burst(100, 2, 1));
            let story = play(&with(queue), 1, &sends, END);
            assert_eq!(story.lost_by(DropCause::QueueOverflow), [1], "{queue:?}");
            assert_eq!(story.fate(2).started, Some(ms(100)));
        }
    }
}

#[test]
fn a_script_changes_the_limit_of_all() {
    let mut model = with(drr(QueueLimit::Unlimited));
    model.script = vec![at(50, Some(100), Action::SetQueue(QueueLimit::Packets(2)))];
    let mut sends = burst(0, 1, 3);
    sends.extend(burst(60, 2, 1));
    sends.extend(burst(210, 1, 3));
    let story = play(&model, 1, &sends, END);
    assert_eq!(story.lost_by(DropCause::QueueOverflow), [2]);
    assert_eq!(story.deliveries.len(), 6);
}

/// The link layer's buffer takes one packet: whose it is is decided when it has room.
#[test]
fn turns_are_taken_when_the_link_layer_has_room() {
    let mut model = with(fq_codel(QueueLimit::Unlimited, 1024));
    model.down.arq = Some(arq(100, Persistence::Unlimited));
    let mut sends = burst(0, 1, 3);
    // After the last bit of the first, and before the link layer's acknowledgement.
    sends.extend(burst(110, 2, 1));
    let story = play(&model, 1, &sends, END);
    assert_eq!(order(&story), [1, 2, 1, 1]);
    assert_eq!(story.inside, 0);
}

#[test]
fn the_low_latency_queue_does_not_wait_for_the_classic_one() {
    let mut sends = kind(0, Ecn::Ect0, 20);
    sends.extend(kind(350, Ecn::Ect1, 5));
    let story = play(&with(dual_pi2(QueueLimit::Unlimited)), 1, &sends, END);
    for (id, started) in (20..25).zip([400, 500, 600, 700, 800]) {
        assert_eq!(story.fate(id).started, Some(ms(started)));
    }
    // The classic ones go on where they stood.
    assert_eq!(story.fate(4).started, Some(ms(900)));
    // Those that waited for 150 ms and longer and left two behind them; the first likelihood of one is not more than one yet.
    let marked: Vec<u64> = story.fates.iter().filter(|it| it.marked).map(|it| it.id.0).collect();
    assert_eq!(marked, [22]);
}

#[test]
fn an_arrival_that_two_queues_have_no_room_for_is_dropped() {
    let mut sends = kind(0, Ecn::NotEct, 4);
    sends.extend(kind(10, Ecn::Ect1, 2));
    sends.extend(kind(20, Ecn::NotEct, 1));
    let story = play(&with(dual_pi2(QueueLimit::Packets(4))), 1, &sends, END);
    assert_eq!(story.lost_by(DropCause::QueueOverflow), [5, 6]);
}
