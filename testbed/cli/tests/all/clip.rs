//! `clip` as a process: another reader finds the same packets in the part.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::engine;

/// What tshark tells of every packet of the part.
fn frames(file: &Path) -> Vec<String> {
    let fields = [
        "frame.time_epoch",
        "frame.len",
        "frame.cap_len",
        "frame.comment",
        "ip.id",
        "tcp.seq_raw",
        "tcp.ack_raw",
    ];
    let output = Command::new("tshark")
        .arg("-r")
        .arg(file)
        .args(["-T", "fields"])
        .args(fields.iter().flat_map(|field| ["-e", field]))
        .output()
        .expect("tshark can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout)
        .expect("text")
        .lines()
        .map(str::to_owned)
        .collect()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in plain letters")
}

#[test]
fn another_reader_finds_the_packets_of_the_episode() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let out = place.path().join("out");
    let ran = engine(&["run", "papers/sarolahti2003/figure-1", "--out", text(&out)]);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let capture: PathBuf = out.join("runs/sack/001/server.pcapng");
    let (from, to) = (15_378_889_004_u64, 20_391_111_237_u64);
    let clipped = engine(&[
        "clip",
        text(&capture),
        "--from",
        &from.to_string(),
        "--to",
        &to.to_string(),
    ]);
    assert!(clipped.status.success(), "{}", String::from_utf8_lossy(&clipped.stderr));
    let part = place.path().join("part.pcapng");
    std::fs::write(&part, &clipped.stdout).expect("it can be written");
    // Captures begin on 2 January 1970.
    let within = |frame: &&String| {
        let (secs, ns) = frame
            .split('\t')
            .next()
            .and_then(|at| at.split_once('.'))
            .expect("a stamp");
        let at = (secs.parse::<u64>().expect("seconds") - 86_400) * 1_000_000_000 + ns.parse::<u64>().expect("ns");
        (from..=to).contains(&at)
    };
    let all = frames(&capture);
    let expected: Vec<&String> = all.iter().filter(within).collect();
    let found = frames(&part);
    assert!(expected.len() > 10 && expected.len() < all.len());
    assert_eq!(found.iter().collect::<Vec<_>>(), expected);
    assert!(found.iter().any(|frame| frame.contains("windlull: retransmission")));
}

#[test]
fn bad_input_is_refused_with_what_would_be_right() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let no_capture = place.path().join("x.pcapng");
    std::fs::write(&no_capture, "title = 1").expect("it can be written");
    for (arguments, complaint) in [
        (vec!["clip", text(&no_capture)], "not a pcap or pcapng file"),
        (
            vec!["clip", text(place.path())],
            "a directory; give a pcap or pcapng file",
        ),
        (vec!["clip", "nowhere.pcapng"], "nowhere.pcapng: No such file"),
        (
            vec!["clip", text(&no_capture), "--from", "5", "--to", "4"],
            "--from 5 is after --to 4",
        ),
    ] {
        let refused = engine(&arguments);
        let said = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains(complaint), "{said}");
        assert!(refused.stdout.is_empty());
    }
}
