//! Episodes of runs, exported as scripts of packetdrill, read back and played: the TCP decides what it decided in the run.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;
use windlull_capture::{Event, read_events};
use windlull_packetdrill::{Played, play, read};
use windlull_stack::Stack;
use windlull_tcp::Variant;
use windlull_units::Time;
use windlull_wire::SenderEvent;

use crate::support::{engine, runs};

/// Hosts of today, losses and a queue that overflows: losses found by acknowledgements, by time and by probes.
const TODAY: &str = "title = \"Today\"\n\
    links = [\"one-loss-near-the-end\", \"wen2010-reordered\", \"gprs\", \"sarolahti2003-losses-2pct\"]\n\
    variants = [\"frto+sack\", \"newreno\", \"rack-tlp\", \"modern\", \"fack\"]\n\
    workload = \"bulk-100-kib-down\"\nseed = 7\n";
/// The end of a short transfer is lost, which a probe finds out.
const TAIL: &str = "title = \"A tail\"\nlink = \"kernel-tail-losses\"\nvariants = [\"rack-tlp\", \"modern\"]\n\
    workload = \"bulk-20-kib-down\"\nrepetitions = 2\nseed = 7\n";
/// Hosts of 2003, sudden delays and lost retransmissions: timeouts that are spurious and genuine, and all that finds out.
const OF_2003: &str = "title = \"Of 2003\"\n\
    links = [\"sarolahti2003-delay-3s\", \"sarolahti2003-lost-retransmission\", \"sarolahti2003-sudden-delays\"]\n\
    variants = [\"frto+sack\", \"eifel+sack\", \"sack\", \"frto+newreno\", \"dsack+sack\"]\n\
    workload = \"bulk-100-kib-down\"\nseed = 7\n\
    [tcp]\nera = \"2003\"\nmss = \"256 B\"\nreceive_window = \"32 KiB\"\nfrto_timeouts = \"all\"\n";

