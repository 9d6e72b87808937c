//! Runs replayed by their own fates: every variant of ours sends what it sent, when it sent it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use windlull_capture::{Event, read_events, read_pcap};
use windlull_units::Time;
use windlull_wire::SenderEvent;

use crate::support::{engine, runs};

/// Losses, packets that overtake each other, holds and an outage, marks, a queue that overflows, and link-layer repair.
const LINKS: [&str; 6] = [
    "handovers-reordering",
    "mobile-with-holds",
    "bufferbloat-codel",
    "sarolahti2003-losses-5pct",
    "gprs-one-pause",
    "wifi-6-far",
];

fn run(place: &Path, name: &str, experiment: &str) -> PathBuf {
    let file = place.join(format!("{name}.toml"));
    fs::write(&file, experiment).expect("a file can be written");
    let out = place.join(format!("out-{name}"));
    let output = engine(&[
        "run",
        &file.display().to_string(),
        "--no-series",
        "--out",
        &out.display().to_string(),
    ]);
    assert!(
        output.status.success(),
        "{name}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    out
}

/// The names of all variants that are ours.
fn ours() -> Vec<String> {
    let listed: Value = serde_json::from_slice(&engine(&["list", "variants"]).stdout).expect("JSON");
    let rows = listed.as_array().expect("a list").iter();
    let names = rows.map(|row| row["name"].as_str().expect("a name").to_owned());
    let is_ours = |name: &String| {
        let text = fs::read_to_string(
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../../profiles/variants")
                .join(format!("{name}.toml")),
        );
        let text = text.expect("a shipped variant");
        let base = text.lines().find_map(|line| line.strip_prefix("extends = "));
        let elsewhere = ["linux", "noq", "quiche", "quinn", "smoltcp"];
        let is_elsewhere = |name: &str| elsewhere.iter().any(|other| name.trim_matches('"').starts_with(other));
        !is_elsewhere(name) && !base.is_some_and(is_elsewhere) && !text.contains("[transport]")
    };
    names.filter(is_ours).collect()
}

/// What passed at both hosts: when, and every octet that the capture kept.
fn passed(run: &Path) -> Vec<(Option<u64>, Vec<u8>)> {
    let mut all = Vec::new();
    for host in ["server.pcapng", "client.pcapng"] {
        let file = fs::read(run.join(host)).expect("a capture");
        let mut packets = read_pcap(file.as_slice()).expect("a capture");
        while let Some(packet) = packets.next_packet().expect("a whole capture") {
            all.push((packet.at_ns, packet.octets.to_vec()));
        }
    }
    all
}

fn decisions(run: &Path) -> Vec<(Time, SenderEvent)> {
    let text = fs::read(run.join("events.jsonl")).expect("events");
    let events = read_events(text.as_slice()).map(|event| event.expect("an event"));
    let of_sender = events.filter_map(|(at, event)| match event {
        Event::Sender(_, event) => Some((at, event)),
        Event::Link(_) => None,
    });
    of_sender.collect()
}

/// What is told of a run.
fn told(run: &Path) -> Value {
    serde_json::from_slice(&fs::read(run.join("run.json")).expect("a file")).expect("JSON")
}

#[test]
fn every_variant_does_again_what_it_did() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let variants = ours();
    assert!(variants.len() > 40, "{variants:?}");
    let names = |all: &[String]| format!("{all:?}");
    let first = format!(
        "title = \"First\"\nlinks = {LINKS:?}\nvariants = {}\nworkload = \"bulk-100-kib-down\"\nseed = 11\n",
        names(&variants)
    );
    let recorded = runs(&run(place.path(), "first", &first));
    assert_eq!(recorded.len(), LINKS.len() * variants.len());
    let (mut packets, mut losses) = (0, 0);
    let mut times = BTreeMap::new();
    for (number, run_before) in recorded.iter().enumerate() {
        let of = told(run_before);
        let variant = of["provenance"]["variant"].as_str().expect("a name");
        // Each variant by all three, in turns.
        let before = times.entry(variant.to_owned()).or_insert(0_usize);
        let by = ["packet", "time", "octets"][*before % 3];
        *before += 1;
        let fates = run_before.join("fates.csv");
        let again = format!(
            "title = \"Again\"\nlink = {{ fates = {:?}, by = {by:?} }}\nvariants = [{variant:?}]\n\
             workload = \"bulk-100-kib-down\"\nseed = 11\n",
            fates.display().to_string()
        );
        let name = format!("again-{number}-{by}");
        let replayed = runs(&run(place.path(), &name, &again));
        let [replayed] = replayed.as_slice() else {
            panic!("one run, not {replayed:?}");
        };
        let which = format!("{}, by {by}", run_before.display());
        assert_eq!(passed(replayed), passed(run_before), "{which}");
        assert_eq!(decisions(replayed), decisions(run_before), "{which}");
        let metrics = &told(replayed)["metrics"];
        assert_eq!(
            [&metrics["unrecorded_packets"], &metrics["resized_packets"]],
            [0, 0],
            "{which}"
        );
        let text = |run: &Path| fs::read_to_string(run.join("fates.csv")).expect("fates");
        assert_eq!(text(replayed), text(run_before), "{which}");
        packets += text(replayed).lines().count() - 1;
        losses += text(replayed)
            .lines()
            .filter(|line| !line.contains(",delivered,"))
            .count()
            - 1;
        fs::remove_dir_all(place.path().join(format!("out-{name}"))).expect("it is there");
    }
    assert!(
        packets > 10_000 && losses > 100 && times.values().all(|&runs| runs > 2),
        "{packets} packets, {losses} lost"
    );
}

