//! The netem plane between two bridges. Where the kernel lacks a part of it, that must be said before anything runs;
//! `make test-kernel` runs this in a kernel that has all.

use libtest_mimic::Failed;
use serde_json::Value;
use windlull_capture::Crossing;

use crate::captures;
use crate::networks::{Networks, Role};
use crate::runs::{self, Run};

/// Plays a link by tc and nft, which leaves the emulator's namespace as it was.
pub(crate) fn plays_between_two_bridges() -> Result<(), Failed> {
    let networks = Networks::build()?;
    let before = networks.state()?;
    let _processes = networks.start_all()?;
    let rules = networks.rules()?;
    let doctor = runs::doctor(&networks)?;
    if lacks_netem(&doctor) {
        return must_be_refused(&networks);
    }
    let done = Run::netem(&networks, &[]).done()?;
    for variant in ["frto+sack", "linux"] {
        let record = done.record(&format!("runs/compose/{variant}/001"))?;
        assert_eq!(record["received"]["octets"], runs::SHORT, "{variant}");
        assert_eq!(record["certificate"]["plane"], "netem", "{variant}");
        let captures = ["server.pcapng", "client.pcapng"];
        let [sent, arrived] = captures.map(|name| done.out().join(format!("runs/compose/{variant}/001/{name}")));
        for capture in [&sent, &arrived] {
            captures::must_be_clean(capture)?;
        }
        let sent = captures::times_s(&sent, Crossing::Outbound)?;
        let arrived = captures::times_s(&arrived, Crossing::Inbound)?;
        // The script loses the seventh packet; nothing else does.
        assert_eq!(sent.len(), arrived.len() + 1, "{variant}");
        let took = arrived.last().zip(arrived.first()).map(|(last, first)| last - first);
        // At 400 kbit/s, and for a second nothing arrives.
        let least_s = runs::SHORT as f64 * 8.0 / 400e3;
        assert!(took.is_some_and(|took| took > least_s), "{variant}: {took:?} s");
        let widest = arrived.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
        assert!(
            (0.9..3.0).contains(&widest),
            "{variant}: no hold of a second: {widest} s"
        );
        // 20 ms from one end to the other and the time of the bits, for the first packet.
        let first = arrived[0] - sent[0];
        assert!((0.020..0.030).contains(&first), "{variant}: {first} s");
    }
    assert_eq!(networks.rules()?, rules, "something of the plane was left");
    assert_eq!(networks.changed_since(&before)?, [""; 0]);
    networks.must_be_empty()
}

/// The emulator is killed while its rules are there: the next one removes them, and the run is made again.
pub(crate) fn killed_between_two_bridges() -> Result<(), Failed> {
    let networks = Networks::build()?;
    let before = networks.state()?;
    let rules = networks.rules()?;
    let mut processes = networks.start_all()?;
    if lacks_netem(&runs::doctor(&networks)?) {
        return must_be_refused(&networks);
    }
    let mut run = Run::long_by_netem(&networks, &["--attempts", "2"]).begin()?;
    run.wait_for_progress()?;
    processes.kill(Role::Emulator)?;
    let left = networks.rules()?;
    assert!(
        left.contains("down-queue") && left.contains("table netdev windlull"),
        "it was killed before its link stood: {left}"
    );
    processes.start(&networks, Role::Emulator)?;
    let done = run.finished()?;
    assert_eq!(done["attempts"], 2, "{done}");
    assert_eq!(networks.rules()?, rules, "something of the plane was left");
    assert_eq!(networks.changed_since(&before)?, [""; 0]);
    networks.must_be_empty()
}

pub(crate) fn lacks_netem(doctor: &Value) -> bool {
    assert_eq!(doctor["works"], true, "{doctor}");
    !doctor["why"]
        .as_str()
        .unwrap_or_default()
        .contains("planes model and netem")
}

fn must_be_refused(networks: &Networks) -> Result<(), Failed> {
    let said = Run::netem(networks, &[]).refused()?;
    assert!(
        said.contains("the plane netem does not work") && said.contains("--plane model"),
        "{said}"
    );
    Ok(())
}
