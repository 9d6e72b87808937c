//! The link layer: send buffer, retransmission, receive buffer (sarolahti2003, section 5.1), worked out by hand.

use crate::support;
use crate::support::{arq, at, constant, delivered, hundreds_through, ms, on, play, probe, rate, with_arq};
use windlull_link::model::{Action, Persistence, QueueLimit, QueueModel, RateModel, Selector};
use windlull_units::{Bytes, Direction, DropCause, Outcome, Span, Time};

#[test]
fn six_packets_are_in_the_link_and_seven_wait_while_it_holds() {
    let mut model = with_arq(arq(1776, Persistence::Unlimited));
    model.down.queue = QueueModel::DropTail(QueueLimit::Packets(7));
    model.script = vec![at(0, Some(60_000), Action::Hold)];
    let sends: Vec<_> = (0..14)
        .map(|number| (ms(300 * number), Direction::Down, probe(296)))
        .collect();
    let story = play(&model, 1, &sends, ms(59_999));
    assert_eq!(story.lost_by(DropCause::QueueOverflow), [13]);
    assert_eq!((story.fates.len(), story.inside), (1, 13));

    let story = play(&model, 1, &sends, ms(100_000));
    let started = |id| story.fate(id).started;
    assert_eq!([0, 1, 5].map(started), [0, 300, 1500].map(|at| Some(ms(at))));
    // The six are received as the hold ends; their acknowledgements need 50 ms back.
    assert_eq!([6, 7].map(started), [60_050, 60_346].map(|at| Some(ms(at))));
    for id in 0..6 {
        assert_eq!(story.fate(id).outcome, Outcome::Delivered { at: ms(60_000) });
    }
    assert_eq!(story.fate(0).held, Span::from_ms(60_000 - 346));
    assert_eq!(story.fate(6).outcome, Outcome::Delivered { at: ms(60_050 + 346) });
}

#[test]
fn the_papers_buffers_just_cover_the_papers_link() {
    let mut model = with_arq(arq(1776, Persistence::Unlimited));
    for path in [&mut model.down, &mut model.up] {
        path.rate = Some(RateModel::Constant(rate(28_800)));
        path.delay = constant(200);
    }
    let sends: Vec<_> = (0..40).map(|_| (ms(0), Direction::Down, probe(296))).collect();
    let story = play(&model, 1, &sends, ms(100_000));
    // An acknowledgement is back after 82.2 + 400 ms, the sixth packet has left after 493.3 ms: no pause.
    let each = 82_222_223;
    for id in 0..40 {
        assert_eq!(story.fate(id).sent, Some(Time::from_ns((id + 1) * each)));
        assert_eq!(story.fate(id).held, Span::ZERO);
    }
}

#[test]
fn the_send_buffer_slows_a_link_that_it_does_not_cover() {
    // Room for one packet: the next starts when the acknowledgement is back, 100 + 50 + 50 ms later.
    let story = hundreds_through(&with_arq(arq(199, Persistence::Unlimited)), &[0, 0, 0]);
    assert_eq!(story.ends(), delivered([150, 350, 550]));
    let story = hundreds_through(&with_arq(arq(200, Persistence::Unlimited)), &[0, 0, 0]);
    assert_eq!(story.ends(), delivered([150, 250, 350]));
}

#[test]
fn a_lost_packet_is_sent_again_and_others_wait_for_it() {
    let mut model = with_arq(arq(1000, Persistence::Unlimited));
    model.script = vec![at(100, Some(1), Action::Drop)];
    // Lost at 100, noticed at 250, when the third is in service until 300; again from 300 to 400.
    let story = hundreds_through(&model, &[0, 0, 0, 0]);
    assert_eq!(story.ends(), delivered([450, 450, 450, 550]));
    assert_eq!(story.order(), [0, 1, 2, 3]);
    let first = story.fate(0);
    assert_eq!(
        (first.started, first.sent, first.held),
        (Some(ms(0)), Some(ms(100)), Span::from_ms(300))
    );
    assert_eq!(story.fate(1).held, Span::from_ms(200));
    assert_eq!(story.fate(3).started, Some(ms(400)), "what is sent again goes first");
}

#[test]
fn retransmission_goes_on_until_the_outage_is_over() {
    let mut model = with_arq(arq(1000, Persistence::Unlimited));
    model.script = vec![at(50, Some(1000), Action::Drop)];
    // Lost at 100, 350, 600, 850; passes at 1100.
    let story = hundreds_through(&model, &[0]);
    assert_eq!(story.ends(), delivered([1150]));
    assert_eq!(story.fate(0).held, Span::from_ms(1000));
}

