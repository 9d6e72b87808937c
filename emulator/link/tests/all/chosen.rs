//! What happens to single packets: chosen ones, and those that chance reorders, doubles, corrupts or loses.

use crate::support::{Probe, at, constant, delivered, down, hundreds_through, link, ms, on, play, probe, segment};
use windlull_link::TcpView;
use windlull_link::model::{Action, ImpairmentKind, Selector};
use windlull_units::{Bytes, Direction, DropCause, PacketId, Span, Time};

/// A SYN with this number, then segments of 100 octets that begin at these octets of the stream, 100 ms apart.
fn connection(isn: u32, octets: &[u32]) -> Vec<(Time, Direction, Probe)> {
    let tcp = Some(TcpView {
        seq: isn,
        payload_len: 0,
        syn: true,
    });
    let data = octets
        .iter()
        .map(|octet| segment(isn.wrapping_add(1).wrapping_add(*octet)));
    std::iter::once(Probe { tcp, ..probe(100) })
        .chain(data)
        .enumerate()
        .map(|(number, packet)| (ms(100 * number as u64), Direction::Down, packet))
        .collect()
}

#[test]
fn chosen_segments_are_dropped_also_where_numbers_wrap() {
    let mut model = link();
    model.script = vec![
        on(Selector::DataSegments { first: 2, last: 3 }, None, Action::Drop),
        on(
            Selector::RetransmissionOfSegment { segment: 3, nth: 1 },
            None,
            Action::Drop,
        ),
        on(Selector::Byte(450), None, Action::Drop),
    ];
    // Segments 1 to 4, the second again, the third again twice, then the fifth.
    let octets = [0, 100, 200, 300, 100, 200, 200, 400];
    for isn in [1000, u32::MAX - 120, u32::MAX] {
        let story = play(&model, 1, &connection(isn, &octets), ms(10_000));
        assert_eq!(
            story.lost_by(DropCause::Chosen),
            [2, 3, 6, 8],
            "initial sequence number {isn}"
        );
    }
}

#[test]
fn packets_count_also_if_the_queue_drops_them() {
    let mut model = link();
    model.down.queue = windlull_link::model::QueueModel::DropTail(windlull_link::model::QueueLimit::Packets(1));
    model.script = vec![on(Selector::Packet(4), None, Action::Drop)];
    let story = hundreds_through(&model, &[0, 0, 0, 100]);
    assert_eq!(story.lost_by(DropCause::QueueOverflow), [2]);
    assert_eq!(story.lost_by(DropCause::Chosen), [3]);
}

#[test]
fn a_chosen_packet_is_kept_back_and_overtaken() {
    let mut model = link();
    model.script = vec![on(Selector::Packet(1), None, Action::Delay(Span::from_ms(150)))];
    let story = hundreds_through(&model, &[0, 0, 0]);
    // Due at 300 instead of 150; the second comes at 250, the third at 350.
    assert_eq!(story.ends(), delivered([300, 250, 350]));
    assert_eq!(story.order(), [1, 0, 2]);
    assert_eq!([0, 1, 2].map(|id| story.fate(id).reordered), [true, true, false]);
    assert_eq!(story.fate(0).held, Span::from_ms(150));
}

#[test]
fn packets_kept_back_by_less_than_their_distance_stay_in_order() {
    let kind = ImpairmentKind::Reorder {
        probability: 1.0,
        by: constant(70),
    };
    let story = hundreds_through(&down(kind), &[0, 0]);
    assert_eq!(story.ends(), delivered([220, 320]));
    assert!(story.fates.iter().all(|fate| !fate.reordered));
}

#[test]
fn at_one_instant_the_packet_sent_first_comes_first() {
    let mut model = link();
    model.script = vec![on(Selector::Packet(1), None, Action::Delay(Span::from_ms(100)))];
    let story = hundreds_through(&model, &[0, 0]);
    assert_eq!(story.ends(), delivered([250, 250]));
    assert_eq!(story.order(), [0, 1]);
}

#[test]
fn the_script_keeps_back_all_packets_for_a_while() {
    let mut model = link();
    model.script = vec![at(50, Some(100), Action::Delay(Span::from_ms(1000)))];
    let story = hundreds_through(&model, &[0, 0]);
    assert_eq!(story.ends(), delivered([1150, 250]));
}

#[test]
fn a_hold_also_holds_what_was_kept_back() {
    let mut model = link();
    model.script = vec![
        on(Selector::Packet(1), None, Action::Delay(Span::from_ms(130))),
        at(200, Some(400), Action::Hold),
    ];
    // Would come at 280; the second at 250, the third at 350.
    let story = hundreds_through(&model, &[0, 0, 0]);
    assert_eq!(story.ends(), delivered([600, 600, 600]));
    assert_eq!(story.order(), [1, 0, 2]);
}

#[test]
fn a_copy_comes_right_behind_and_has_its_own_number_and_fate() {
    let kind = ImpairmentKind::Duplicate { probability: 1.0 };
    let story = hundreds_through(&down(kind), &[0, 0]);
    // Both packets are inside before the first copy is made.
    assert_eq!(story.order(), [0, 2, 1, 3]);
    assert_eq!(story.ends(), delivered([150, 250, 150, 250]));
    let copy = story.fate(2);
    assert_eq!(copy.duplicate_of, Some(PacketId(0)));
    assert_eq!(
        (copy.entered, copy.sent, copy.size),
        (ms(0), Some(ms(100)), Bytes::new(100))
    );
    assert_eq!(story.fate(0).duplicate_of, None);
}

#[test]
fn a_corrupted_packet_arrives_and_says_so() {
    let kind = ImpairmentKind::Corrupt { probability: 1.0 };
    let story = hundreds_through(&down(kind), &[0]);
    assert!(story.deliveries[0].corrupted);
    assert!(story.fate(0).corrupted && !story.fate(0).arrived_intact());
}

#[test]
fn loss_and_bit_errors_are_told_apart() {
    let story = hundreds_through(&down(ImpairmentKind::Loss { probability: 1.0 }), &[0]);
    assert_eq!(story.ends(), [Err((ms(100), DropCause::RandomLoss))]);
    let story = hundreds_through(&down(ImpairmentKind::BitError { rate: 1.0 }), &[0]);
    assert_eq!(story.ends(), [Err((ms(100), DropCause::BitError))]);
}

#[test]
fn a_lost_packet_has_no_copy() {
    let mut model = down(ImpairmentKind::Duplicate { probability: 1.0 });
    model.script = vec![on(Selector::Packet(1), None, Action::Drop)];
    let story = hundreds_through(&model, &[0]);
    assert_eq!(story.ends(), [Err((ms(100), DropCause::Chosen))]);
    assert!(story.deliveries.is_empty());
}