/// Over IPv6, a pause, a loss, and so many losses that retransmissions are among them.
const OVER_IPV6: &str = "title = \"Over IPv6\"\n\
    links = [\"one-loss-near-the-end\", \"gprs-one-pause\", \"sarolahti2003-losses-2pct\"]\n\
    variants = [\"frto+sack\", \"modern\"]\nnetwork = \"ipv6\"\n\
    workload = \"bulk-100-kib-down\"\nseed = 7\n";

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn complaint(arguments: &[&str]) -> String {
    let output = engine(arguments);
    assert_eq!(
        output.status.code(),
        Some(2),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn run_of(place: &Path, name: &str, experiment: &str) -> PathBuf {
    let file = place.join(format!("{name}.toml"));
    fs::write(&file, experiment).expect("a file can be written");
    let out = place.join(format!("out-{name}"));
    let (file, out) = (file.display().to_string(), out.display().to_string());
    said(&engine(&["run", &file, "--no-series", "--out", &out]));
    let plan = said(&engine(&["plan", &file]));
    let plan: Value = serde_json::from_str(&plan).expect("JSON");
    // As `windlull run` leaves it.
    let record = serde_json::json!({"experiment": plan["experiment"]});
    fs::write(Path::new(&out).join("experiment.json"), record.to_string()).expect("a file can be written");
    PathBuf::from(out)
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
}

fn episodes(run: &Path) -> Vec<Value> {
    json(&run.join("run.json"))["episodes"]
        .as_array()
        .expect("a list")
        .clone()
}

/// The variant that the script of an episode names.
fn variant_in(text: &str) -> Variant {
    let mark = "// windlull-variant: ";
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(mark))
        .expect("it says whose it is");
    let resolved = serde_json::from_str(line).expect("a variant");
    let stack = windlull_experiment::VariantProfile::tcp_of(&resolved).expect("a valid one");
    match stack {
        Some(Stack::Windlull(variant)) => *variant,
        other => panic!("a TCP of ours, not {other:?}"),
    }
}

/// What the sender decided in a run, up to the end of a script.
fn decisions(run: &Path, until: Time) -> Vec<(Time, SenderEvent)> {
    let text = fs::read(run.join("events.jsonl")).expect("events");
    let events = read_events(text.as_slice()).map(|event| event.expect("an event"));
    let told = events.filter_map(|(at, event)| match event {
        Event::Sender(_, SenderEvent::State(_) | SenderEvent::RttSample { .. } | SenderEvent::LimitedFor { .. }) => {
            None
        }
        Event::Sender(_, event) => Some((at, event)),
        Event::Link(_) => None,
    });
    told.filter(|(at, _)| *at <= until).collect()
}

/// The same decisions at the same times.
fn assert_same(which: &str, played: &Played, in_run: &[(Time, SenderEvent)]) {
    assert_eq!(played.difference, None, "{which}");
    assert_eq!(played.decisions, in_run, "{which}");
}

/// What an episode shows: its cause, its reaction, the verdicts of its timeouts.
fn kinds(episode: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("none").to_owned();
    let mut kinds = vec![
        format!("cause {}", text(&episode["cause"])),
        format!("reaction {}", text(&episode["reaction"]["kind"])),
    ];
    let timeouts = episode["timeouts"].as_array().expect("a list").iter();
    kinds.extend(timeouts.map(|timeout| format!("timeout {}", text(&timeout["verdict"]))));
    let steps = episode["detector"].as_array().expect("a list").iter();
    kinds.extend(steps.map(|step| format!("detector {}", text(&step["answer"]))));
    kinds
}

#[test]
fn episodes_read_back_and_played_give_the_same_decisions() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let experiments = [("today", TODAY), ("tail", TAIL), ("of-2003", OF_2003)];
    let all = experiments.map(|(name, text)| runs(&run_of(place.path(), name, text)));
    let script = place.path().join("x.pkt");
    let mut seen = BTreeSet::new();
    let (mut exported, mut variants, mut decided, mut segments) = (0, BTreeSet::new(), 0, 0);
    for run in all.iter().flatten() {
        let directory = run.display().to_string();
        let name = json(&run.join("run.json"))["provenance"]["variant"].to_string();
        for episode in episodes(run).into_iter().take(3) {
            let number = episode["number"].to_string();
            let which = format!("{directory}, episode {number}");
            for side in ["sender", "receiver"] {
                let arguments = [
                    "export",
                    &directory,
                    "--format",
                    "packetdrill",
                    "--episode",
                    &number,
                    "--side",
                    side,
                ];
                let text = said(&engine(&arguments));
                let parsed = read(&text).unwrap_or_else(|error| panic!("{which}: {error}\n{text}"));
                assert_eq!(parsed.to_string(), text, "{which}: written as it was");
                let played = play(&parsed, &variant_in(&text)).expect("it can be played");
                if side == "receiver" {
                    assert_eq!(played.difference, None, "{which}, the receiver\n{text}");
                    continue;
                }
                segments += played.expected + played.handed_in;
                let until = last_time(&parsed);
                let in_run = decisions(run, until);
                if text.contains("; cause: loss-probe") {
                    seen.insert("loss probe".to_owned());
                }
                decided += in_run.len();
                assert_same(&which, &played, &in_run);
                fs::write(&script, &text).expect("a file can be written");
            }
            exported += 1;
            seen.extend(kinds(&episode));
            variants.insert(name.clone());
        }
    }
    assert!(exported >= 20, "{exported} episodes");
    assert!(
        decided > 100 && segments > 10_000,
        "{decided} decisions, {segments} segments"
    );
    assert!(variants.len() >= 8, "{variants:?}");
    for kind in [
        "reaction timeout",
        "reaction fast-retransmit",
        "timeout spurious",
        "timeout genuine",
        "detector spurious",
        "detector genuine",
        "loss probe",
    ] {
        assert!(seen.contains(kind), "no {kind} among {seen:?}");
    }
    // The last of them, by the engine.
    let script = script.display().to_string();
    let tap = said(&engine(&["packetdrill", &script]));
    assert!(tap.starts_with("TAP version 14\n1..1\n"), "{tap}");
    assert!(tap.contains(&format!("\nok 1 - {script}\n")), "{tap}");
}

