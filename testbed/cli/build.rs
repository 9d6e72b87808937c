//! Puts the commit into the binary, so that every result says which source made it.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=../../.git/HEAD");
    println!("cargo:rerun-if-changed=../../.git/refs/heads");
    println!("cargo:rerun-if-env-changed=WINDLULL_COMMIT");
    let commit = told().or_else(asked).unwrap_or_else(|| "unknown".to_owned());
    println!("cargo:rustc-env=WINDLULL_COMMIT={commit}");
}

/// What WINDLULL_COMMIT says: where an image is built there is no git.
fn told() -> Option<String> {
    std::env::var("WINDLULL_COMMIT")
        .ok()
        .filter(|commit| !commit.is_empty())
}

fn asked() -> Option<String> {
    Command::new("git")
        .args(["rev-parse", "--short=12", "HEAD"])
        .output()
        .ok()
        .filter(|output| output.status.success())
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map(|text| text.trim().to_owned())
}