#[test]
fn bounded_persistence_gives_up_and_lets_others_go_on() {
    let mut model = with_arq(arq(1000, Persistence::Retries(1)));
    model.script = vec![at(100, Some(1), Action::Drop), at(400, Some(1), Action::Drop)];
    // Lost at 100 and, sent again from 300, at 400; given up at 550; the far end knows 50 ms later.
    let story = hundreds_through(&model, &[0, 0, 0]);
    let gave_up = Err((ms(550), DropCause::ArqGaveUp));
    assert_eq!(story.ends(), [gave_up, Ok(ms(600)), Ok(ms(600))]);
    assert_eq!(story.order(), [1, 2]);
    let mut model = with_arq(arq(1000, Persistence::For(Span::from_ms(449))));
    model.script = vec![at(100, Some(500), Action::Drop)];
    // Noticed 150 ms, 400 ms and, too late, 650 ms after it was first sent: lost at 100, 350, 600 (had it passed).
    let story = hundreds_through(&model, &[0]);
    assert_eq!(story.ends(), delivered([650]));
    model.script = vec![at(100, Some(501), Action::Drop)];
    let story = hundreds_through(&model, &[0]);
    assert_eq!(story.ends(), [Err((ms(750), DropCause::ArqGaveUp))]);
}

#[test]
fn an_unreliable_link_layer_loses_and_keeps_its_timing() {
    let mut model = with_arq(arq(199, Persistence::None));
    model.script = vec![at(100, Some(1), Action::Drop)];
    let story = hundreds_through(&model, &[0, 0]);
    // The room of the lost packet is free when its acknowledgement would have come.
    assert_eq!(story.ends(), [Err((ms(100), DropCause::Outage)), Ok(ms(350))]);
}

#[test]
fn a_packet_chosen_to_be_dropped_is_lost_for_good() {
    let mut model = with_arq(arq(1000, Persistence::Unlimited));
    model.script = vec![on(Selector::Packet(1), None, Action::Drop)];
    let story = hundreds_through(&model, &[0, 0]);
    assert_eq!(story.ends(), [Err((ms(100), DropCause::Chosen)), Ok(ms(250))]);
}

#[test]
fn what_finds_no_room_in_the_receive_buffer_is_sent_again() {
    let mut buffers = arq(1000, Persistence::Unlimited);
    buffers.receive_buffer = Bytes::new(199);
    buffers.retry_after = Span::from_ms(400);
    let mut model = with_arq(buffers);
    model.script = vec![at(100, Some(1), Action::Drop)];
    // The first is lost at 100 and sent again from 500; the second waits for it; the third arrives at 350, finds no
    // room, and is sent again 400 ms after 300: from 700 to 800.
    let story = hundreds_through(&model, &[0, 0, 0]);
    assert_eq!(story.ends(), delivered([650, 650, 850]));
    assert_eq!(story.order(), [0, 1, 2]);
}

#[test]
fn a_copy_does_not_fill_the_link_layers_buffers() {
    let mut model = with_arq(arq(199, Persistence::Unlimited));
    let kind = windlull_link::model::ImpairmentKind::Duplicate { probability: 1.0 };
    model.impairments = vec![support::impaired("twice", windlull_link::model::Scope::Each, kind)];
    let story = hundreds_through(&model, &[0, 0]);
    assert_eq!(story.ends(), delivered([150, 350, 150, 350]));
}

#[test]
fn a_packet_kept_back_is_overtaken_in_spite_of_the_link_layer() {
    let mut model = with_arq(arq(1000, Persistence::Unlimited));
    model.script = vec![on(Selector::Packet(1), None, Action::Delay(Span::from_ms(150)))];
    let story = hundreds_through(&model, &[0, 0, 0]);
    assert_eq!(story.ends(), delivered([300, 250, 350]));
}

#[test]
fn the_largest_values_do_not_overflow() {
    let mut buffers = arq(u64::MAX / 4, Persistence::For(Span::MAX));
    buffers.retry_after = Span::MAX;
    let mut model = with_arq(buffers);
    model.down.framing = Bytes::new(1_000_000_000_000);
    model.down.delay = windlull_link::model::Distribution::Exponential { mean: Span::MAX };
    model.up.delay = windlull_link::model::Distribution::Constant(Span::MAX);
    model.script = vec![at(50, None, Action::Drop), at(60, None, Action::Hold)];
    let mut sends: Vec<_> = (0..10)
        .map(|number| (ms(number), Direction::Down, probe(u64::MAX / 64)))
        .collect();
    sends.push((ms(10), Direction::Up, probe(100)));
    let story = play(&model, 1, &sends, ms(360_000_000));
    assert!(story.deliveries.is_empty());
    assert_eq!(story.inside, 11);
}
