//! What is told of the retransmission timer, each by a short script.

use crate::scene::Scene;
use windlull_analysis::{Analyzer, Metrics, together};
use windlull_units::{Host, Span};
use windlull_wire::{Phase, SenderEvent, SenderState, TransmitCause};

fn scene() -> Scene<Analyzer> {
    let mut scene = Scene::new(Analyzer::new(Host::Server));
    scene.handshake();
    scene
}

/// The sender tells its timer: estimated, bounded below and in force, in milliseconds.
fn say(scene: &mut Scene<Analyzer>, estimated: u64, minimum: u64, rto: u64) {
    scene.say(&SenderEvent::State(SenderState {
        cwnd_bytes: 400,
        ssthresh_bytes: None,
        flight_bytes: 300,
        srtt: Some(Span::from_ms(estimated / 2)),
        rttvar: None,
        rto: Span::from_ms(rto),
        estimated_rto: Some(Span::from_ms(estimated)),
        minimum_rto: Some(Span::from_ms(minimum)),
        backoff: 0,
        phase: Phase::SlowStart,
    }));
}

fn measure(scene: &mut Scene<Analyzer>) {
    scene.say(&SenderEvent::RttSample {
        rtt: Span::from_ms(100),
    });
}

/// A segment is late: its timer fires at 1,100 ms, and the segment arrives at 2,000 ms.
fn spurious(scene: &mut Scene<Analyzer>) {
    let original = scene.at(100).data(0);
    say(scene, 40, 1000, 1000);
    scene.at(1100).timeout(0, 1);
    let again = scene.data_for(0, TransmitCause::Timeout);
    say(scene, 40, 1000, 2000);
    scene.at(2000).deliver(original);
    let ack = scene.ack(1, &[]);
    scene.at(2010).deliver(again);
    scene.at(2050).deliver(ack);
}

fn metrics(mut scene: Scene<Analyzer>) -> Metrics {
    scene.observer.finish().metrics
}

fn assert_near(found: Option<f64>, wanted: f64) {
    assert!(
        found.is_some_and(|it| (it - wanted).abs() < 1e-9),
        "{found:?}, not {wanted}"
    );
}

#[test]
fn the_minimums_cost_is_a_mean_over_time() {
    let mut scene = scene();
    scene.at(100);
    say(&mut scene, 50, 1000, 1000);
    scene.at(200);
    say(&mut scene, 100, 1000, 1000);
    let id = scene.at(500).data(0);
    scene.deliver(id);
    let metrics = metrics(scene);
    // 50 ms for 0.1 s and 100 ms for 0.3 s, against a second.
    assert_near(metrics.estimated_rto_s, 0.0875);
    assert_near(metrics.minimum_rto_cost, 12.5);
}

#[test]
fn a_timer_above_its_minimum_costs_less_than_one() {
    let mut scene = scene();
    scene.at(100);
    say(&mut scene, 1500, 1000, 1500);
    let id = scene.at(400).data(0);
    scene.deliver(id);
    assert_near(metrics(scene).minimum_rto_cost, 2.0 / 3.0);
}

#[test]
fn after_a_spurious_timeout_the_timer_is_followed_until_it_settles() {
    let mut scene = scene();
    spurious(&mut scene);
    // Nothing counts before a round trip is measured.
    say(&mut scene, 40, 1000, 9000);
    measure(&mut scene);
    for (at, rto) in [(2100, 3000), (3000, 6000), (5000, 4000), (9000, 2000), (14_000, 2100)] {
        scene.at(at);
        say(&mut scene, rto, 1000, rto);
    }
    let id = scene.at(20_000).data(1);
    scene.deliver(id);
    let metrics = metrics(scene);
    assert_eq!(metrics.spurious_timeouts, Some(1));
    assert_near(metrics.rto_at_spurious_s, 1.0);
    assert_near(metrics.rto_after_spurious_s, 3.0);
    assert_near(metrics.rto_peak_after_spurious_s, 6.0);
    // 3 s for 0.9 s, 6 s for 2 s, 4 s for 4 s, 2 s for 5 s and 2.1 s for 6 s, to the end of the run.
    assert_near(
        metrics.rto_mean_after_spurious_s,
        (2.7 + 12.0 + 16.0 + 10.0 + 12.6) / 17.9,
    );
    // It was lowest at 9 s, 7.9 s after the timeout at 1.1 s; later it rises again.
    assert_near(metrics.rto_settling_s, 7.9);
}

