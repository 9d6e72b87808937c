//! `calibrate` for a parent that may be killed.

use std::process::{Command, Stdio};

#[test]
fn the_end_of_a_lifeline_ends_a_measurement() {
    let state = tempfile::tempdir().expect("a directory can be made");
    // Standard input has ended already; a whole measurement takes a minute.
    let output = Command::new(env!("CARGO_BIN_EXE_windlull-engine"))
        .args(["calibrate", "--lifeline"])
        .env("XDG_STATE_HOME", state.path())
        .stdin(Stdio::null())
        .output()
        .expect("the engine can be started");
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    // Where no live testbed works, the refusal may be quicker than the end of the lifeline.
    assert!(matches!(output.status.code(), Some(130 | 1)), "{complaint}");
    assert!(output.stdout.is_empty());
}

#[test]
fn only_the_model_plane_is_measured() {
    let output = Command::new(env!("CARGO_BIN_EXE_windlull-engine"))
        .args(["calibrate", "--plane", "netem"])
        .output()
        .expect("the engine can be started");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("model plane"));
}