/// A run of this variant on a link with losses, and where its files are.
fn recorded(place: &Path, variant: &str) -> PathBuf {
    let experiment = format!(
        "title = \"Recorded\"\nlink = \"mobile-with-holds\"\nvariants = [{variant:?}]\nworkload = \"bulk-1-mb-down\"\n"
    );
    let all = runs(&run(place, "recorded", &experiment));
    let [run] = all.as_slice() else {
        panic!("one run, not {all:?}");
    };
    run.clone()
}

/// An experiment in which this link is played to a variant.
fn played(link: &str, variant: &str) -> String {
    format!("title = \"Played\"\nlink = {link}\nvariants = [{variant:?}]\nworkload = \"bulk-1-mb-down\"\n")
}

#[test]
fn what_packets_carried_is_read_from_the_captures_and_kept_in_results() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let before = recorded(place.path(), "sack");
    let text = |run: &Path| fs::read_to_string(run.join("fates.csv")).expect("fates");
    // The run's directory serves as well as the file in it.
    let within = before.strip_prefix(place.path()).expect("it is below");
    let link = format!("{{ fates = {:?}, by = \"octets\" }}", within.display().to_string());
    let out = run(place.path(), "again", &played(&link, "sack"));
    assert_eq!(text(&runs(&out)[0]), text(&before));
    // Another variant, whose packets come in another order: the experiment's results alone repeat it.
    let out = run(place.path(), "other", &played(&link, "frto+sack"));
    let other = text(&runs(&out)[0]);
    assert_ne!(other, text(&before));
    let plan = engine(&[
        "plan",
        &place.path().join("other.toml").display().to_string(),
        "--brief",
    ]);
    let plan: Value = serde_json::from_slice(&plan.stdout).expect("JSON");
    let csv = plan["experiment"]["links"][0]["resolved"]["replay"]["csv"]
        .as_str()
        .expect("the rows of the recording");
    assert!(
        csv.lines()
            .next()
            .expect("a heading")
            .ends_with(",first_octet,end_octet")
    );
    fs::remove_dir_all(&before).expect("it is there");
    fs::write(place.path().join("kept.csv"), csv).expect("a file can be written");
    let link = "{ fates = \"kept.csv\", by = \"octets\" }";
    let out = run(place.path(), "kept", &played(link, "frto+sack"));
    assert_eq!(text(&runs(&out)[0]), other);
}

#[test]
fn a_run_says_where_it_left_the_recording() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let before = recorded(place.path(), "sack");
    assert_eq!(told(&before)["replayed"], Value::Null);
    let rows = fs::read_to_string(before.join("fates.csv")).expect("fates");
    // The recording ends early: all that has more packets leaves it.
    let kept: Vec<&str> = rows.lines().take(101).collect();
    fs::write(place.path().join("short.csv"), format!("{}\n", kept.join("\n"))).expect("a file can be written");
    let out = run(place.path(), "short", &played("{ fates = \"short.csv\" }", "sack"));
    let all = runs(&out);
    let run = &all[0];
    let told = told(run);
    let fates = fs::read_to_string(run.join("fates.csv")).expect("fates");
    let of = |way: &str, text: &str| text.lines().filter(|line| line.contains(&format!(",{way},"))).count();
    for way in ["down", "up"] {
        let (all, recorded) = (of(way, &fates), of(way, &kept.join("\n")));
        assert!(all > recorded, "{way}: {all} packets, {recorded} recorded");
        let counted = &told["replayed"][way];
        assert_eq!(counted["packets"], all, "{way}");
        assert_eq!(counted["unrecorded"], all - recorded, "{way}");
        assert!(
            counted["unrecorded_from_ns"].as_u64().is_some_and(|from| from > 0),
            "{way}"
        );
    }
    let sum = |key: &str| {
        ["down", "up"]
            .map(|way| told["replayed"][way][key].as_u64().unwrap_or(0))
            .iter()
            .sum::<u64>()
    };
    assert_eq!(told["metrics"]["unrecorded_packets"], sum("unrecorded"));
    assert_eq!(told["metrics"]["replayed_packets"], sum("packets"));
    assert_eq!(told["metrics"]["resized_packets"], sum("resized"));
}