#[test]
fn an_episode_over_ipv6_is_exported_as_such_and_gives_the_same_decisions() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let (mut exported, mut decided) = (0, 0);
    for run in runs(&run_of(place.path(), "over-ipv6", OVER_IPV6)) {
        let directory = run.display().to_string();
        for episode in episodes(&run).into_iter().take(2) {
            let number = episode["number"].to_string();
            for side in ["sender", "receiver"] {
                let of_episode = ["--format", "packetdrill", "--episode", &number, "--side", side];
                let text = said(&engine(&[&["export", &directory][..], &of_episode].concat()));
                // The 1,500 octets of the link's packets: 40 of IPv6, 20 of TCP and the segment.
                for line in ["--ip_version=ipv6\n", "--mtu=1500\n"] {
                    assert!(text.contains(line), "no {line} in {text}");
                }
                assert!(text.contains("<mss 1440,"), "{text}");
                let parsed = read(&text).unwrap_or_else(|error| panic!("{directory}: {error}\n{text}"));
                let played = play(&parsed, &variant_in(&text)).expect("it can be played");
                if side == "receiver" {
                    assert_eq!(played.difference, None, "{directory}, the receiver");
                    continue;
                }
                let in_run = decisions(&run, last_time(&parsed));
                assert_same(&directory, &played, &in_run);
                decided += in_run.len();
                if directory.contains("modern") {
                    let script = place.path().join("modern.pkt");
                    fs::write(&script, &text).expect("a file can be written");
                    // Its file has the segment size of IPv4.
                    said(&engine(&[
                        "packetdrill",
                        &script.display().to_string(),
                        "--variant",
                        "modern",
                    ]));
                }
            }
            exported += 1;
        }
    }
    assert!(
        exported >= 6 && decided > 10,
        "{exported} episodes, {decided} decisions"
    );
}

/// When the last event of a script is.
fn last_time(script: &windlull_packetdrill::Script) -> Time {
    let mut at = Time::ZERO;
    for event in &script.events {
        match event.time {
            windlull_packetdrill::EventTime::Relative(span) => at += span,
            windlull_packetdrill::EventTime::Absolute(span) => at = Time::ZERO + span,
            other => panic!("exported scripts have no {other:?}"),
        }
    }
    at
}

#[test]
fn a_script_that_another_tcp_does_not_obey_fails_at_its_line() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let out = place.path().join("out");
    let into = out.display().to_string();
    // Its TCP is found by the experiment's name.
    said(&engine(&[
        "run",
        "papers/sarolahti2003/figure-2",
        "--no-series",
        "--out",
        &into,
    ]));
    let run = out.join("runs/frto+sack/001");
    let spurious = |episode: &Value| kinds(episode).contains(&"detector spurious".to_owned());
    let episode = episodes(&run)
        .into_iter()
        .find(spurious)
        .expect("the pause is found out");
    let (run, number) = (run.display().to_string(), episode["number"].to_string());
    let text = said(&engine(&[
        "export",
        &run,
        "--format",
        "packetdrill",
        "--episode",
        &number,
    ]));
    assert!(text.contains("// Detector, timeout 1: "), "{text}");
    assert!(
        text.contains(&format!("// --- Episode {number} begins: hold.")),
        "{text}"
    );
    let script = place.path().join("x.pkt");
    fs::write(&script, &text).expect("a file can be written");
    let path = script.display().to_string();
    // F-RTO sends new data where conventional recovery sends the next segment again.
    let failed = engine(&["packetdrill", &path, "--variant", "sack"]);
    assert_eq!(failed.status.code(), Some(1));
    let tap = String::from_utf8_lossy(&failed.stdout).into_owned();
    assert!(tap.contains("\nnot ok 1 - "), "{tap}");
    let told = tap
        .lines()
        .find(|line| line.starts_with(&format!("# {path}:")))
        .expect("it says where");
    let line: usize = told
        .split(':')
        .nth(1)
        .and_then(|line| line.parse().ok())
        .expect("a line");
    let shown = text.lines().nth(line - 1).expect("the line is in the script");
    assert!(shown.contains("> "), "{told}\n{shown}");
    // A segment that is said to come later than it does.
    let late = text.replacen("--tolerance_usecs=4000", "--tolerance_usecs=1", 1);
    let late = late.replacen("\n+0 > S ", "\n+0.5 > S ", 1);
    fs::write(&script, late).expect("a file can be written");
    let failed = engine(&["packetdrill", &path]);
    assert_eq!(failed.status.code(), Some(1));
    let tap = String::from_utf8_lossy(&failed.stdout).into_owned();
    assert!(tap.contains("the tolerance is 1 us"), "{tap}");
}

