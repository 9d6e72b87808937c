//! Where two runs part: by a detector's decision, by the link, or not at all.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn engine(arguments: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Command::new(env!("CARGO_BIN_EXE_windlull-engine"))
        .arg("--profiles")
        .arg(root.join("profiles"))
        .args(arguments)
        .output()
        .expect("the engine can be started")
}

/// Runs an experiment of these lines, and returns its output directory.
fn run(place: &Path, name: &str, lines: &str, options: &[&str]) -> PathBuf {
    let file = place.join(format!("{name}.toml"));
    fs::write(&file, format!("title = \"{name}\"\nseed = 5\n{lines}\n")).expect("a file can be written");
    let out = place.join(format!("out-{name}"));
    let (file, to) = (file.display().to_string(), out.display().to_string());
    let mut arguments: Vec<&str> = vec!["run", &file, "--no-series", "--out", &to];
    arguments.extend(options);
    let output = engine(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // As `windlull run` writes it beside the runs.
    let plan = engine(&["plan", &file]);
    assert!(plan.status.success(), "{}", String::from_utf8_lossy(&plan.stderr));
    fs::write(out.join("experiment.json"), plan.stdout).expect("a file can be written");
    out
}

const PAUSE: &str = "link = \"gprs-one-pause\"\nvariants = [\"sack\", \"frto+sack\"]\nworkload = \"bulk-100-kib-down\"";

fn of(out: &Path, variant: &str) -> String {
    out.join("runs").join(variant).join("001").display().to_string()
}

fn diff(arguments: &[&str]) -> Value {
    let mut all = vec!["diff"];
    all.extend(arguments);
    let output = engine(&all);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn refused(arguments: &[&str]) -> String {
    let mut all = vec!["diff"];
    all.extend(arguments);
    let output = engine(&all);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// RFC 5682, section 2.1, step 2: on the first acknowledgement after the timeout F-RTO sends new data, where conventional
/// recovery goes back. The retransmission at the timeout itself is the same.
fn parts_by_f_rto(told: &Value) {
    let parting = &told["parting"];
    assert_eq!(
        [
            &parting["how"],
            &parting["origin"],
            &parting["kind"]["a"],
            &parting["kind"]["b"]
        ],
        ["octets", "sender", "after-timeout", "detector F-RTO 2a"],
        "{parting:#}"
    );
    let [a, b] = ["a", "b"].map(|run| &parting[run]);
    assert_eq!([&a["packet"]["again"], &b["packet"]["again"]], [true, false]);
    assert_eq!(a["decision"]["rule"], "RFC 5681, section 3.1");
    let rule = b["decision"]["rule"].as_str().expect("a rule");
    assert!(
        rule.starts_with("F-RTO 2a: first ACK advances SND.UNA, send two new segments")
            && rule.ends_with("(sarolahti2003, section 3; RFC 5682, section 2.1)"),
        "{rule}"
    );
    let text = |run: &Value| run["decided"].to_string();
    assert!(
        text(b).contains("F-RTO 1: timeout, retransmit the first segment"),
        "{b:#}"
    );
    assert!(!text(a).contains("Timeout 1"), "both had it: {a:#}");
    assert_eq!(told["heard"], Value::Null);
    assert_eq!(told["fates"]["first"], Value::Null);
    assert!(told["fates"]["compared"].as_u64().is_some_and(|packets| packets > 10));
    assert_eq!(told["tolerance_ns"], 0);
    assert!(
        told["settings"].to_string().contains("detection"),
        "{}",
        told["settings"]
    );
    let at = parting["at_ns"].as_u64().expect("an instant");
    for run in ["a", "b"] {
        let packets = parting["window"][run].as_array().expect("a list");
        let here: Vec<&Value> = packets
            .iter()
            .filter(|one| one["at_ns"] == at && one["sent"] == true)
            .collect();
        assert!(here.contains(&&parting[run]["packet"]), "{here:?}");
    }
    let cost = |metric: &str| {
        let costs = told["costs"].as_array().expect("a list").iter();
        let found = costs.clone().find(|cost| cost["metric"] == metric).expect("the metric");
        found["difference"].as_f64().expect("a number")
    };
    assert!(cost("unnecessary_retransmissions") < 0.0, "{}", told["costs"]);
}

#[test]
fn f_rto_parts_from_conventional_recovery_on_the_first_acknowledgement_after_the_timeout() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let out = run(place.path(), "pause", PAUSE, &[]);
    let (sack, frto) = (of(&out, "sack"), of(&out, "frto+sack"));
    parts_by_f_rto(&diff(&[&sack, &frto]));
    let lines = "link = { fates = \"out-pause/runs/sack/001/fates.csv\", by = \"time\" }\n\
                 variants = [\"sack\", \"frto+sack\"]\nworkload = \"bulk-100-kib-down\"";
    let replayed = run(place.path(), "replayed", lines, &[]);
    parts_by_f_rto(&diff(&[&of(&replayed, "sack"), &of(&replayed, "frto+sack")]));
}

/// RFC 8985, section 7.3: with no acknowledgement for two round trips, one segment of new data goes out beyond the window.
#[test]
fn a_tail_loss_probe_is_named_where_it_is_what_parts_two_of_our_tcps() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let link = "title = \"Acknowledgements are held\"\n[both]\nrate = \"5 Mbit/s\"\ndelay = \"40 ms\"\n\
                queue = { kind = \"droptail\", limit = \"100 packets\" }\n\
                [[script]]\non = \"up\"\nat = \"200 ms\"\nfor = \"400 ms\"\ndo = \"hold\"\n";
    fs::write(place.path().join("held.toml"), link).expect("a file can be written");
    let lines =
        "link = \"held.toml\"\nvariants = [\"sack\", \"rack-tlp\", \"modern\"]\nworkload = \"bulk-100-kib-down\"";
    let out = run(place.path(), "probes", lines, &[]);
    let told = diff(&[&of(&out, "sack"), &of(&out, "rack-tlp")]);
    let parting = &told["parting"];
    assert_eq!(
        [&parting["kind"]["a"], &parting["kind"]["b"]],
        ["nothing", "loss-probe"]
    );
    assert_eq!(parting["b"]["decision"]["rule"], "RFC 8985, section 7.3");
    assert_eq!(parting["b"]["packet"]["again"], false, "it is of new data");
    // What only one of two has probed is told where they part for another reason, too.
    let events =
        |variant| fs::read_to_string(Path::new(&of(&out, variant)).join("events.jsonl")).expect("it was written");
    assert!(!events("sack").contains("loss-probe"));
    assert!(events("modern").contains("{\"event\":\"loss-probe\"}"));
}

/// What was heard, then what was decided, in the order in which it was, then what was sent.
#[test]
fn sentences_of_one_instant_stand_in_the_order_of_cause_and_effect() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let lines = "link = \"mobile-with-holds\"\nvariants = [\"sack\", \"frto+sack\"]\nworkload = \"bulk-1-mb-down\"";
    let out = run(place.path(), "holds", lines, &["--seed", "1"]);
    let told = diff(&[&of(&out, "sack"), &of(&out, "frto+sack")]);
    let at = told["parting"]["at_ns"].as_u64().expect("an instant");
    let story = told["story"].as_array().expect("a list").iter();
    let then: Vec<(&str, &str)> = story
        .filter(|one| one["at_ns"].as_u64() == Some(at))
        .map(|one| {
            (
                one["of"].as_str().expect("whose"),
                one["text"].as_str().expect("a text"),
            )
        })
        .collect();
    let place_of = |wanted: &str| {
        let found = then.iter().position(|(of, text)| *of != "a" && text.contains(wanted));
        found.unwrap_or_else(|| panic!("no {wanted} in {then:#?}"))
    };
    let places = [
        "F-RTO 2a:",
        "F-RTO 3a:",
        "It ended its recovery",
        "They part",
        "It sent octets",
    ]
    .map(place_of);
    assert!(places.is_sorted(), "{then:#?}");
    let (_, sent) = then[places[4]];
    assert!(sent.ends_with(". The decision: detector F-RTO 2a."), "{sent}");
}

