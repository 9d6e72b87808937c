//! What packets of another run meet on a recording, every time worked out by hand.

use crate::support::{Probe, delivered, hundreds, hundreds_through, link, ms, on, path, play, probe, segment};
use windlull_link::model::{Action, LinkModel, ReplayBy, ReplayModel, Selector};
use windlull_link::{Link, TcpView};
use windlull_units::{Direction, DropCause, Ecn, Fate, Replayed, ReplayedWay, Seed, Span};

/// A link that plays this, whatever its paths are.
fn playing(replay: ReplayModel) -> LinkModel {
    LinkModel {
        replay: Some(replay),
        ..LinkModel::symmetric(path())
    }
}

/// Three at once, the second of which is lost, and a fourth: 150 ms, none, 350 ms and 150 ms on their way.
fn recorded() -> Vec<Fate> {
    let mut model = link();
    model.script = vec![on(Selector::Packet(2), None, Action::Drop)];
    let story = hundreds_through(&model, &[0, 0, 0, 1000]);
    let chosen = Err((ms(200), DropCause::Chosen));
    assert_eq!(story.ends(), [Ok(ms(150)), chosen, Ok(ms(350)), Ok(ms(1150))]);
    story.fates
}

#[test]
fn the_nth_packet_meets_what_the_nth_one_met() {
    let model = playing(ReplayModel::of(ReplayBy::Packet, recorded()));
    let story = hundreds_through(&model, &[0, 500, 510, 2000]);
    let chosen = Err((ms(700), DropCause::Chosen));
    assert_eq!(story.ends(), [Ok(ms(150)), chosen, Ok(ms(860)), Ok(ms(2150))]);
    let third = story.fate(2);
    assert_eq!(
        (third.entered, third.started, third.sent),
        (ms(510), Some(ms(710)), Some(ms(810)))
    );
    assert_eq!(third.queue_packets, 1);
}

#[test]
fn what_the_recording_does_not_have_takes_its_least_and_is_not_lost() {
    let model = playing(ReplayModel::of(ReplayBy::Packet, recorded()));
    let mut sends = hundreds(&[0, 0, 0, 1000, 1100]);
    // Nothing was recorded in this direction.
    sends.push((ms(1200), Direction::Up, probe(40)));
    let story = play(&model, 1, &sends, ms(9000));
    assert_eq!(story.ends()[3..], delivered([1150, 1250, 1200]));
}

#[test]
fn none_overtakes_where_none_did() {
    let model = playing(ReplayModel::of(ReplayBy::Packet, recorded()));
    let story = hundreds_through(&model, &[0, 0, 0, 50]);
    assert_eq!(story.ends()[2..], delivered([350, 350]));
    assert_eq!(story.order(), [0, 2, 3]);
}

#[test]
fn by_time_it_is_the_last_one_that_was_sent_by_then() {
    let model = playing(ReplayModel::of(ReplayBy::Time, recorded()));
    let story = hundreds_through(&model, &[0, 100, 999, 1000, 5000]);
    // The second was recorded at the first one's instant, and the third stays until the fourth was sent.
    let chosen = Err((ms(300), DropCause::Chosen));
    assert_eq!(
        story.ends(),
        [Ok(ms(150)), chosen, Ok(ms(1349)), Ok(ms(1349)), Ok(ms(5150))]
    );
}

#[test]
fn by_octets_it_is_what_carried_the_first_one_as_often() {
    // 0 to 100, which is lost, 100 to 300 in one, and 0 to 100 again.
    let mut model = link();
    model.script = vec![on(Selector::Packet(2), None, Action::Drop)];
    let syn = Probe {
        tcp: Some(TcpView {
            seq: 999,
            payload_len: 0,
            syn: true,
        }),
        ..probe(40)
    };
    let down = |sends: &[(u64, Probe)]| -> Vec<_> {
        let send = |(at, packet): &(u64, Probe)| (ms(*at), Direction::Down, packet.clone());
        sends.iter().map(send).collect()
    };
    let sends = [
        (0, syn.clone()),
        (200, segment(1000)),
        (400, probe(200)),
        (800, segment(1000)),
    ];
    let story = play(&model, 1, &down(&sends), ms(9000));
    let mut replay = ReplayModel::of(ReplayBy::Octets, story.fates);
    for (fate, octets) in replay
        .down
        .iter_mut()
        .zip([None, Some((0, 100)), Some((100, 300)), Some((0, 100))])
    {
        fate.octets = octets;
    }
    // Another sender: in another order, in smaller segments, and once more often.
    let sends = [
        (0, syn),
        (100, segment(1200)),
        (200, segment(1100)),
        (300, segment(1000)),
        (400, segment(1000)),
        (500, segment(1000)),
    ];
    let story = play(&playing(replay), 1, &down(&sends), ms(9000));
    let chosen = Err((ms(400), DropCause::Chosen));
    assert_eq!(
        story.ends(),
        [Ok(ms(90)), Ok(ms(350)), Ok(ms(450)), chosen, Ok(ms(550)), Ok(ms(590))]
    );
}

