//! Our captures before the tools that people read them with: tshark finds nothing wrong and shows the comments,
//! tcptrace counts the retransmissions that we count.
//!
//! Both tools are installed by the project's set-up (`make test`).

use std::path::Path;
use std::process::Command;

use crate::scene::recording::{Written, finished, recorder};
use crate::scene::{MSS, Scene};
use windlull_analysis::{CaptureAnalysis, Files, Recorder, RunAnalysis, Selection, analyze};
use windlull_capture::Snaplen;
use windlull_units::{DropCause, Host, Span};
use windlull_wire::{Flags, Segment, SenderEvent, SeqNumber, TransmitCause};

type Run = (RunAnalysis, Written);

/// A run with all that a capture can hold: numbers that wrap, timestamps, SACK, D-SACK, retransmissions with and
/// without need, a repeated SYN, a packet with flipped bits, a copy made by the link.
fn rich() -> Run {
    let mut scene = Scene::new(recorder(Snaplen::Full));
    scene.timestamps = true;
    let syn = Segment {
        seq: scene.isn,
        flags: Flags::SYN,
        ..Segment::default()
    };
    let lost_syn = scene.send(Host::Server, syn);
    scene.drop(lost_syn);
    scene.at(50).handshake_from(50);
    scene.say(&SenderEvent::RttSample {
        rtt: Span::from_ms(100),
    });
    scene.at(200);
    let originals: Vec<u64> = (0..12).map(|number| scene.data(number)).collect();
    scene.drop_by(originals[1], DropCause::QueueOverflow);
    scene.drop_by(originals[4], DropCause::RandomLoss);
    for number in [0, 2, 3, 5] {
        scene.later(10).deliver(originals[number]);
        let blocks: &[(u64, u64)] = match number {
            0 => &[],
            2 => &[(2, 3)],
            3 => &[(2, 4)],
            _ => &[(5, 6), (2, 4)],
        };
        let ack = scene.ack(1, blocks);
        scene.later(10).deliver(ack);
    }
    scene.say(&SenderEvent::FastRetransmit {
        una: MSS,
        recovery_point: 12 * MSS,
    });
    let hole = scene.data_for(1, TransmitCause::FastRetransmit);
    let second = scene.data_for(4, TransmitCause::SackHole);
    scene.later(10).deliver(hole);
    scene.later(10).corrupt(second);
    scene.at(1800).timeout(4, 12);
    let fourth = scene.data_for(4, TransmitCause::Timeout);
    let fifth = scene.data_for(5, TransmitCause::AfterTimeout);
    scene.at(2500).deliver(fourth);
    for &original in &originals[6..] {
        scene.later(5).deliver(original);
    }
    scene.deliver_copy(originals[11]);
    scene.later(5).deliver(fifth);
    let report = scene.ack(12, &[(5, 6)]);
    scene.later(50).deliver(report);
    scene.finish(12);
    finished(scene)
}

fn tshark(file: &Path, arguments: &[&str]) -> String {
    let output = Command::new("tshark")
        .args([
            "-n",
            "-o",
            "tcp.check_checksum:TRUE",
            "-o",
            "ip.check_checksum:TRUE",
            "-r",
        ])
        .arg(file)
        .args(arguments)
        .output()
        .expect("tshark is installed: `make test` does it");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("tshark writes UTF-8")
}

/// tcptrace's `rexmt data pkts` of both directions. It counts repeated SYN and FIN among them.
fn tcptrace(file: &Path) -> (u64, u64) {
    let output = Command::new("tcptrace")
        .args(["-n", "-l", "--checksum"])
        .arg(file)
        .output()
        .expect("tcptrace is installed: `make test` does it");
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text
        .lines()
        .find(|line| line.trim_start().starts_with("rexmt data pkts:"));
    let line = line.unwrap_or_else(|| panic!("no retransmissions in: {text}"));
    let mut numbers = line.split_whitespace().filter_map(|word| word.parse().ok());
    (numbers.next().expect("a to b"), numbers.next().expect("b to a"))
}

fn analyze_one(mut file: &[u8]) -> CaptureAnalysis {
    let files = Files {
        first: &mut file,
        second: None,
        fates: None,
        events: None,
    };
    analyze(files, Selection::MostData).expect("a capture")
}