#[test]
fn the_same_run_twice_does_not_part() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let [one, other] = ["one", "other"].map(|name| run(place.path(), name, PAUSE, &[]));
    let told = diff(&[&of(&one, "sack"), &of(&other, "sack")]);
    assert_eq!(
        [&told["parting"], &told["heard"], &told["fates"]["first"]],
        [&Value::Null; 3]
    );
    assert!(
        told["sent_alike"].as_u64().is_some_and(|packets| packets > 50),
        "{told:#}"
    );
    assert_eq!(told["settings"], Value::Array(Vec::new()));
    let costs = told["costs"].as_array().expect("a list");
    assert!(
        costs.len() > 5 && costs.iter().all(|cost| cost["difference"] == 0.0),
        "{costs:?}"
    );
    assert_eq!(told["notes"], Value::Array(Vec::new()));
}

#[test]
fn what_the_link_did_is_told_apart_from_what_senders_decided() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let lines = |link: &str| format!("link = {link:?}\nvariants = [\"sack\"]\nworkload = \"bulk-100-kib-down\"");
    let paused = run(place.path(), "paused", &lines("gprs-one-pause"), &[]);
    let never = place.path().join("never.toml");
    let link = "title = \"Never paused\"\n[both]\ndelay = \"500 ms\"\nqueue = { kind = \"droptail\", limit = \"50 kB\" }\n\
                arq = { send_buffer = \"10 kB\", receive_buffer = \"10 kB\", persistence = \"unlimited\", retry_after = \"1 s\" }\n\
                [down]\nrate = \"40.2 kbit/s\"\n[up]\nrate = \"13.4 kbit/s\"\n";
    fs::write(&never, link).expect("a file can be written");
    let other = run(place.path(), "other", &lines("never.toml"), &[]);
    let told = diff(&[&of(&paused, "sack"), &of(&other, "sack")]);
    assert_eq!(told["parting"]["origin"], "link", "{told:#}");
    assert!(told["fates"]["first"]["entered_ns"].is_u64());
    assert!(
        told["notes"].to_string().contains("The links are not the same"),
        "{}",
        told["notes"]
    );
    let text = told["story"].to_string();
    assert!(text.contains("The link did not do the same to packet"), "{text}");
}

