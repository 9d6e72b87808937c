//! Scripts that wait for a transport: in events and fates as any entry, the same each time, and refused where nobody could tell
//! the link.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use windlull_capture::{Event, read_events};
use windlull_units::{Direction, LinkEvent};

use crate::support::engine;

/// An experiment of variants on a link that holds acknowledgements for half a second when its script begins `at`.
fn experiment(at: &str, variant: &str) -> (TempDir, PathBuf) {
    let place = tempfile::tempdir().expect("a directory can be made");
    let link = format!(
        "title = \"l\"\n[both]\nrate = \"1 Mbit/s\"\ndelay = \"20 ms\"\n\
         queue = {{ kind = \"droptail\", limit = \"50 packets\" }}\n\
         [[script]]\non = \"up\"\nat = \"{at}\"\nfor = \"500 ms\"\ndo = \"hold\"\n"
    );
    fs::write(place.path().join("link.toml"), link).expect("a file can be written");
    let path = place.path().join("x.toml");
    let text =
        format!("title = \"x\"\nlink = \"link.toml\"\nvariants = [\"{variant}\"]\nworkload = \"bulk-100-kib-down\"\n");
    fs::write(&path, text).expect("a file can be written");
    (place, path)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of the test is UTF-8")
}

/// What standard error says of an experiment that this testbed does not carry.
fn refusal(experiment: &Path, arguments: &[&str]) -> String {
    let output = engine(&[&["plan", text(experiment)][..], arguments].concat());
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{complaint}");
    complaint
}

fn is_planned(experiment: &Path, arguments: &[&str]) {
    let output = engine(&[&["plan", text(experiment)][..], arguments].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_triggered_entry_is_in_the_events_and_the_same_each_time() {
    for at in ["after byte 50000", "when the window first exceeds 10 segments"] {
        let (place, path) = experiment(at, "sack");
        let [first, again] = ["first", "again"].map(|name| {
            let out = place.path().join(name);
            let output = engine(&["run", text(&path), "--out", text(&out)]);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            out.join("runs/sack/001")
        });
        let events = fs::read(first.join("events.jsonl")).expect("it was written");
        let events: Vec<_> = read_events(events.as_slice())
            .map(|event| event.expect("an event"))
            .collect();
        let holds: Vec<_> = (events.iter())
            .filter_map(|(at, event)| match event {
                Event::Link(LinkEvent::HoldBegan { direction, name, until }) => {
                    Some((*direction, name.as_str(), until.since(*at).as_ns()))
                }
                _ => None,
            })
            .collect();
        assert_eq!(holds, [(Direction::Up, "script 1", 500_000_000)], "{at}");
        for name in [
            "server.pcapng",
            "client.pcapng",
            "fates.csv",
            "events.jsonl",
            "run.json",
        ] {
            let read = |run: &Path| fs::read(run.join(name)).expect("it was written");
            assert_eq!(read(&first), read(&again), "{at}: {name}");
        }
    }
}

#[test]
fn an_entry_whose_condition_is_never_met_is_told_with_it() {
    for (at, never) in [
        ("when the window first exceeds 900 segments", true),
        ("retransmission 900", true),
        ("after byte 50000", false),
    ] {
        let (place, path) = experiment(at, "sack");
        let out = place.path().join("out");
        let output = engine(&["run", text(&path), "--no-pcap", "--out", text(&out)]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let record = fs::read(out.join("runs/sack/001/run.json")).expect("it was written");
        let record: serde_json::Value = serde_json::from_slice(&record).expect("JSON");
        let unmet = serde_json::json!([{"entry": 1, "condition": at}]);
        assert_eq!(record.get("unmet"), never.then_some(&unmet), "{at}");
        assert_eq!(record["metrics"]["unmet_entries"], u64::from(never), "{at}");
    }
}

#[test]
fn what_a_sender_alone_tells_is_simulated_or_asked_of_linux() {
    let (_place, ours) = experiment("on entering recovery", "sack");
    is_planned(&ours, &[]);
    for testbed in ["netns", "kernel"] {
        let complaint = refusal(&ours, &["--testbed", testbed]);
        for part in [
            "script entry 1 begins `on entering recovery`",
            "\"sack\"",
            "--testbed sim",
        ] {
            assert!(complaint.contains(part), "{complaint}");
        }
    }
    let (_place, linux) = experiment("on entering recovery", "linux");
    for testbed in ["netns", "kernel"] {
        is_planned(&linux, &["--testbed", testbed, "--plane", "model"]);
        let complaint = refusal(&linux, &["--testbed", testbed, "--plane", "netem"]);
        assert!(complaint.contains("told of no sender's state"), "{complaint}");
    }
    let complaint = refusal(&linux, &["--testbed", "compose"]);
    assert!(
        complaint.contains("between containers") && complaint.contains("--testbed kernel"),
        "{complaint}"
    );
}

#[test]
fn what_packets_tell_is_played_on_the_model_plane_alone() {
    let (_place, path) = experiment("retransmission 3", "sack");
    is_planned(&path, &["--testbed", "netns", "--plane", "model"]);
    let complaint = refusal(&path, &["--testbed", "netns", "--plane", "netem"]);
    assert!(complaint.contains("nftables does not follow"), "{complaint}");
    assert!(complaint.contains("--plane model"), "{complaint}");
}

#[test]
fn stacks_that_do_not_tell_are_refused_by_name() {
    let variant = "title = \"x\"\nstack = \"transport\"\n[transport]\ncommand = [\"true\"]\n";
    for (at, carries, why) in [
        ("retransmission 3", "datagrams", "sends datagrams"),
        ("on entering recovery", "datagrams", "whose state the link is not told"),
        ("on entering recovery", "packets", "whose state the link is not told"),
    ] {
        let (place, path) = experiment(at, "mine.toml");
        let mine = format!("{variant}carries = \"{carries}\"\n");
        fs::write(place.path().join("mine.toml"), mine).expect("a file can be written");
        let complaint = refusal(&path, &[]);
        assert!(complaint.contains("\"mine\"") && complaint.contains(why), "{complaint}");
    }
}