/// A directory with the captures of a run in it.
fn on_disk(files: &Written) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(directory.path().join("server.pcapng"), &files.server).expect("written");
    std::fs::write(directory.path().join("client.pcapng"), &files.client).expect("written");
    directory
}

#[test]
fn tshark_finds_no_fault_but_the_one_that_was_made() {
    let (_, files) = rich();
    let directory = on_disk(&files);
    let wrong = "_ws.malformed || tcp.checksum.status == 0 || ip.checksum.status == 0 || _ws.expert.severity >= error";
    assert_eq!(tshark(&directory.path().join("server.pcapng"), &["-Y", wrong]), "");
    let client = directory.path().join("client.pcapng");
    let malformed = "_ws.malformed || ip.checksum.status == 0";
    assert_eq!(tshark(&client, &["-Y", malformed]), "");
    let fields = ["-Y", "tcp.checksum.status == 0", "-T", "fields", "-e", "frame.comment"];
    let corrupted = tshark(&client, &fields);
    assert_eq!(corrupted.lines().count(), 1);
    assert!(corrupted.contains("corrupted by the link"), "{corrupted}");
    // Every checksum was looked at and found right.
    let right = tshark(
        &client,
        &["-Y", "tcp.checksum.status == 1", "-T", "fields", "-e", "frame.number"],
    );
    let all = tshark(&client, &["-T", "fields", "-e", "frame.number"]);
    assert_eq!(right.lines().count() + 1, all.lines().count());
}

#[test]
fn tshark_shows_the_verdicts_and_where_the_capture_comes_from() {
    let (_, files) = rich();
    let directory = on_disk(&files);
    let server = directory.path().join("server.pcapng");
    let comments = tshark(&server, &["-Y", "frame.comment", "-T", "fields", "-e", "frame.comment"]);
    let expected = [
        "windlull: retransmission, necessary (data-lost): original lost at 0.000 s (random-loss)",
        "windlull: retransmission, necessary (data-lost): original lost at 0.200 s (queue-overflow); cause: fast-retransmit",
        "windlull: retransmission, necessary (data-lost): original lost at 0.200 s (random-loss); cause: sack-hole",
        "windlull: retransmission, necessary (data-lost): original lost at 0.200 s (random-loss); cause: timeout",
        "windlull: retransmission, unnecessary (delayed): original delivered at 0.270 s; cause: after-timeout",
    ];
    assert_eq!(comments.lines().collect::<Vec<_>>(), expected);
    let stamps = tshark(&server, &["-T", "fields", "-e", "frame.time_epoch", "-c", "2"]);
    assert_eq!(
        stamps, "86400.000000000\n86400.050000000\n",
        "the time of day is the run's time"
    );
    let output = Command::new("capinfos")
        .arg(&server)
        .output()
        .expect("capinfos comes with tshark");
    let text = String::from_utf8_lossy(&output.stdout);
    for fact in [
        "experiment: papers/sarolahti2003/table-1",
        "seed: 42",
        "commit abc",
        "Name = server",
    ] {
        assert!(text.contains(fact), "{fact} in {text}");
    }
}

#[test]
fn tcptrace_counts_as_we_do() {
    let (live, files) = rich();
    let directory = on_disk(&files);
    let (data, acks) = tcptrace(&directory.path().join("server.pcapng"));
    assert_eq!((data, acks), (live.metrics.retransmissions, 0));
    assert_eq!((live.metrics.retransmissions, live.control_retransmissions), (5, 1));
    // At the receiver's end it sees what arrived, as we do.
    let client = analyze_one(&files.client).analysis;
    let (data, _) = tcptrace(&directory.path().join("client.pcapng"));
    assert_eq!(data, client.metrics.retransmissions);
}

