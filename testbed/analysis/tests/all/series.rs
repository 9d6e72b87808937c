//! The diagram's columns, and captures that were damaged on the way.

use crate::scene::recording::{self, Written, in_memory};
use crate::scene::{MSS, Scene};
use proptest::prelude::*;
use serde_json::Value;
use windlull_analysis::{Analyzer, Files, Recorder, Selection, SeriesBuilder, analyze};
use windlull_capture::{CaptureWriter, Observer, Provenance, Snaplen};
use windlull_units::{BitRate, Direction, DropCause, Host, LinkEvent, Seed, Span, Time};
use windlull_wire::{DetectorAnswer, LimitedBy, Phase, SenderEvent, SenderState, TransmitCause};

/// With a seed that JavaScript's numbers do not hold.
fn provenance() -> Provenance {
    Provenance {
        seed: Seed::new(u64::MAX),
        ..recording::provenance()
    }
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

fn state(cwnd_bytes: u64, phase: Phase) -> SenderEvent {
    SenderEvent::State(SenderState {
        cwnd_bytes,
        ssthresh_bytes: None,
        flight_bytes: 100,
        srtt: Some(Span::from_ms(100)),
        rttvar: None,
        rto: Span::from_ms(1000),
        estimated_rto: Some(Span::from_ms(140)),
        minimum_rto: Some(Span::from_ms(1000)),
        backoff: 0,
        phase,
    })
}

/// A connection that stands, of which a diagram is made.
fn drawn() -> Scene<Recorder<Vec<u8>>> {
    let series = SeriesBuilder::new(Host::Server, &provenance());
    let mut scene = Scene::new(Recorder::new(Analyzer::new(Host::Server), None, Some(series)));
    scene.handshake();
    scene
}

/// A hold of the link, a spurious timeout, a detector's answer and its response.
fn spurious_timeout() -> (Value, Written) {
    let capture = CaptureWriter::new(in_memory(), &provenance(), Snaplen::Full);
    let series = SeriesBuilder::new(Host::Server, &provenance());
    let mut scene = Scene::new(Recorder::new(Analyzer::new(Host::Server), Some(capture), Some(series)));
    scene.handshake();
    let (direction, name) = (Direction::Down, "sudden-delays".to_owned());
    let rate = LinkEvent::Rate {
        direction,
        rate: BitRate::from_bps(28_800),
    };
    scene.observer.link(ms(100), &rate);
    let began = LinkEvent::HoldBegan {
        direction,
        name: name.clone(),
        until: ms(2000),
    };
    scene.observer.link(ms(100), &began);
    scene.say(&state(200, Phase::SlowStart));
    scene.say(&state(300, Phase::SlowStart));
    let first = scene.data(0);
    let second = scene.data(1);
    scene.drop_by(second, DropCause::QueueOverflow);
    scene.at(1100).timeout(0, 2);
    scene.say(&state(100, Phase::Detecting));
    let again = scene.data_for(0, TransmitCause::Timeout);
    scene.observer.link(ms(1900), &LinkEvent::HoldEnded { direction, name });
    scene.at(2000).deliver(first);
    let ack = scene.ack(1, &[]);
    scene.at(2050).deliver(ack);
    scene.answer(1, Some(DetectorAnswer::Spurious));
    scene.say(&SenderEvent::Response {
        ordinal: 1,
        name: "frto-conservative".into(),
        cwnd_before: 100,
        cwnd_after: 150,
        ssthresh_after: 150,
    });
    scene.at(2100).deliver(again);
    let report = scene.ack(1, &[(0, 1)]);
    scene.at(2150).deliver(report);
    let hole = scene.data_for(1, TransmitCause::PartialAck);
    scene.at(2200).deliver(hole);
    let ack = scene.ack(2, &[]);
    scene.at(2250).deliver(ack);
    let recording = scene.observer.finish();
    let series = serde_json::to_value(recording.series.expect("asked for")).expect("JSON");
    (
        series,
        recording.capture.expect("asked for").expect("memory does not fail"),
    )
}

/// A column with the differences summed up.
fn column(series: &Value, path: &str) -> Vec<i64> {
    let differences = series.pointer(path).unwrap_or_else(|| panic!("no column {path}"));
    let differences = differences.as_array().expect("a column");
    let mut sum = 0;
    differences
        .iter()
        .map(|it| {
            sum += it.as_i64().expect("an integer");
            sum
        })
        .collect()
}

fn name(series: &Value, list: &str, number: i64) -> String {
    series["names"][list][usize::try_from(number).expect("a place")]
        .as_str()
        .expect("a name")
        .to_owned()
}

const MS: i64 = 1_000_000;

#[test]
fn what_limits_the_sender_is_in_the_series_and_in_no_line_of_events() {
    let capture = CaptureWriter::new(in_memory(), &provenance(), Snaplen::Full);
    let series = SeriesBuilder::new(Host::Server, &provenance());
    let mut scene = Scene::new(Recorder::new(Analyzer::new(Host::Server), Some(capture), Some(series)));
    scene.handshake();
    let mut say = |at, by| {
        scene.at(at).say(&SenderEvent::Limited { by });
    };
    say(100, LimitedBy::CongestionWindow);
    // Only the last of an instant holds for any time; here it is what held before.
    say(300, LimitedBy::Pacing);
    say(300, LimitedBy::CongestionWindow);
    say(400, LimitedBy::Recovery);
    say(400, LimitedBy::ReceiveWindow);
    let recording = scene.observer.finish();
    let series = serde_json::to_value(recording.series.expect("asked for")).expect("JSON");
    assert_eq!(column(&series, "/limits/t"), [100 * MS, 400 * MS]);
    let by = column(&series, "/limits/by");
    let by: Vec<String> = by.iter().map(|&by| name(&series, "limit", by)).collect();
    assert_eq!(by, ["congestion-window", "receive-window"]);
    let files = recording.capture.expect("asked for").expect("memory does not fail");
    assert_eq!(files.events, b"");
}

#[test]
fn the_series_of_a_sender_that_does_not_tell_has_no_limits() {
    let (series, _) = spurious_timeout();
    assert_eq!((series.get("limits"), series["names"].get("limit")), (None, None));
}

#[test]
fn columns_hold_what_happened() {
    let (series, _) = spurious_timeout();
    assert_eq!(series["run"]["seed"], "18446744073709551615");
    assert_eq!(series["data_sender"], "server");
    assert_eq!(column(&series, "/data/t"), [100 * MS, 100 * MS, 1100 * MS, 2150 * MS]);
    assert_eq!(column(&series, "/data/seq"), [0, 100, 0, 100]);
    assert_eq!(column(&series, "/data/len"), [100; 4]);
    assert_eq!(column(&series, "/data/arrived"), [2000 * MS, -1, 2100 * MS, 2200 * MS]);
    let verdicts: Vec<String> = column(&series, "/data/verdict")
        .iter()
        .map(|&it| name(&series, "verdict", it))
        .collect();
    assert_eq!(verdicts, ["original", "original", "unnecessary", "necessary"]);
    let causes: Vec<String> = column(&series, "/data/cause")
        .iter()
        .map(|&it| name(&series, "cause", it))
        .collect();
    assert_eq!(causes, ["new-data", "new-data", "timeout", "partial-ack"]);
    let drops = column(&series, "/data/drop");
    assert_eq!(
        (drops[0], name(&series, "drop", drops[1]).as_str()),
        (-1, "queue-overflow")
    );
    assert_eq!(name(&series, "reason", column(&series, "/data/reason")[2]), "delayed");
    // The SYN-ACK, too, is an acknowledgement: of nothing. Its window is not scaled, the others' are by four.
    assert_eq!(column(&series, "/acks/ack"), [0, 100, 100, 200]);
    assert_eq!(column(&series, "/acks/edge"), [8000, 32_100, 32_100, 32_200]);
    assert_eq!(column(&series, "/acks/dup"), [0, 0, 1, 0]);
    assert_eq!(
        (column(&series, "/sacks/left"), column(&series, "/sacks/right")),
        (vec![0], vec![100])
    );
    assert_eq!(column(&series, "/sacks/dsack"), [1]);
    assert_eq!(column(&series, "/timeouts/verdict"), [0]);
    assert_eq!(column(&series, "/timeouts/answered"), [2050 * MS]);
    assert_eq!(
        name(&series, "answer", column(&series, "/timeouts/answer")[0]),
        "spurious"
    );
    assert_eq!(name(&series, "rule", column(&series, "/detector/rule")[0]), "F-RTO 3");
    assert_eq!(series["responses"]["name"][0], "frto-conservative");
    // Of two states at one instant the last one shows.
    assert_eq!(column(&series, "/state/cwnd"), [300, 100]);
    assert_eq!(column(&series, "/state/ssthresh"), [-1, -1]);
    assert_eq!(name(&series, "phase", column(&series, "/state/phase")[1]), "detecting");
    // The hold ended before it was to.
    assert_eq!(column(&series, "/link/holds/to"), [1900 * MS]);
    assert_eq!(
        name(&series, "impairment", column(&series, "/link/holds/name")[0]),
        "sudden-delays"
    );
    assert_eq!(column(&series, "/link/rates/bps"), [28_800]);
    assert_eq!(column(&series, "/link/drops/id"), column(&series, "/data/id")[1..2]);
}

/// What older readers know keeps its number; another cause is named where it is met.
#[test]
fn a_cause_that_few_links_have_is_named_behind_the_others() {
    let drops = |by: &[DropCause]| {
        let mut scene = drawn();
        for (number, &cause) in (0..).zip(by) {
            let segment = scene.data(number);
            scene.drop_by(segment, cause);
        }
        let series = serde_json::to_value(scene.observer.finish().series.expect("asked for")).expect("JSON");
        let names = series["names"]["drop"].as_array().expect("a list").clone();
        (names, column(&series, "/link/drops/by"))
    };
    let (usual, _) = drops(&[DropCause::QueueEarly]);
    assert_eq!(usual.len(), 10);
    let (names, by) = drops(&[DropCause::Policer, DropCause::Policer, DropCause::QueueEarly]);
    assert_eq!(names[..10], usual);
    assert_eq!(names[10..], ["policer"]);
    assert_eq!(by, [10, 10, 7]);
}

/// The diagram reads the verdicts of timeouts and of fast retransmits by the same numbers.
#[test]
fn fast_retransmits_are_spurious_or_genuine_as_timeouts_are() {
    for (late, verdict) in [(true, 0), (false, 1)] {
        let mut scene = drawn();
        let originals: Vec<u64> = (0..4).map(|number| scene.data(number)).collect();
        if !late {
            scene.drop_by(originals[0], DropCause::QueueOverflow);
        }
        for (number, &original) in (1..).zip(&originals[1..]) {
            scene.later(10).deliver(original);
            let ack = scene.ack(0, &[(1, number + 1)]);
            scene.later(10).deliver(ack);
        }
        scene.say(&SenderEvent::FastRetransmit {
            una: 0,
            recovery_point: 4 * MSS,
        });
        let again = scene.data_for(0, TransmitCause::FastRetransmit);
        if late {
            scene.later(10).deliver(originals[0]);
            let ack = scene.ack(4, &[]);
            scene.later(10).deliver(ack);
        }
        scene.later(50).deliver(again);
        let series = serde_json::to_value(scene.observer.finish().series.expect("asked for")).expect("JSON");
        assert_eq!(column(&series, "/fast_retransmits/verdict"), [verdict], "late: {late}");
    }
}

#[test]
fn captures_give_the_same_columns_but_for_the_run() {
    let (live, files) = spurious_timeout();
    let (mut server, mut client) = (files.server.as_slice(), files.client.as_slice());
    let (mut fates, mut events) = (files.fates.as_slice(), files.events.as_slice());
    let read = Files {
        first: &mut server,
        second: Some(&mut client),
        fates: Some(&mut fates),
        events: Some(&mut events),
    };
    let read = analyze(read, Selection::MostData).expect("our own captures");
    let read = serde_json::to_value(&read.series).expect("JSON");
    assert_eq!(read["run"], Value::Null);
    for lane in [
        "acks",
        "sacks",
        "timeouts",
        "detector",
        "responses",
        "state",
        "fast_retransmits",
    ] {
        assert_eq!(read[lane], live[lane], "{lane}");
    }
    for column in ["t", "seq", "len", "verdict", "reason", "arrived", "drop"] {
        assert_eq!(read["data"][column], live["data"][column], "{column}");
    }
    for lane in ["holds", "rates", "drops"] {
        assert_eq!(read["link"][lane], live["link"][lane], "{lane}");
    }
    assert_eq!(MSS, 100);
}

proptest! {
    #[test]
    fn damaged_captures_are_analysed_or_refused(
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        cut in proptest::option::of(any::<prop::sample::Index>()), both: bool,
    ) {
        let (_, files) = spurious_timeout();
        let mut server = files.server;
        for (place, octet) in damage {
            let place = place.index(server.len());
            server[place] = octet;
        }
        if let Some(cut) = cut {
            server.truncate(cut.index(server.len()));
        }
        let (mut first, mut second) = (server.as_slice(), files.client.as_slice());
        let second = if both { Some(&mut second as &mut dyn std::io::Read) } else { None };
        let _ = analyze(Files { first: &mut first, second, fates: None, events: None }, Selection::MostData);
    }
}

#[test]
fn marks_waits_and_early_drops_are_told() {
    let mut scene = drawn();
    let first = scene.at(100).data(0);
    let second = scene.data(1);
    let third = scene.data(2);
    scene.at(150).mark(first, Span::from_ms(10));
    scene.at(180).drop_from_the_head(second);
    scene.at(200).deliver(third);
    let recording = scene.observer.finish();
    let metrics = &recording.analysis.metrics;
    assert_eq!((metrics.packets_lost, metrics.congestion_losses), (Some(1), Some(1)));
    assert_eq!(metrics.packets_marked, Some(1));
    // Two packets of the handshake, the first and the third segment left the queue; one had waited 50 ms.
    let mean = metrics.queue_delay_s.expect("packets left the queue");
    assert!((mean - 0.05 / 4.0).abs() < 1e-12, "{mean}");
    let series = serde_json::to_value(recording.series.expect("asked for")).expect("JSON");
    assert_eq!(column(&series, "/link/marks/t"), [150 * MS]);
    assert_eq!(column(&series, "/link/marks/direction"), [0]);
    assert_eq!(
        column(&series, "/link/marks/id"),
        [i64::try_from(first).expect("small")]
    );
    let by = column(&series, "/link/drops/by")[0];
    assert_eq!(name(&series, "drop", by), "queue-early");
    // What was dropped as it was to leave had waited like the others.
    assert_eq!(column(&series, "/link/queue/down/t"), [100 * MS, 150 * MS, 180 * MS]);
    assert_eq!(column(&series, "/link/queue/down/packets"), [2, 1, 0]);
}