#[test]
fn by_octets_a_sender_that_divides_them_anew_meets_what_it_met() {
    // The second packet carries what the first one did and more; the third carries that again.
    let sends: Vec<_> = [
        (
            0,
            Probe {
                tcp: Some(TcpView {
                    seq: 100,
                    payload_len: 100,
                    syn: false,
                }),
                ..probe(100)
            },
        ),
        (
            300,
            Probe {
                tcp: Some(TcpView {
                    seq: 0,
                    payload_len: 200,
                    syn: false,
                }),
                ..probe(200)
            },
        ),
        (
            900,
            Probe {
                tcp: Some(TcpView {
                    seq: 100,
                    payload_len: 100,
                    syn: false,
                }),
                ..probe(100)
            },
        ),
    ]
    .into_iter()
    .map(|(at, packet)| (ms(at), Direction::Down, packet))
    .collect();
    let mut model = link();
    model.script = vec![on(Selector::Packet(2), None, Action::Drop)];
    let before = play(&model, 1, &sends, ms(9000));
    let octets = [(100, 200), (0, 200), (100, 200)].map(Some);
    let replay = ReplayModel::carrying(ReplayBy::Octets, before.fates.iter().copied().zip(octets));
    let after = play(&playing(replay), 1, &sends, ms(9000));
    assert_eq!(before.fates.len(), 3);
    assert_eq!(after.fates, before.fates);
}

/// How far packets that are sent down at these instants, of these sizes, are those of [`recorded`].
fn beside(by: ReplayBy, sends: &[(u64, u64)]) -> ReplayedWay {
    let mut link = Link::new(&playing(ReplayModel::of(by, recorded())), Seed::new(1));
    for &(at, size) in sends {
        link.send(ms(at), Direction::Down, probe(size), &mut ());
    }
    let Replayed { down, up } = link.replayed().expect("it replays a recording");
    assert_eq!(up, ReplayedWay::default());
    down
}

#[test]
fn where_packets_leave_the_recording_is_counted() {
    let alike = [(0, 100), (0, 100), (0, 100), (1000, 100)];
    let all = ReplayedWay {
        packets: 4,
        ..ReplayedWay::default()
    };
    assert_eq!(beside(ReplayBy::Packet, &alike), all);
    assert_eq!(beside(ReplayBy::Time, &alike), all);
    // A fifth one, and a sixth; the second is shorter than it was.
    let other = [(0, 100), (0, 99), (0, 100), (1000, 100), (1100, 100), (1200, 100)];
    let left = ReplayedWay {
        packets: 6,
        unrecorded: 2,
        unrecorded_from_ns: Some(ms(1100)),
        resized: 1,
    };
    assert_eq!(beside(ReplayBy::Packet, &other), left);
    // By time these two come after the last one.
    assert_eq!(beside(ReplayBy::Time, &other), left);
    let plain = Link::<Probe>::new(&link(), Seed::new(1));
    assert_eq!(plain.replayed(), None);
}

#[test]
fn what_cannot_be_marked_is_lost_instead() {
    let mut fates = recorded();
    for fate in &mut fates {
        fate.marked = true;
    }
    let model = playing(ReplayModel::of(ReplayBy::Packet, fates));
    let capable = Probe {
        ecn: Ecn::Ect0,
        ..probe(100)
    };
    let sends = [
        (ms(0), Direction::Down, capable),
        (ms(0), Direction::Down, probe(100)),
        (ms(0), Direction::Down, probe(100)),
    ];
    let story = play(&model, 1, &sends, ms(9000));
    assert!(story.fate(0).marked);
    assert_eq!(story.deliveries[0].packet.ecn, Ecn::Ce);
    assert_eq!(story.lost_by(DropCause::QueueEarly), [1, 2]);
    assert_eq!(story.fate(2).outcome.at(), ms(200));
    assert_eq!(story.fate(2).held, Span::ZERO);
}