/// A long run by a simple rule: windows of segments, some lost, some late, each gone back to in its own way.
fn long(seed: u64) -> Run {
    let mut scene = Scene::beginning_at(recorder(Snaplen::Full), SeqNumber(u32::MAX - 20_000));
    scene.handshake();
    scene.say(&SenderEvent::RttSample {
        rtt: Span::from_ms(100),
    });
    let mut state = seed;
    let mut draw = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut una = 0;
    while una < 400 {
        let window = 1 + draw(12);
        scene.later(20);
        let ids: Vec<u64> = (una..una + window).map(|number| scene.data(number)).collect();
        let kept: Vec<bool> = ids.iter().map(|_| draw(5) > 0).collect();
        for (&id, &kept) in ids.iter().zip(&kept) {
            if !kept {
                scene.drop(id);
            }
        }
        scene.later(1000).timeout(una, una + window);
        // Segment by segment, two at a time, or an odd part of them.
        let mut offset = una * MSS;
        let end = (una + window) * MSS;
        let mut again = Vec::new();
        while offset < end {
            let len = [MSS, 2 * MSS, 1 + draw(MSS)][usize::try_from(draw(3)).expect("small")].min(end - offset);
            let segment = scene.octets(offset, len);
            again.push(scene.send_for(Host::Server, segment, Some(TransmitCause::AfterTimeout)));
            offset += len;
        }
        for (&id, &kept) in ids.iter().zip(&kept) {
            if kept {
                scene.later(1).deliver(id);
            }
        }
        for id in again {
            scene.later(1).deliver(id);
        }
        una += window;
        let ack = scene.ack(una, &[]);
        scene.later(40).deliver(ack);
    }
    scene.finish(una);
    finished(scene)
}

#[test]
fn tcptrace_counts_as_we_do_in_long_runs_with_odd_segments() {
    for seed in 1..=5 {
        let (live, files) = long(seed);
        let directory = on_disk(&files);
        let (data, acks) = tcptrace(&directory.path().join("server.pcapng"));
        assert!(live.metrics.retransmissions > 200);
        assert_eq!((data, acks), (live.metrics.retransmissions, 0), "seed {seed}");
        let read = analyze_one(&files.server).analysis;
        assert_eq!(
            read.metrics.retransmissions, live.metrics.retransmissions,
            "seed {seed}"
        );
        let wrong = "_ws.malformed || tcp.checksum.status == 0 || ip.checksum.status == 0";
        for end in ["server.pcapng", "client.pcapng"] {
            assert_eq!(
                tshark(&directory.path().join(end), &["-Y", wrong]),
                "",
                "seed {seed}, {end}"
            );
        }
    }
}

/// The receiver shuts its window with a segment lost; the sender probes, then repairs.
#[test]
fn tcptrace_counts_window_probes_as_we_do() {
    let mut scene = Scene::new(recorder(Snaplen::Full));
    scene.handshake();
    scene.say(&SenderEvent::RttSample {
        rtt: Span::from_ms(100),
    });
    scene.at(100);
    let ids: Vec<u64> = (0..3).map(|number| scene.data(number)).collect();
    scene.drop(ids[1]);
    scene.at(150).deliver(ids[0]);
    let shut = |scene: &mut Scene<Recorder<Vec<u8>>>, window| {
        let mut ack = scene.octets(MSS, 0);
        ack.ack = ack.seq;
        ack.seq = SeqNumber(901);
        ack.window = window;
        let ack = scene.send(Host::Client, ack);
        scene.later(50).deliver(ack);
    };
    shut(&mut scene, 0);
    for ms in [500, 1500] {
        let probe = scene.octets(3 * MSS, 1);
        let probe = scene
            .at(ms)
            .send_for(Host::Server, probe, Some(TransmitCause::WindowProbe));
        scene.later(50).deliver(probe);
        shut(&mut scene, 0);
    }
    shut(&mut scene, 8000);
    let again = scene.data_for(1, TransmitCause::Timeout);
    let next = scene.data(3);
    scene.later(50).deliver(again);
    scene.deliver(next);
    let ack = scene.ack(4, &[]);
    scene.later(50).deliver(ack);
    scene.finish(4);
    let (live, files) = finished(scene);
    assert_eq!((live.metrics.retransmissions, live.window_probes), (1, 2));
    let directory = on_disk(&files);
    assert_eq!(tcptrace(&directory.path().join("server.pcapng")), (1, 0));
    assert_eq!(analyze_one(&files.server).analysis.metrics.retransmissions, 1);
}
