//! The engine as a process: what it says, what it writes, how it ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The engine with the shipped files and a state directory of its own.
fn engine(state: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_windlull-engine"))
        .arg("--profiles")
        .arg(root().join("profiles"))
        .args(arguments)
        .env("XDG_STATE_HOME", state)
        .output()
        .expect("the engine can be started")
}

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn lines(output: &Output) -> Vec<Value> {
    let said = String::from_utf8(output.stdout.clone()).expect("the engine says text");
    said.lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect()
}

/// All files below a directory, relative to it.
fn files(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory_below) = open.pop() {
        for entry in fs::read_dir(directory_below).expect("it can be read") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                open.push(path);
            } else {
                let relative = path.strip_prefix(directory).expect("it is below");
                found.push(relative.display().to_string());
            }
        }
    }
    found.sort();
    found
}

const KERNELS: &str =
    "title = \"x\"\nlink = \"gprs-one-pause\"\nvariants = [\"sack\", \"linux\"]\nworkload = \"bulk-20-kib-down\"\n";

#[test]
fn a_simulated_sweep_writes_whole_runs_and_leaves_nothing_else() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let out = place.path().join("out");
    let output = engine(
        place.path(),
        &["run", "first-look", "--reps", "2", "--out", &out.display().to_string()],
    );
    assert!(output.status.success(), "{}", complaint(&output));
    let said = lines(&output);
    assert_eq!(said.len(), 1 + 4 + 1);
    assert_eq!(said[0]["testbeds"], serde_json::json!(["sim"]));
    assert_eq!(said[0]["experiment"]["live"], Value::Null);
    for run in &said[1..5] {
        assert_eq!((&run["event"], &run["testbed"]), (&"run".into(), &"sim".into()));
        assert!(run.get("certificate").is_none() && run.get("attempts").is_none());
        let directory = run["directory"].as_str().expect("a run has a directory");
        let record = fs::read(out.join(directory).join("run.json")).expect("a run has a record");
        let record: Value = serde_json::from_slice(&record).expect("a record is JSON");
        assert_eq!(record["provenance"]["testbed"], "sim");
        assert!(record.get("certificate").is_none() && record.get("settings").is_none());
        assert_eq!(record["metrics"], run["metrics"]);
    }
    assert_eq!(files(&out).len(), 4 * 6);
    assert_eq!(files(&place.path().join("windlull")), Vec::<String>::new());
}

#[test]
fn a_kernels_tcp_is_refused_by_the_simulator() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let file = place.path().join("x.toml");
    fs::write(&file, KERNELS).expect("a file can be written");
    let out = place.path().join("out");
    let (file, out_text) = (file.display().to_string(), out.display().to_string());
    let output = engine(place.path(), &["run", &file, "--out", &out_text]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        complaint(&output),
        "error: variant \"linux\" is the kernel's TCP, which the testbed sim does not have; --testbed netns has it\n"
    );
    assert!(output.stdout.is_empty() && !out.exists());
}

#[test]
fn options_of_live_runs_are_refused_by_the_simulator() {
    let place = tempfile::tempdir().expect("a directory can be made");
    for (option, value) in [("--plane", "model"), ("--attempts", "3")] {
        let output = engine(place.path(), &["run", "first-look", option, value]);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(
            complaint(&output),
            format!("error: {option} goes with --testbed netns, kernel or compose; leave it out\n")
        );
    }
}

#[test]
fn what_the_netem_plane_cannot_express_is_refused_before_anything_runs() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let out = place.path().join("out");
    let output = engine(
        place.path(),
        &[
            "run",
            "papers/sarolahti2003/table-1",
            "--testbed",
            "netns",
            "--plane",
            "netem",
            "--out",
            &out.display().to_string(),
        ],
    );
    assert_eq!(output.status.code(), Some(2));
    let complaint = complaint(&output);
    assert!(
        complaint.contains("link \"sarolahti2003-sudden-delays\": [both] arq: ") && complaint.contains("--plane model"),
        "{complaint}"
    );
    assert!(output.stdout.is_empty() && !out.exists());
}

#[test]
fn a_link_is_exported_as_a_script_or_refused_by_name() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let link = place.path().join("plain.toml");
    fs::write(
        &link,
        "title = \"l\"\n[both]\nrate = \"1 Mbit/s\"\ndelay = \"20 ms\"\nqueue = { kind = \"droptail\", limit = \"50 packets\" }\n",
    )
    .expect("a file can be written");
    let output = engine(
        place.path(),
        &["export", &link.display().to_string(), "--format", "tc", "--for", "10 s"],
    );
    assert!(output.status.success(), "{}", complaint(&output));
    let script = String::from_utf8(output.stdout).expect("a script is text");
    assert!(
        script.starts_with("#!/bin/sh\n") && script.contains("timeline for 10 s"),
        "{script}"
    );
    let output = engine(place.path(), &["export", "sarolahti2003", "--format", "tc", "--exact"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(complaint(&output).starts_with("error: link \"sarolahti2003\": [both] arq: "));
    let output = engine(place.path(), &["export", "gprs", "--format", "tc"]);
    assert!(output.status.success(), "{}", complaint(&output));
    let script = String::from_utf8(output.stdout).expect("a script is text");
    let named = "# Approximated, as tc and nft have no equal:\n# - [down] arq: the queue stops ";
    assert!(script.contains(named), "{}", &script[..script.len().min(2_000)]);
    let output = engine(place.path(), &["export", "gprs", "--format", "tc", "--for", "10"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_live_run_alone_is_nothing_for_people() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let output = engine(place.path(), &["live-run", "{}"]);
    assert_eq!(output.status.code(), Some(2));
    let help = engine(place.path(), &["--help"]);
    assert!(!String::from_utf8_lossy(&help.stdout).contains("live-run"));
}
