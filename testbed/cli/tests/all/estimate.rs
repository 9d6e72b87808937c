//! The estimate in a plan against what runs of the shipped experiments came to.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The estimate is within this factor of what is measured, either way. Paths with retransmissions by the hundred, as in
/// jacobson1988, and captures of several flows are further off.
const FACTOR: f64 = 1.5;

const EXPERIMENTS: [&str; 8] = [
    "first-look",
    "bench/s1-sack",
    "bench/s2-sack",
    "detectors",
    "papers/gurtov2003/table-1",
    "papers/gurtov2003/figure-3",
    "papers/psaras2007/figure-1",
    "papers/jacobson1988/figure-5",
];

fn engine(arguments: &[&str]) -> Vec<Value> {
    let profiles = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../profiles");
    let mut command = Command::new(env!("CARGO_BIN_EXE_windlull-engine"));
    command.arg("--profiles").arg(profiles).args(arguments);
    let output = command.output().expect("the engine can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).expect("the engine says text");
    said.lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "they are compared by a factor")]
fn float(number: u64) -> f64 {
    number as f64
}

/// Packets and octets of all files of a run.
fn measured(directory: &Path) -> (u64, u64) {
    let fates = fs::read_to_string(directory.join("fates.csv")).expect("it was written");
    let rows = fates.lines().filter(|line| !line.starts_with('#')).skip(1).count() as u64;
    let files = fs::read_dir(directory).expect("it was written");
    let octets = files.map(|file| file.and_then(|file| file.metadata()).expect("it was written").len());
    (rows, octets.sum())
}

#[test]
fn shipped_experiments_need_about_what_was_estimated() {
    for name in EXPERIMENTS {
        let place = tempfile::tempdir().expect("a directory");
        let planned = engine(&["plan", "--brief", "--reps", "2", name]);
        let estimate = &planned[0]["estimate"];
        let said = engine(&[
            "run",
            name,
            "--reps",
            "2",
            "--out",
            place.path().to_str().expect("a name"),
        ]);
        let runs = said.iter().filter(|line| line["event"] == "run");
        let (mut packets, mut octets, mut most) = (0, 0, 0);
        for run in runs {
            let directory = run["directory"].as_str().expect("a directory");
            let (of_run, bytes) = measured(&place.path().join(directory));
            (packets, octets, most) = (packets + of_run, octets + bytes, most.max(of_run));
        }
        for (what, estimated, measured) in [
            ("packets", &estimate["packets"], packets),
            ("octets", &estimate["disk_bytes"], octets),
            ("packets of the largest", &estimate["largest"]["packets"], most),
        ] {
            let ratio = float(estimated.as_u64().expect("a number")) / float(measured);
            assert!(
                (1.0 / FACTOR..=FACTOR).contains(&ratio),
                "{name}: {what}: {measured}, estimated {estimated}"
            );
        }
    }
}

/// The same segments in packets of 20 octets more, of which both captures have the headers.
#[test]
fn over_ipv6_the_headers_are_larger() {
    let place = tempfile::tempdir().expect("a directory");
    let estimate = |lines: &str| {
        let file = place.path().join("experiment.toml");
        let text = "title = \"x\"\nlink = \"gprs\"\nvariants = [\"sack\"]\nworkload = \"bulk-1-mb-down\"\n[capture]\nsnaplen = \"headers\"\n";
        fs::write(&file, format!("{lines}{text}")).expect("a file");
        let planned = engine(&["plan", "--brief", file.to_str().expect("a name")]);
        let of = |name: &str| planned[0]["estimate"][name].as_u64().expect("a number");
        (of("packets"), of("disk_bytes"))
    };
    let (packets, four) = estimate("tcp.mss = \"1000 B\"\n");
    let (others, six) = estimate("network = \"ipv6\"\ntcp.mss = \"1020 B\"\n");
    assert_eq!(packets, others);
    assert!(
        (six - four).abs_diff(2 * 20 * packets) <= 2 * 20,
        "{four} and {six}, {packets} packets"
    );
}

/// The negative control: an experiment a million times as large as any that is shipped is far beyond all limits.
#[test]
fn what_would_take_the_machine_is_seen_before() {
    let place = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| fs::write(place.path().join(name), text).expect("a file");
    write(
        "link.toml",
        "title = \"x\"\n[both]\nrate = \"1000 Gbit/s\"\ndelay = \"0 s\"\nqueue = { kind = \"droptail\", limit = \"1000000 packets\" }\n",
    );
    write(
        "work.toml",
        "title = \"x\"\nkind = \"bulk\"\nsize = \"100 GB\"\ndirection = \"down\"\n",
    );
    write(
        "experiment.toml",
        "title = \"x\"\nlink = \"link.toml\"\nvariants = [\"sack\"]\nworkload = \"work.toml\"\nrepetitions = 1\n[tcp]\nera = \"2003\"\nmss = \"64 B\"\n",
    );
    let file = place.path().join("experiment.toml");
    let planned = engine(&["plan", "--brief", file.to_str().expect("a name")]);
    let estimate = &planned[0]["estimate"];
    let of = |path: &str| estimate.pointer(path).and_then(Value::as_f64).expect("a number");
    // 100 GB in segments of 64 octets, and an acknowledgement of each.
    assert!((3.1e9..3.2e9).contains(&of("/packets")), "{estimate}");
    assert!(
        of("/largest/disk_bytes") > 10.0 * of("/limits/disk_bytes"),
        "{estimate}"
    );
    assert!(of("/seconds") > 3600.0, "{estimate}");
}
