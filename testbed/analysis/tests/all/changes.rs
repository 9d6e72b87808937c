//! Steps of the link's rate and delay: what they do to the sender begins an episode, as a pause does, and is told.

use crate::scene::Scene;
use windlull_analysis::{Analyzer, Cause, Episode};
use windlull_capture::Observer;
use windlull_units::{BitRate, Direction, Host, LinkEvent, Span, Time};
use windlull_wire::SenderEvent;

fn ms(ms: u64) -> Time {
    Time::from_ns(ms * 1_000_000)
}

/// After a handshake with round trips of 100 ms, on a link of 64 kbit/s.
fn scene() -> Scene<Analyzer> {
    let mut scene = Scene::new(Analyzer::new(Host::Server).telling_episodes());
    scene.observer.link(Time::ZERO, &rate(64_000));
    scene.handshake();
    scene.say(&SenderEvent::RttSample {
        rtt: Span::from_ms(100),
    });
    scene.at(200);
    scene
}

fn rate(bps: u64) -> LinkEvent {
    LinkEvent::Rate {
        direction: Direction::Down,
        rate: BitRate::from_bps(bps),
    }
}

fn delay(before_ms: u64, after_ms: u64) -> LinkEvent {
    LinkEvent::Delay {
        direction: Direction::Down,
        delay: Some(Span::from_ms(after_ms)),
        before: Some(Span::from_ms(before_ms)),
    }
}

/// Ten segments are outstanding when the link does this at 210 ms, and all is acknowledged in the end.
fn with_ten_outstanding(events: &[(u64, LinkEvent)]) -> Vec<Episode> {
    let mut scene = scene();
    let sent: Vec<u64> = (0..10).map(|number| scene.data(number)).collect();
    for (at, event) in events {
        scene.at(*at).observer.link(ms(*at), event);
    }
    scene.at(5_000);
    for segment in sent {
        scene.deliver(segment);
    }
    let ack = scene.ack(10, &[]);
    scene.later(50).deliver(ack);
    scene.finish(10);
    scene.observer.finish().episodes.expect("they were asked for")
}

fn sentences(episode: &Episode) -> Vec<&str> {
    episode.story.iter().map(|sentence| sentence.text.as_str()).collect()
}

#[test]
fn a_step_of_the_delay_by_more_than_a_round_trip_is_an_episode() {
    let [episode] = with_ten_outstanding(&[(210, delay(50, 400))])
        .try_into()
        .expect("one episode");
    assert_eq!((episode.cause, episode.onset_ns), ("delay", ms(210)));
    assert_eq!(
        sentences(&episode)[0],
        "The link's delay down-link went from 50 ms to 400 ms; 1000 octets were outstanding."
    );
    assert_eq!(episode.recovered_ns, Some(ms(5_050)));
    assert_eq!(episode.reaction, None);
    let Cause::Delay(change) = &episode.causes[0] else {
        panic!("{:?}", episode.causes)
    };
    assert_eq!((change.was.as_deref(), change.what.as_str()), (Some("50 ms"), "400 ms"));
    // By no more than the round trip, or back down, it is no trouble of its own.
    for harmless in [delay(50, 150), delay(400, 50)] {
        assert_eq!(with_ten_outstanding(&[(210, harmless)]), []);
    }
}

#[test]
fn a_drop_of_the_rate_that_keeps_what_is_outstanding_is_an_episode() {
    // 1000 octets take 125 ms at 64 kbit/s, and 1000 ms at 8 kbit/s.
    let [episode] = with_ten_outstanding(&[(210, rate(8_000))])
        .try_into()
        .expect("one episode");
    assert_eq!((episode.cause, episode.onset_ns), ("rate", ms(210)));
    assert_eq!(
        sentences(&episode)[0],
        "The link's rate down-link went from 64 kbit/s to 8 kbit/s; 1000 octets were outstanding."
    );
    // At 40 kbit/s they take 200 ms: 75 ms more, less than a round trip. Nor is it a trouble where nothing is outstanding.
    for harmless in [rate(40_000), rate(128_000)] {
        assert_eq!(with_ten_outstanding(&[(210, harmless)]), []);
    }
    let mut idle = scene();
    idle.at(300).observer.link(ms(300), &rate(1_000));
    assert_eq!(idle.observer.finish().episodes, Some(vec![]));
}

#[test]
fn hundreds_of_steps_are_one_sentence_and_one_cause() {
    let steps: Vec<(u64, LinkEvent)> = (0..300)
        .map(|step| (210 + step, rate(if step % 2 == 0 { 8_000 } else { 9_000 + step })))
        .collect();
    let [episode] = with_ten_outstanding(&steps).try_into().expect("one episode");
    assert_eq!(episode.causes.len(), 1, "{:?}", episode.causes);
    let story = sentences(&episode);
    assert_eq!(story.len(), 2, "{story:?}");
    assert_eq!(
        story[0],
        "The link's rate down-link changed 300 times within 0.299 s, from 64 kbit/s to 9.299 kbit/s at last; 1000 octets \
         were outstanding."
    );
    assert_eq!(episode.untold, 0);
}
