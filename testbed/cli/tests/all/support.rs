//! What tests of the engine as a process share.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs the engine on the shipped profiles.
pub(crate) fn engine(arguments: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Command::new(env!("CARGO_BIN_EXE_windlull-engine"))
        .arg("--profiles")
        .arg(root.join("profiles"))
        .args(arguments)
        .output()
        .expect("the engine can be started")
}

/// The directories of all runs below one.
pub(crate) fn runs(place: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(place).expect("a directory").flatten() {
        let path = entry.path();
        if path.join("run.json").is_file() {
            found.push(path);
        } else if path.is_dir() {
            found.extend(runs(&path));
        }
    }
    found.sort();
    found
}
