//! How many segments a sender sends at once, counted by hand.

use crate::scene::Scene;
use crate::scene::recording::{finished, recorder};
use windlull_analysis::{Analyzer, Files, Selection, analyze, together};
use windlull_capture::{Observer, Snaplen};
use windlull_units::Host;
use windlull_wire::TransmitCause;

fn scene() -> Scene<Analyzer> {
    let mut scene = Scene::new(Analyzer::new(Host::Server));
    scene.handshake().at(100);
    scene
}

/// The server sends so many segments now, from this number on.
fn send<O: Observer>(scene: &mut Scene<O>, first: u64, count: u64) {
    for number in first..first + count {
        let _ = scene.data(number);
    }
}

/// An acknowledgement of the first so many segments arrives now.
fn acknowledge<O: Observer>(scene: &mut Scene<O>, segments: u64) {
    let ack = scene.ack(segments, &[]);
    scene.deliver(ack);
}

fn longest(mut scene: Scene<Analyzer>) -> Option<u64> {
    scene.observer.finish().metrics.longest_burst
}

#[test]
fn what_one_acknowledgement_releases_is_a_burst() {
    let mut scene = scene();
    // The initial window: two.
    send(&mut scene, 0, 2);
    // Slow start with a delayed acknowledgement: two, and one more for the acknowledgement.
    scene.at(200);
    acknowledge(&mut scene, 2);
    send(&mut scene, 2, 3);
    scene.at(300);
    acknowledge(&mut scene, 5);
    send(&mut scene, 5, 2);
    assert_eq!(longest(scene), Some(3));
}

#[test]
fn acknowledgements_that_arrive_together_release_a_burst_each() {
    let mut scene = scene();
    send(&mut scene, 0, 4);
    scene.at(200);
    // Ten segments at the same instant, in bursts of five.
    acknowledge(&mut scene, 2);
    send(&mut scene, 4, 5);
    acknowledge(&mut scene, 4);
    send(&mut scene, 9, 5);
    assert_eq!(longest(scene), Some(5));
}

#[test]
fn segments_apart_in_time_are_no_burst() {
    let mut scene = scene();
    for number in 0..8 {
        let _ = scene.later(1).data(number);
    }
    assert_eq!(longest(scene), Some(1));
}

#[test]
fn retransmissions_count_and_segments_without_data_do_not() {
    let mut scene = scene();
    send(&mut scene, 0, 4);
    scene.at(1200).timeout(0, 4);
    let _ = scene.data_for(0, TransmitCause::Timeout);
    // What was late is acknowledged: three segments go out again, and two new ones.
    scene.at(1300);
    acknowledge(&mut scene, 1);
    for number in 1..4 {
        let _ = scene.data_for(number, TransmitCause::Timeout);
    }
    send(&mut scene, 4, 2);
    assert_eq!(longest(scene), Some(5));

    let mut nothing = Scene::new(Analyzer::new(Host::Server));
    nothing.handshake();
    assert_eq!(longest(nothing), Some(0));
}

#[test]
fn the_sender_s_capture_tells_it_and_the_receiver_s_does_not() {
    let mut scene = Scene::new(recorder(Snaplen::Full));
    scene.handshake().at(100);
    let sent: Vec<u64> = (0..3).map(|number| scene.data(number)).collect();
    scene.at(150);
    for id in sent {
        scene.deliver(id);
    }
    acknowledge(&mut scene, 3);
    scene.finish(3);
    let (analysis, files) = finished(scene);
    assert_eq!(analysis.metrics.longest_burst, Some(3));
    let of = |mut first: &[u8]| {
        let files = Files {
            first: &mut first,
            second: None,
            fates: None,
            events: None,
        };
        analyze(files, Selection::MostData)
            .expect("ours")
            .analysis
            .metrics
            .longest_burst
    };
    assert_eq!(of(&files.server), Some(3));
    assert_eq!(of(&files.client), None);
}

#[test]
fn of_several_flows_the_longest_is_told() {
    let flow = |segments| {
        let mut scene = scene();
        send(&mut scene, 0, segments);
        scene.observer.finish()
    };
    let all = together(&[flow(2), flow(4), flow(3)], &[3]);
    assert_eq!(all.longest_burst, Some(4));
}
