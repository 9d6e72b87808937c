//! `network = "ipv6"` of an experiment: its captures, its runs' keys, and where it is refused.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;
use windlull_capture::{address_in, read_pcap};
use windlull_fates::read_fates;
use windlull_units::{Bytes, Direction, Host, Network};
use windlull_wire::packet::{Checksum, LinkType, decode};

use crate::support::engine;

/// An experiment with these lines in a directory of its own.
fn experiment(lines: &str) -> (TempDir, PathBuf) {
    let place = tempfile::tempdir().expect("a directory can be made");
    let path = place.path().join("x.toml");
    let text = format!(
        "title = \"x\"\nlink = \"gprs\"\nvariants = [\"sack\"]\nworkload = \"bulk-20-kib-down\"\n{lines}\n\
         [capture]\nsnaplen = \"full\"\n"
    );
    fs::write(&path, text).expect("a file can be written");
    (place, path)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of the test is UTF-8")
}

fn plan(experiment: &Path) -> Value {
    let output = engine(&["plan", text(experiment)]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("the answer is JSON")
}

#[test]
fn a_run_over_ipv6_has_packets_of_ipv6_in_captures_and_fates() {
    let (place, path) = experiment("network = \"ipv6\"");
    let out = place.path().join("out");
    let output = engine(&["run", text(&path), "--out", text(&out)]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let run = out.join("runs/sack/001");
    let mut largest = 0;
    for name in ["server.pcapng", "client.pcapng"] {
        let file = fs::read(run.join(name)).expect("it was written");
        let mut reader = read_pcap(file.as_slice()).expect("ours");
        while let Some(packet) = reader.next_packet().expect("ours") {
            let decoded = decode(LinkType::Ethernet, packet.octets, packet.octets.len()).expect("TCP");
            assert_eq!(decoded.checksum, Checksum::Right);
            let from = if decoded.source.port() == address_in(Network::Ipv6, Host::Server).port() {
                Host::Server
            } else {
                Host::Client
            };
            assert_eq!(decoded.source, address_in(Network::Ipv6, from));
            assert_eq!(decoded.destination, address_in(Network::Ipv6, from.peer()));
            largest = largest.max(packet.original_len);
        }
    }
    // What 1,500 octets have room for, and Ethernet.
    assert_eq!(largest, 14 + 1_500);
    let fates = fs::read(run.join("fates.csv")).expect("it was written");
    let fates: Vec<_> = read_fates(fates.as_slice()).collect::<Result<_, _>>().expect("ours");
    let sizes = |direction: Direction| {
        fates
            .iter()
            .filter(move |fate| fate.direction == direction)
            .map(|fate| fate.size)
    };
    assert_eq!(sizes(Direction::Down).max(), Some(Bytes::new(1_500)));
    assert!(sizes(Direction::Up).min() >= Some(Bytes::new(60)));
    let again = place.path().join("again");
    let output = engine(&["run", text(&path), "--out", text(&again)]);
    assert!(output.status.success());
    for name in [
        "server.pcapng",
        "client.pcapng",
        "fates.csv",
        "events.jsonl",
        "run.json",
    ] {
        let read = |out: &Path| fs::read(out.join("runs/sack/001").join(name)).expect("it was written");
        assert_eq!(read(&out), read(&again), "{name}");
    }
}

#[test]
fn captures_of_ipv6_alone_have_the_verdicts_of_the_run() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let path = place.path().join("x.toml");
    let lines = "title = \"x\"\nlinks = [\"gprs-one-pause\", \"sarolahti2003-losses-2pct\"]\nvariants = [\"frto+sack\"]\n\
                 workload = \"bulk-100-kib-down\"\nnetwork = \"ipv6\"\nseed = 7\n";
    fs::write(&path, lines).expect("a file can be written");
    let out = place.path().join("out");
    let output = engine(&["run", text(&path), "--out", text(&out)]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut verdicts = BTreeSet::new();
    for link in ["gprs-one-pause", "sarolahti2003-losses-2pct"] {
        let run = out.join("runs").join(link).join("frto+sack/001");
        let ours: Value =
            serde_json::from_slice(&fs::read(run.join("run.json")).expect("it was written")).expect("JSON");
        // The captures alone, away from fates and events.
        let alone = ["server.pcapng", "client.pcapng"].map(|name| {
            let copy = place.path().join(name);
            fs::copy(run.join(name), &copy).expect("a file can be copied");
            copy
        });
        let output = engine(&["analyze", text(&alone[0]), text(&alone[1])]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let analysis: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let of_timeouts = |told: &Value| -> Vec<Value> {
            let timeouts = told["timeouts"].as_array().expect("a list").iter();
            timeouts.map(|timeout| timeout["verdict"].clone()).collect()
        };
        assert_eq!(of_timeouts(&analysis), of_timeouts(&ours), "{link}");
        assert_eq!(analysis["retransmissions"], ours["retransmissions"], "{link}");
        assert_eq!(
            analysis["metrics"]["packets_lost"], ours["metrics"]["packets_lost"],
            "{link}"
        );
        verdicts.extend(of_timeouts(&ours).iter().map(ToString::to_string));
        assert!(
            ours["retransmissions"]["necessary"].as_u64() > Some(0) || link == "gprs-one-pause",
            "{link}"
        );
    }
    assert!(verdicts.contains("\"spurious\""), "{verdicts:?}");
}

#[test]
fn the_network_is_in_the_key_and_what_is_ipv4_is_as_before() {
    let [unsaid, said, other] = ["", "network = \"ipv4\"", "network = \"ipv6\""].map(|lines| {
        let (_place, path) = experiment(lines);
        plan(&path)
    });
    let key = |plan: &Value| plan["runs"][0]["key"].clone();
    assert_eq!(key(&unsaid), key(&said));
    assert_ne!(key(&unsaid), key(&other));
    assert_eq!(unsaid["experiment"]["network"], Value::Null);
    assert_eq!(other["experiment"]["network"], "ipv6");
    let mss = |plan: &Value| plan["experiment"]["variants"][0]["resolved"]["mss"].clone();
    let octets = |plan: &Value| {
        mss(plan)
            .as_u64()
            .or_else(|| mss(plan).as_str()?.strip_suffix(" B")?.parse().ok())
    };
    assert_eq!(octets(&unsaid).map(|mss| mss - 20), octets(&other));
}

#[test]
fn another_version_of_ip_is_refused() {
    let (_place, path) = experiment("network = \"ipv5\"");
    let output = engine(&["check", text(&path)]);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{complaint}");
    assert!(complaint.contains("network"), "{complaint}");
}
