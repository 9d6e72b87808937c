//! What the engine says and writes is what the committed schema says, which other languages' types are made of.

use std::path::Path;
use std::process::Command;

#[test]
fn the_schema_is_current() {
    let said = Command::new(env!("CARGO_BIN_EXE_windlull-engine"))
        .args(["schema", "engine"])
        .output()
        .expect("the engine starts");
    let said: serde_json::Value = serde_json::from_slice(&said.stdout).expect("JSON");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema/engine.json");
    let committed: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&path).expect("there is one")).expect("JSON");
    assert!(
        said == committed,
        "schema/engine.json is not current: run `make generate`"
    );
}