#[test]
fn what_cannot_be_exported_or_played_is_told_why() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let empty = place.path().display().to_string();
    let packetdrill = ["--format", "packetdrill"];
    let with = |arguments: &[&str]| {
        [&["export"], arguments, &packetdrill]
            .concat()
            .iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>()
    };
    let told = |arguments: &[&str]| {
        let arguments = with(arguments);
        complaint(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert!(told(&[&empty]).contains("no run.json in it"));
    assert!(told(&[&empty, "--seed", "1"]).contains("--seed is of links"));
    let of_link = complaint(&["export", "gprs", "--format", "tc", "--episode", "1"]);
    assert!(
        of_link.contains("--episode goes with --format packetdrill"),
        "{of_link}"
    );
    let requests = "title = \"Requests\"\nlink = \"gprs-one-pause\"\nvariants = [\"sack\"]\n\
                    workload = \"responses-20-kb\"\nseed = 3\n";
    let run = runs(&run_of(place.path(), "requests", requests)).remove(0);
    let answer = told(&[&run.display().to_string(), "--episode", "1"]);
    assert!(answer.contains("a run of requests and responses"), "{answer}");
    let experiment = "title = \"A few\"\nlink = \"gprs-one-pause\"\nvariants = [\"sack\"]\n\
                      workload = \"bulk-100-kib-down\"\nseed = 3\n";
    let out = run_of(place.path(), "few", experiment);
    let run = runs(&out).remove(0);
    let directory = run.display().to_string();
    assert!(told(&[&directory, "--episode", "99"]).contains("there is no episode 99"));
    fs::remove_file(run.join("server.pcapng")).expect("it is there");
    assert!(told(&[&directory, "--episode", "1"]).contains("without --no-pcap"));
    fs::write(run.join("server.sqlog"), "").expect("a file can be written");
    assert!(told(&[&directory, "--episode", "1"]).contains("packetdrill speaks TCP"));

    let script = place.path().join("x.pkt");
    let path = script.display().to_string();
    let write = |text: &str| fs::write(&script, text).expect("a file can be written");
    write("0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n");
    assert!(complaint(&["packetdrill", &path]).contains("choose one with --variant"));
    write("0 socket(..., SOCK_DGRAM, IPPROTO_UDP) = 3\n");
    let udp = complaint(&["packetdrill", &path, "--variant", "modern"]);
    assert!(
        udp.contains(&format!("{path}:1: a simulation has sockets of TCP")),
        "{udp}"
    );
    write("0 sokcet(..., SOCK_STREAM, IPPROTO_TCP) = 3\n");
    let wrong = complaint(&["packetdrill", &path, "--variant", "modern"]);
    assert!(
        wrong.contains(&format!(
            "{path}:1:3: there is no system call `sokcet`; did you mean `socket`?"
        )),
        "{wrong}"
    );
    let kernel = complaint(&["packetdrill", &path, "--variant", "linux"]);
    assert!(kernel.contains("a simulation has no kernel"), "{kernel}");
}

#[test]
fn what_a_kernel_lacks_for_a_script_is_told() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let path = |name: &str| place.path().join(name).display().to_string();
    let (script, program, kernels) = (path("x.pkt"), path("packetdrill"), path("kernels"));
    let told = |script: &str, program: &str| {
        let arguments = ["packetdrill", script, "--program", program, "--kernels", &kernels];
        complaint(&arguments)
    };
    assert!(told(&script, &program).contains("no such program"));
    fs::write(&program, "#!/bin/sh\n").expect("a file can be written");
    assert!(told(&script, &program).contains("not executable"));
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    assert!(told(&script, &program).contains(&format!("{script}: No such file")));
    fs::write(&script, "").expect("a file can be written");
    let missing = told(&script, &program);
    assert!(
        missing.contains("there is no kernel \"stock\"") && missing.contains("windlull kernel build"),
        "{missing}"
    );
    let arguments = ["packetdrill", &script, "--program", &program, "--variant", "modern"];
    assert!(complaint(&arguments).contains("cannot be used with"));
}