#[test]
fn captures_that_do_not_say_what_packets_carried_are_refused() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let before = recorded(place.path(), "sack");
    let file = place.path().join("x.toml");
    let link = format!("{{ fates = {:?}, by = \"octets\" }}", before.display().to_string());
    fs::write(&file, played(&link, "sack")).expect("a file can be written");
    let said = || {
        let output = engine(&["plan", &file.display().to_string()]);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    // Packets of another run have other numbers, here none that the fates have.
    let fates = before.join("fates.csv");
    let text = fs::read_to_string(&fates).expect("fates");
    let heading = text.lines().next().expect("a heading");
    fs::write(
        &fates,
        format!("{heading}\n999999,down,40,5,5,5,0,0,0,0,0,,delivered,6\n"),
    )
    .expect("a file can be written");
    let told = said();
    assert!(told.contains("x.toml:2") && told.contains("of another run"), "{told}");
    fs::write(&fates, text).expect("a file can be written");
    fs::write(before.join("client.pcapng"), "nothing").expect("a file can be written");
    let told = said();
    assert!(told.contains("second capture: not a pcap or pcapng file"), "{told}");
    fs::remove_file(before.join("client.pcapng")).expect("it is there");
    let told = said();
    assert!(told.contains("there is no client.pcapng beside it"), "{told}");
}

#[test]
fn what_cannot_be_replayed_is_told_with_its_place() {
    let place = tempfile::tempdir().expect("a directory can be made");
    let said = |link: &str| {
        let file = place.path().join("x.toml");
        let text = format!("title = \"X\"\nlink = {link}\nvariants = [\"sack\"]\nworkload = \"bulk-100-kib-down\"\n");
        fs::write(&file, text).expect("a file can be written");
        let output = engine(&["plan", &file.display().to_string()]);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let header = "id,direction,size_bytes,entered_ns,started_ns,sent_ns,held_ns,queue_packets,marked,corrupted,reordered,\
                  duplicate_of,end,end_ns";
    fs::write(place.path().join("empty.csv"), format!("{header}\n")).expect("a file can be written");
    fs::write(
        place.path().join("back.csv"),
        format!("{header}\n0,down,40,5,5,5,0,0,0,0,0,,delivered,4\n"),
    )
    .expect("a file can be written");
    fs::write(
        place.path().join("good.csv"),
        format!("{header}\n0,down,40,5,5,5,0,0,0,0,0,,delivered,6\n"),
    )
    .expect("a file can be written");
    fs::write(place.path().join("notes.txt"), "hello\nworld\n").expect("a file can be written");
    fs::create_dir(place.path().join("empty")).expect("a directory can be made");
    for (link, expected) in [
        (
            "{ fates = \"notes.txt\" }",
            "link.fates: notes.txt: is no fates.csv: its first line is \"hello\", and not the heading \"id,direction,",
        ),
        (
            "{ fates = \"empty\" }",
            "link.fates: cannot read \"empty\": the directory has no fates.csv; give that of one run",
        ),
        (
            "{ extends = \"gprs\", fates = \"good.csv\" }",
            "link.extends: does not go with `fates`",
        ),
        (
            "{ both = { delay = \"1 s\" }, fates = \"good.csv\" }",
            "link.both: does not go with `fates`",
        ),
        (
            "{ fate = \"good.csv\" }",
            "link.fate: unknown key; did you mean \"fates\"?",
        ),
        ("{ fates = \"empty.csv\" }", "has no rows under its heading"),
        ("{ fates = \"back.csv\" }", "packet 0 ends before it came to the link"),
        ("{ fates = \"none.csv\" }", "none.csv"),
        ("{ by = \"time\" }", "needs either `fates`"),
        (
            "{ fates = \"good.csv\", by = \"octets\" }",
            "there is no server.pcapng beside it; record it without --no-pcap",
        ),
        ("{ fates = \"back.csv\", by = \"size\" }", "use one of packet, time"),
    ] {
        let told = said(link);
        assert!(told.contains("x.toml:2"), "{link}: {told}");
        assert!(told.contains(expected), "{link}: {told}");
    }
    let flows = |link: &str| format!("{{ fates = \"good.csv\" }}\n{link}");
    let told = said(&flows("flows = [2]"));
    assert!(told.contains("workload: has several flows"), "{told}");
    let told = said(&flows("access = \"gprs\""));
    assert!(told.contains("x.toml:3: access: stands before"), "{told}");
    let link = |more: &str| {
        let file = place.path().join("link.toml");
        fs::write(&file, format!("title = \"L\"\n{more}[replay]\nfates = \"good.csv\"\n"))
            .expect("a file can be written");
        said("\"link.toml\"\nflows = [2]")
    };
    assert!(link("").contains("workload: has several flows"), "{}", link(""));
    let told = link("[both]\ndelay = \"1 s\"\n");
    assert!(told.contains("link.toml:4: replay: plays what packets met"), "{told}");
}
