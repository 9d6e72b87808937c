//! What held the sender, as shares of the time, each by a short script.

use crate::scene::Scene;
use windlull_analysis::{Analyzer, Metrics, REMARKS, is_metric, together};
use windlull_units::{Host, Span};
use windlull_wire::{LimitedBy, SenderEvent};

fn scene() -> Scene<Analyzer> {
    let mut scene = Scene::new(Analyzer::new(Host::Server));
    scene.handshake();
    scene
}

fn limited(scene: &mut Scene<Analyzer>, at: u64, by: LimitedBy) {
    scene.at(at).say(&SenderEvent::Limited { by });
}

fn metrics(mut scene: Scene<Analyzer>) -> Metrics {
    scene.observer.finish().metrics
}

fn shares(metrics: &Metrics) -> [Option<f64>; 6] {
    [
        metrics.limited_by_congestion_window,
        metrics.limited_by_receive_window,
        metrics.limited_by_send_buffer,
        metrics.limited_by_application,
        metrics.limited_by_pacing,
        metrics.limited_by_recovery,
    ]
}

/// The window of the congestion for 0.2 s, that of the peer for 0.4 s, recovery for 0.3 s, nothing to send for 0.1 s.
fn told() -> Scene<Analyzer> {
    let mut scene = scene();
    limited(&mut scene, 100, LimitedBy::CongestionWindow);
    limited(&mut scene, 300, LimitedBy::ReceiveWindow);
    limited(&mut scene, 700, LimitedBy::Recovery);
    // Only what holds for a time counts.
    limited(&mut scene, 1000, LimitedBy::Pacing);
    limited(&mut scene, 1000, LimitedBy::Application);
    let id = scene.at(1100).data(0);
    scene.deliver(id);
    scene
}

#[test]
fn shares_are_of_the_time_from_the_first_data() {
    let shares = shares(&metrics(told()));
    assert_eq!(shares, [Some(0.2), Some(0.4), None, Some(0.1), Some(0.0), Some(0.3)]);
}

#[test]
fn of_a_sender_that_does_not_tell_none_is_known() {
    let mut scene = scene();
    let id = scene.at(100).data(0);
    scene.deliver(id);
    assert_eq!(shares(&metrics(scene)), [None; 6]);
}

#[test]
fn a_kernel_tells_two_of_them() {
    let mut scene = scene();
    let count = |busy, receive_window, send_buffer| SenderEvent::LimitedFor {
        busy: Span::from_ms(busy),
        receive_window: Span::from_ms(receive_window),
        send_buffer: Span::from_ms(send_buffer),
    };
    scene.at(100).say(&count(10, 0, 0));
    scene.at(1000).say(&count(800, 500, 250));
    let id = scene.at(1100).data(0);
    scene.deliver(id);
    let shares = shares(&metrics(scene));
    assert_eq!(shares, [None, Some(0.5), Some(0.25), None, None, None]);
}

#[test]
fn several_flows_have_the_mean() {
    let mut other = scene();
    limited(&mut other, 100, LimitedBy::ReceiveWindow);
    let id = other.at(1100).data(0);
    other.deliver(id);
    let flows = [told().observer.finish(), other.observer.finish()];
    let mean = together(&flows, &[2]).limited_by_receive_window;
    assert_eq!(mean, Some(0.7));
}

#[test]
fn remarks_are_on_metrics() {
    for remark in REMARKS {
        assert!(is_metric(remark.metric), "{}", remark.metric);
        let mut named = remark.words.split('{').skip(1).map(|rest| rest.split('}').next());
        let is_known = |name: Option<&str>| name.is_some_and(|name| name == "percent" || is_metric(name));
        assert!(named.all(is_known), "{}", remark.words);
        assert!(remark.words.contains('{'), "{}", remark.words);
    }
}