#[test]
fn the_timer_is_watched_for_thirty_seconds() {
    let mut scene = scene();
    spurious(&mut scene);
    measure(&mut scene);
    say(&mut scene, 3000, 1000, 3000);
    scene.at(31_101);
    say(&mut scene, 7000, 1000, 7000);
    let id = scene.at(40_000).data(1);
    scene.deliver(id);
    let metrics = metrics(scene);
    assert_near(metrics.rto_peak_after_spurious_s, 3.0);
    assert_near(metrics.rto_mean_after_spurious_s, 3.0);
}

#[test]
fn a_genuine_timeout_makes_room_for_the_first_spurious_one() {
    let mut scene = scene();
    let lost = scene.at(100).data(0);
    scene.drop(lost);
    scene.at(1100).timeout(0, 1);
    let again = scene.data_for(0, TransmitCause::Timeout);
    scene.at(1200).deliver(again);
    let ack = scene.ack(1, &[]);
    scene.at(1300).deliver(ack);
    measure(&mut scene);
    say(&mut scene, 500, 0, 500);
    let original = scene.at(1400).data(1);
    scene.at(2400).timeout(1, 2);
    let again = scene.data_for(1, TransmitCause::Timeout);
    scene.at(2500).deliver(original);
    let ack = scene.ack(2, &[]);
    scene.at(2510).deliver(again);
    scene.at(2550).deliver(ack);
    measure(&mut scene);
    say(&mut scene, 800, 0, 800);
    let metrics = metrics(scene);
    assert_eq!(
        (metrics.genuine_timeouts, metrics.spurious_timeouts),
        (Some(1), Some(1))
    );
    assert_near(metrics.rto_after_spurious_s, 0.8);
}

#[test]
fn without_a_spurious_timeout_there_is_nothing_after_it() {
    let mut scene = scene();
    let lost = scene.at(100).data(0);
    scene.drop(lost);
    scene.at(1100).timeout(0, 1);
    let again = scene.data_for(0, TransmitCause::Timeout);
    scene.at(1200).deliver(again);
    measure(&mut scene);
    say(&mut scene, 500, 0, 500);
    let metrics = metrics(scene);
    assert_eq!(metrics.genuine_timeouts, Some(1));
    assert_eq!((metrics.rto_at_spurious_s, metrics.rto_after_spurious_s), (None, None));
}

#[test]
fn what_is_outstanding_at_losses_is_told_of_the_first_and_of_all() {
    let mut scene = scene();
    scene.at(100);
    say(&mut scene, 40, 1000, 1000);
    let first = scene.data(0);
    scene.drop(first);
    scene.at(1100).timeout(0, 1);
    scene.say(&SenderEvent::State(SenderState {
        cwnd_bytes: 100,
        ssthresh_bytes: Some(200),
        flight_bytes: 100,
        srtt: None,
        rttvar: None,
        rto: Span::from_ms(2000),
        estimated_rto: None,
        minimum_rto: None,
        backoff: 1,
        phase: Phase::SlowStart,
    }));
    scene.say(&SenderEvent::FastRetransmit {
        una: 0,
        recovery_point: 100,
    });
    let metrics = metrics(scene);
    assert_near(metrics.flight_at_first_loss_bytes, 300.0);
    assert_near(metrics.flight_at_loss_bytes, 200.0);
}

#[test]
fn what_is_sent_twice_counts_twice_in_the_rate_of_sending() {
    let mut scene = scene();
    let original = scene.at(100).data(0);
    scene.drop(original);
    let again = scene.at(1100).data_for(0, TransmitCause::Timeout);
    scene.at(2000).deliver(again);
    let analysis = scene.observer.finish();
    // 200 octets in two seconds; half of them arrived.
    assert_near(analysis.metrics.sent_bps, 800.0);
    assert_near(analysis.metrics.goodput_bps, 400.0);
    let all = together(&[analysis.clone(), analysis], &[2]);
    assert_near(all.sent_bps, 1600.0);
}

#[test]
fn of_several_flows_the_mean_of_those_that_know_is_told() {
    let flow = |estimated: Option<u64>| {
        let mut scene = scene();
        scene.at(100);
        if let Some(estimated) = estimated {
            say(&mut scene, estimated, 1000, 1000);
        }
        let id = scene.at(400).data(0);
        scene.deliver(id);
        scene.observer.finish()
    };
    let all = together(&[flow(Some(100)), flow(None), flow(Some(500))], &[3]);
    assert_near(all.estimated_rto_s, 0.3);
    assert_near(all.minimum_rto_cost, 6.0);
}
