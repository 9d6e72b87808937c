//! `preview`: the engine says what a link does, and a run of the same seed and repetition meets the same.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

const LINK: &str = r#"
title = "Pauses by the clock, and other things by packets"

[both]
rate = "64 kbit/s"
delay = "exponential(mean 100 ms)"
queue = { kind = "droptail", limit = "20 packets" }

[[impairment]]
name = "pause"
kind = "hold"
on = "each"
every = "exponential(mean 2 s)"
length = "exponential(mean 500 ms)"

[[impairment]]
name = "by-packet"
kind = "hold"
on = "down"
every = "packet with probability 0.01"
length = "200 ms"

[[script]]
at = "1 s"
for = "2 s"
rate = "32 kbit/s"
on = "down"

[[script]]
at = "packet 12"
do = "drop"
on = "up"
"#;

const EXPERIMENT: &str = r#"
title = "On that link"
link = "pauses"
variants = ["sack", "newreno"]
workload = "bulk-100-kib-down"
repetitions = 3
seed = 42
"#;

fn engine(place: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_windlull-engine"))
        .arg("--profiles")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../profiles"))
        .arg("--profiles")
        .arg(place)
        .args(arguments)
        .env("XDG_STATE_HOME", place)
        .output()
        .expect("the engine can be started")
}

fn written(files: &[(&str, &str)]) -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a directory can be made");
    for (path, text) in files {
        let path = place.path().join(path);
        fs::create_dir_all(path.parent().expect("it has a parent")).expect("a directory can be made");
        fs::write(path, text).expect("a file can be written");
    }
    place
}

fn preview(place: &Path, arguments: &[&str]) -> Value {
    let output = engine(place, &[&["preview"], arguments].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("the answer is JSON")
}

/// What a run's events say of holds called `name`: direction, instant, whether one begins.
fn holds_of_run(directory: &Path, name: &str) -> Vec<(String, u64, bool)> {
    let text = fs::read_to_string(directory.join("events.jsonl")).expect("a run has events");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a line is JSON"));
    let of_name = lines.filter(|line| line["link"]["name"] == name);
    of_name
        .map(|line| {
            let direction = line["link"]["direction"].as_str().expect("it has one").to_owned();
            let at = line["t"].as_u64().expect("it has an instant");
            (direction, at, line["link"]["event"] == "hold-began")
        })
        .collect()
}

/// The same of a preview.
fn holds_of_preview(previewed: &Value, name: &str) -> Vec<(String, u64, bool)> {
    let mut holds = Vec::new();
    for direction in ["down", "up"] {
        for spell in previewed[direction]["spells"].as_array().expect("spells") {
            if spell["name"] == name {
                assert_eq!(spell["kind"], "hold");
                for (key, begins) in [("from_ns", true), ("until_ns", false)] {
                    let at = spell[key].as_u64().expect("a hold by the clock begins and ends");
                    holds.push((direction.to_owned(), at, begins));
                }
            }
        }
    }
    holds
}

#[test]
fn every_repetition_meets_the_holds_of_its_preview_to_the_nanosecond() {
    let place = written(&[("links/pauses.toml", LINK), ("experiments/on-it.toml", EXPERIMENT)]);
    let out = place.path().join("out");
    let ran = engine(place.path(), &["run", "on-it", "--out", &out.display().to_string()]);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let mut compared = 0;
    for repetition in 1..=3_u32 {
        let number = repetition.to_string();
        let asked = ["pauses", "--seed", "42", "--repetition", &number, "--for", "10 min"];
        let ahead = preview(place.path(), &asked);
        for variant in ["sack", "newreno"] {
            let directory = out.join(format!("runs/{variant}/{repetition:03}"));
            let record = fs::read(directory.join("run.json")).expect("a run has a record");
            let record: Value = serde_json::from_slice(&record).expect("a record is JSON");
            assert_eq!(ahead["run_seed"], record["provenance"]["seed"]);
            let mut met = holds_of_run(&directory, "pause");
            let last = met.last().expect("a run of many seconds meets holds").1;
            let mut previewed = holds_of_preview(&ahead, "pause");
            previewed.retain(|&(_, at, _)| at <= last);
            met.sort();
            previewed.sort();
            assert_eq!(met, previewed, "{variant}, repetition {repetition}");
            compared += met.len();
        }
    }
    assert!(compared > 60, "only {compared} events were compared");
}

#[test]
fn all_of_it_is_told() {
    let place = written(&[("links/pauses.toml", LINK)]);
    let previewed = preview(place.path(), &["pauses", "--for", "10 s"]);
    assert_eq!((&previewed["seed"], &previewed["repetition"]), (&json!("1"), &json!(1)));
    assert_eq!(
        (&previewed["until_ns"], &previewed["capped"]),
        (&json!(10_000_000_000_u64), &json!(false))
    );
    let rate = json!({"kind": "constant", "window_ns": null,
                      "t_ns": [0, 1_000_000_000, 3_000_000_000_u64], "bps": [64000, 32000, 64000]});
    assert_eq!(previewed["down"]["rate"], rate);
    assert_eq!(previewed["up"]["rate"]["bps"], json!([64000]));
    let delay = &previewed["down"]["delay"];
    assert_eq!(delay["delay_ns"], json!([null]));
    assert_eq!(delay["drawn"]["stream"], "down/delay");
    assert_eq!(
        previewed["down"]["queue"],
        json!({"t_ns": [0], "packets": [20], "bytes": [null]})
    );
    let facts: Vec<_> = previewed["facts"]
        .as_array()
        .expect("facts")
        .iter()
        .map(|fact| (fact["kind"].clone(), fact["name"].clone(), fact["directions"].clone()))
        .collect();
    let expected = [
        (json!("hold"), json!("by-packet"), json!(["down"])),
        (json!("script"), json!("script 2"), json!(["up"])),
    ];
    assert_eq!(facts, expected);
    assert_ne!(
        previewed["down"]["spells"],
        preview(place.path(), &["pauses", "--for", "10 s", "--repetition", "2"])["down"]["spells"]
    );
}

#[test]
fn every_shipped_link_can_be_previewed() {
    let place = written(&[]);
    let listed = engine(place.path(), &["list", "links"]);
    let listed: Vec<Value> = serde_json::from_slice(&listed.stdout).expect("a list");
    assert!(listed.len() > 10);
    for link in listed {
        let previewed = preview(place.path(), &[link["name"].as_str().expect("a name")]);
        for direction in ["down", "up"] {
            assert_eq!(previewed[direction]["rate"]["t_ns"][0], 0, "{}", link["name"]);
        }
    }
}

#[test]
fn what_is_wrong_with_a_link_is_told() {
    let place = written(&[("links/wrong.toml", "title = \"x\"\n[both]\nrate = \"fast\"\n")]);
    let output = engine(place.path(), &["preview", "wrong", "--errors", "json"]);
    assert_eq!(output.status.code(), Some(2));
    let answer: Value = serde_json::from_slice(&output.stderr).expect("problems are JSON");
    assert_eq!(
        (&answer["problems"][0]["line"], &answer["problems"][0]["column"]),
        (&json!(3), &json!(1))
    );
}
