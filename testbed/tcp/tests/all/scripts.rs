//! The packet scripts, folder by folder.

use std::collections::BTreeSet;

use crate::script;
use windlull_tcp::{AfterSpurious, Detection, Estimator, Minimum, Recovery, Response};

/// Every folder's scripts; what fails is told by its file.
#[test]
fn every_script_passes() {
    let failures: Vec<String> = script::folders()
        .iter()
        .flat_map(|folder| script::failures(folder))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The harness itself: a script that is wrong in one point fails.
#[test]
fn wrong_scripts_fail() {
    let script = "open\n0 ms write 1\n0 ms > 0 new-data\n1 s > 0 timeout\n1 s = cwnd 1\n1 s ! timeout 1";
    assert_eq!(script::run_text(script), Ok(()));
    for (right, wrong) in [
        ("1 s > 0 timeout", "1001 ms > 0 timeout"),
        ("1 s > 0 timeout", "999 ms > 0 timeout"),
        ("1 s > 0 timeout", "1 s > 0 after-timeout"),
        ("1 s > 0 timeout", "1 s > 1 timeout"),
        ("1 s > 0 timeout\n", ""),
        ("1 s = cwnd 1", "1 s = cwnd 2"),
        ("1 s ! timeout 1", "1 s ! timeout 2"),
        ("0 ms write 1", "0 ms write 2"),
    ] {
        let failure = script::run_text(&script.replace(right, wrong));
        assert!(
            failure.is_err_and(|message| message.contains("history:")),
            "{wrong} passed"
        );
    }
}

#[test]
fn every_registered_mechanism_has_scripts() {
    let recovery = Recovery::ALL.iter().map(|value| format!("recovery/{value}"));
    let detection = Detection::ALL.iter().map(|value| format!("detection/{value}"));
    let response = Response::ALL.iter().map(|value| format!("response/{value}"));
    let timer = Estimator::ALL.iter().map(|value| format!("timer/{value}"));
    let minimum = Minimum::ALL.iter().map(|value| format!("minimum/{value}"));
    let after = AfterSpurious::ALL.iter().map(|value| format!("after_spurious/{value}"));
    let folders: BTreeSet<String> = script::folders().into_iter().collect();
    let all = recovery.chain(detection).chain(response).chain(timer);
    for folder in all.chain(minimum).chain(after) {
        assert!(folders.contains(&folder), "{folder} has no scripts");
    }
}