#[test]
fn what_cannot_be_compared_is_told() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let lines = |workload: &str| format!("link = \"gprs\"\nvariants = [\"sack\"]\nworkload = {workload:?}");
    let down = of(&run(place.path(), "down", &lines("bulk-20-kib-down"), &[]), "sack");
    let more = of(&run(place.path(), "more", &lines("bulk-100-kib-down"), &[]), "sack");
    let up = of(&run(place.path(), "up", &lines("bulk-100-kib-up"), &[]), "sack");
    let bare = of(
        &run(place.path(), "bare", &lines("bulk-20-kib-down"), &["--no-pcap"]),
        "sack",
    );
    let quic = of(&run(place.path(), "quic", &lines("bulk-20-kib-down"), &[]), "sack");
    // What a stack from elsewhere says of itself.
    fs::write(Path::new(&quic).join("server.sqlog"), "").expect("a file can be written");
    let data = of(&run(place.path(), "data", &lines("bulk-20-kib-down"), &[]), "sack");
    let sent = "\u{1e}{\"time\":1.000000,\"name\":\"quic:packet_sent\",\"data\":{\"header\":{\"packet_type\":\"1RTT\",\
                \"packet_number\":1},\"frames\":[{\"frame_type\":\"stream\",\"stream_id\":3,\"offset\":0,\"raw\":{\"length\":9}}]}}\n";
    fs::write(Path::new(&data).join("server.sqlog"), sent).expect("a file can be written");
    let nothing = place.path().display().to_string();
    for (a, b, expected) in [
        (&down, &more, "its workload is bulk-100-kib-down, and that of"),
        (&down, &up, "the client sends the data, and in"),
        (&down, &bare, "no server.pcapng; make the run again without --no-pcap"),
        (&down, &quic, "the qlog tells of no packet with octets of a stream"),
        (&down, &data, "a run of QUIC, and"),
        (&nothing, &down, "no run.json in it; give the directory of a run"),
    ] {
        let told = refused(&[a, b]);
        assert!(told.contains(expected), "{told}");
    }
    for (option, expected) in [
        ("--tolerance=3", "`3` has no unit"),
        ("--tolerance=-5ms", "`-5ms` is out of range for a duration: from 0 ns"),
        ("--around=-1 s", "`-1 s` is out of range"),
    ] {
        let told = refused(&[&down, &down, option]);
        assert!(told.contains("'--") && told.contains(expected), "{told}");
    }
}
