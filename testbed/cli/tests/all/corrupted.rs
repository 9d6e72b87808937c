//! `analyze` on a simulated run whose link corrupts packets, with captures of headers only: its verdicts are the run's own.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value};

const EXPERIMENT: &str = r#"
title       = "A noisy link"
source      = "made for a test"
link        = "noisy.toml"
variants    = ["sack"]
workload    = "bulk-100-kib-down"
repetitions = 1
seed        = 7

[tcp]
mss         = "512 B"

[tcp.timer]
estimator   = "rfc6298"
initial_rto = "1 s"
minimum_rto = "200 ms"
maximum_rto = "60 s"
granularity = "1 ms"
"#;

const LINK: &str = r#"
title  = "A link that corrupts"
source = "made for a test"

[down]
rate  = "1 Mbit/s"
delay = "60 ms"
queue = { kind = "droptail", limit = "20 packets" }

[up]
rate  = "1 Mbit/s"
delay = "60 ms"
queue = { kind = "droptail", limit = "20 packets" }

[[impairment]]
name        = "noise"
kind        = "corrupt"
on          = "down"
probability = 0.08

[[script]]
at  = "3 s"
do  = "hold"
for = "2 s"
"#;

fn engine(arguments: &[&str]) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO_BIN_EXE_windlull-engine"))
        .arg("--profiles")
        .arg(root.join("profiles"))
        .args(arguments)
        .output()
        .expect("the engine can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// The directory of the run, below this one.
fn run(place: &Path) -> PathBuf {
    std::fs::write(place.join("noisy.toml"), LINK).expect("a file can be written");
    let experiment = place.join("experiment.toml");
    std::fs::write(&experiment, EXPERIMENT).expect("a file can be written");
    let out = place.join("out");
    let text = |path: &Path| path.to_str().expect("text").to_owned();
    engine(&["run", &text(&experiment), "--out", &text(&out)]);
    out.join("runs/sack/001")
}

fn analyze(captures: &[PathBuf]) -> Value {
    let files: Vec<&str> = captures.iter().map(|file| file.to_str().expect("text")).collect();
    serde_json::from_slice(&engine(&[&["analyze"], files.as_slice()].concat())).expect("JSON")
}

/// The metrics, by name.
fn metrics(analysis: &Value) -> Map<String, Value> {
    analysis["metrics"].as_object().expect("a table").clone()
}

/// The verdicts, in order.
fn verdicts(analysis: &Value) -> Vec<&Value> {
    let timeouts = analysis["timeouts"].as_array().expect("a list");
    timeouts.iter().map(|timeout| &timeout["verdict"]).collect()
}

#[test]
fn captures_of_headers_only_tell_what_the_run_told() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let run = run(place.path());
    let ours: Value =
        serde_json::from_slice(&std::fs::read(run.join("run.json")).expect("a run has a record")).expect("JSON");
    assert!(verdicts(&ours).len() > 3, "{:?}", verdicts(&ours));
    assert!(
        ours["retransmissions"]["necessary"].as_u64() > Some(5),
        "{}",
        ours["retransmissions"]
    );

    // In the run's directory, with all that lies beside the captures.
    let names = ["server.pcapng", "client.pcapng"];
    let analysis = analyze(&names.map(|name| run.join(name)));
    assert_eq!(verdicts(&analysis), verdicts(&ours));
    for key in ["retransmissions", "fast_retransmits"] {
        assert_eq!(analysis[key], ours[key], "{key}");
    }
    // What limited the sender is in neither captures nor events.jsonl (docs/verdicts.md).
    let (limits, others): (Map<_, _>, Map<_, _>) = metrics(&ours)
        .into_iter()
        .partition(|(name, _)| name.starts_with("limited_by_"));
    assert!(limits.len() >= 5, "{limits:?}");
    assert_eq!(metrics(&analysis), others);

    // The captures alone: their comments tell what was corrupted. Fast retransmits are only inferred then.
    let alone = names.map(|name| place.path().join(name));
    for (name, file) in names.iter().zip(&alone) {
        std::fs::copy(run.join(name), file).expect("a file can be copied");
    }
    let analysis = analyze(&alone);
    assert_eq!(
        analysis["retransmissions"], ours["retransmissions"],
        "{}",
        analysis["notes"]
    );
    assert_eq!(analysis["metrics"]["packets_lost"], ours["metrics"]["packets_lost"]);
}
