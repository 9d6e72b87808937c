//! What one run may use: the run that needs more fails with a sentence of its own, and the others are made.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn write(directory: &Path, name: &str, text: &str) {
    let path = directory.join(name);
    fs::create_dir_all(path.parent().expect("it has a parent")).expect("a directory");
    fs::write(path, text).expect("a file");
}

/// An experiment on a link that no limit stops, beside an ordinary one.
fn profiles(directory: &Path) -> PathBuf {
    let link = |rate: &str, delay: &str| {
        format!(
            "title = \"x\"\n[both]\nrate = \"{rate}\"\ndelay = \"{delay}\"\nqueue = {{ kind = \"droptail\", limit = \"100 packets\" }}\n"
        )
    };
    write(directory, "links/endless.toml", &link("1000 Gbit/s", "0 s"));
    write(directory, "links/slow.toml", &link("1 Mbit/s", "10 s"));
    write(directory, "links/sound.toml", &link("10 Mbit/s", "10 ms"));
    let work = |size: &str| format!("title = \"x\"\nkind = \"bulk\"\nsize = \"{size}\"\ndirection = \"down\"\n");
    write(directory, "workloads/endless.toml", &work("100 GB"));
    write(directory, "workloads/small.toml", &work("100 kB"));
    for (links, workload) in [
        ("\"endless\"", "endless"),
        ("\"slow\", \"sound\"", "small"),
        ("\"sound\"", "small"),
    ] {
        let name = links.replace(['"', ',', ' '], "");
        let text = format!(
            "title = \"x\"\nlinks = [{links}]\nvariants = [\"sack\"]\nworkload = \"{workload}\"\nrepetitions = 1\nseed = 1\n[tcp]\nmss = \"64 B\"\n"
        );
        write(directory, &format!("experiments/{name}.toml"), &text);
    }
    directory.to_owned()
}

/// The engine on one of those experiments, with these limits.
fn engine(place: &Path, experiment: &str, options: &[&str], limits: &[(&str, &str)]) -> Output {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../profiles");
    let mut command = Command::new(env!("CARGO_BIN_EXE_windlull-engine"));
    command.arg("--profiles").arg(profiles(&place.join("profiles")));
    command.arg("--profiles").arg(shipped);
    command.args(["run", experiment, "--jobs", "1"]).args(options);
    command.env("XDG_STATE_HOME", place).envs(limits.iter().copied());
    command.output().expect("the engine can be started")
}

fn ended(output: &Output) -> Vec<Value> {
    let said = String::from_utf8(output.stdout.clone()).expect("the engine says text");
    let lines = said
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"));
    lines
        .filter(|line: &Value| line["event"] == "run" || line["event"] == "failed")
        .collect()
}

fn reason(output: &Output) -> String {
    let ended = ended(output);
    assert_eq!(ended.len(), 1, "{ended:?}");
    assert_eq!(ended[0]["event"], "failed", "{ended:?}");
    assert_eq!(output.status.code(), Some(1));
    ended[0]["reason"].as_str().expect("a reason").to_owned()
}

#[test]
fn a_run_that_needs_too_much_disk_ends_and_leaves_nothing() {
    let place = tempfile::tempdir().expect("a directory");
    let out = place.path().join("out");
    // Captures fill it; without them the rows of the diagram do.
    for option in ["--no-series", "--no-pcap"] {
        let limits = [("WINDLULL_RUN_DISK_BYTES", "20000000")];
        let output = engine(
            place.path(),
            "endless",
            &["--out", out.to_str().expect("a name"), option],
            &limits,
        );
        assert_eq!(
            reason(&output),
            "it needs more than 19 MiB of disk; WINDLULL_RUN_DISK_BYTES sets another limit",
            "{option}"
        );
        let left: Vec<_> = fs::read_dir(out.join("runs/sack")).expect("a directory").collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn a_run_that_needs_too_many_events_ends_with_and_without_files() {
    let place = tempfile::tempdir().expect("a directory");
    let out = place.path().join("out").display().to_string();
    for options in [&[][..], &["--out", &out]] {
        let output = engine(place.path(), "endless", options, &[("WINDLULL_RUN_EVENTS", "200000")]);
        assert_eq!(
            reason(&output),
            "it needs more than 200000 events; WINDLULL_RUN_EVENTS sets another limit"
        );
    }
}

#[test]
fn the_limit_of_events_is_exact() {
    let place = tempfile::tempdir().expect("a directory");
    let passes = |most: u64| {
        let most = most.to_string();
        let output = engine(place.path(), "sound", &[], &[("WINDLULL_RUN_EVENTS", &most)]);
        ended(&output)[0]["event"] == "run"
    };
    // The fewest events with which it is made, by halving.
    let (mut fails, mut enough) = (0, 20_000);
    assert!(passes(enough));
    while enough - fails > 1 {
        let middle = u64::midpoint(fails, enough);
        if passes(middle) {
            enough = middle;
        } else {
            fails = middle;
        }
    }
    // 100,000 octets are 1563 segments of 64; each is sent, and something happens when it arrives.
    assert!((2 * 1563..8 * 1563).contains(&enough), "{enough}");
    assert!(!passes(enough - 1) && passes(enough) && passes(enough + 1));
}

#[test]
fn a_run_that_takes_too_long_in_its_own_time_ends_and_the_other_is_made() {
    let place = tempfile::tempdir().expect("a directory");
    let output = engine(place.path(), "slowsound", &[], &[("WINDLULL_RUN_VIRTUAL_S", "15")]);
    assert_eq!(output.status.code(), Some(1));
    let ended = ended(&output);
    let of = |link: &str| ended.iter().find(|line| line["link"] == link).expect("it is told");
    assert_eq!(
        of("slow")["reason"],
        "it needs more than 15 s of virtual time; WINDLULL_RUN_VIRTUAL_S sets another limit"
    );
    assert_eq!(of("sound")["event"], "run");
    assert_eq!(of("sound").get("unfinished"), None);
}

#[test]
fn a_limit_that_is_no_number_is_refused() {
    let place = tempfile::tempdir().expect("a directory");
    let output = engine(place.path(), "sound", &[], &[("WINDLULL_RUN_EVENTS", "many")]);
    assert_eq!(output.status.code(), Some(2));
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        complaint,
        "error: WINDLULL_RUN_EVENTS=many: write a whole number above zero\n"
    );
}
