//! Trains after idle times: light traffic is served by them, heavy traffic by the rate.

use crate::support::{delivered, hundreds, hundreds_through, link, ms, play, probe};
use windlull_link::model::{LightModel, LinkModel, Train};
use windlull_units::{Direction, Span, Time};

/// After 200 ms without a packet, three opportunities at 0, 30 and 60 ms.
fn light() -> LinkModel {
    let mut model = link();
    model.down.light = Some(LightModel {
        idle_after: Span::from_ms(200),
        trains: [Train {
            at: Time::ZERO,
            opportunities: [0, 30, 60].map(Span::from_ms).to_vec(),
        }]
        .into(),
        period: None,
    });
    model
}

#[test]
fn a_lone_packet_after_an_idle_time_is_served_by_the_train() {
    // The rate takes 100 ms for each, the train nothing for the first.
    let story = hundreds_through(&light(), &[0, 1_000, 2_000]);
    assert_eq!(story.ends(), delivered([50, 1_050, 2_050]));
}

#[test]
fn a_bulk_flow_is_served_by_the_rate_but_for_its_first_packets() {
    let model = light();
    let bulk: Vec<_> = (0..100).map(|_| (ms(0), Direction::Down, probe(1_000))).collect();
    let story = play(&model, 1, &bulk, ms(200_000));
    let rest = play(&link(), 1, &bulk, ms(200_000));
    // 4512 octets of opportunities: the first packet at 0, the next ones at 30, 30 and 60 ms. Then each takes a second.
    assert_eq!(story.ends()[..4], delivered([50, 80, 80, 110])[..]);
    assert_eq!(story.ends()[4], Ok(ms(60 + 1_000 + 50)));
    let from_fifth = |ends: &[_]| {
        ends[5..]
            .iter()
            .zip(&ends[4..])
            .map(|(later, sooner): (&Result<Time, _>, &Result<Time, _>)| {
                later
                    .as_ref()
                    .ok()
                    .zip(sooner.as_ref().ok())
                    .map(|(later, sooner)| later.since(*sooner))
            })
            .collect::<Vec<Option<Span>>>()
    };
    assert_eq!(from_fifth(&story.ends()), from_fifth(&rest.ends()));
}

#[test]
fn a_train_begins_only_after_the_idle_time() {
    // The train's last opportunity is at 60 ms; the fourth packet takes 100 ms from 100 ms on.
    let story = hundreds_through(&light(), &[0, 25, 60, 100, 400, 601]);
    assert_eq!(story.fate(3).sent, Some(ms(200)));
    // 200 ms are not more than 200 ms.
    assert_eq!(story.fate(4).sent, Some(ms(500)));
    assert_eq!(story.fate(5).sent, Some(ms(701)));
    let later = hundreds_through(&light(), &[0, 25, 60, 100, 401]);
    assert_eq!(later.fate(4).sent, Some(ms(401)));
}

#[test]
fn the_switch_is_the_same_for_every_seed_and_every_wake() {
    let sends = hundreds(&[0, 25, 60, 100, 400, 601, 1_000]);
    let first = play(&light(), 1, &sends, ms(10_000));
    for seed in 2..10 {
        assert_eq!(first, play(&light(), seed, &sends, ms(10_000)));
    }
}
