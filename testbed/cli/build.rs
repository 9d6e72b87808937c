//! Puts into the binary which source made it: the commit, what differs from it, and a hash of the sources themselves.
//!
//! `WINDLULL_COMMIT` is the commit's first 12 digits. Where a source of the workspace differs from that commit, `+` and the
//! first 12 digits of the sources' hash follow. Where there is no git it is `unknown+` and the hash.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use sha2::{Digest as _, Sha256};

/// From this crate to the workspace.
const WORKSPACE: &str = "../..";
/// What the engine is built of, beside the crates' sources.
const MANIFESTS: [&str; 2] = ["Cargo.toml", "Cargo.lock"];
/// Where the crates are.
const ROOMS: [&str; 2] = ["emulator", "testbed"];
const DIGITS: usize = 12;

fn main() {
    let parts = parts().expect("the workspace can be read by whoever builds it");
    let sources = hash(&parts).expect("the workspace can be read by whoever builds it");
    let commit = match (git(&["rev-parse", "--short=12", "HEAD"]), changed(&parts)) {
        (Some(commit), Some(false)) => commit,
        (commit, _) => format!("{}+{}", commit.as_deref().unwrap_or("unknown"), &sources[..DIGITS]),
    };
    println!("cargo:rustc-env=WINDLULL_COMMIT={commit}");
    println!("cargo:rustc-env=WINDLULL_SOURCES={sources}");
    for part in &parts {
        println!("cargo:rerun-if-changed={WORKSPACE}/{}", part.display());
    }
    // A commit changes what differs from it, and no source. What git does not have is not named: Cargo would always
    // build anew.
    for name in ["HEAD", "logs/HEAD"] {
        let path = git(&["rev-parse", "--git-path", name]).map(|path| Path::new(WORKSPACE).join(path));
        if let Some(path) = path.filter(|path| path.exists()) {
            println!("cargo:rerun-if-changed={}", path.display());
        }
    }
}

/// The manifests, build scripts and `src` directories of the workspace, in order, relative to it.
fn parts() -> io::Result<BTreeSet<PathBuf>> {
    let mut parts: BTreeSet<PathBuf> = MANIFESTS.iter().map(PathBuf::from).collect();
    let mut rooms: Vec<PathBuf> = ROOMS.iter().map(PathBuf::from).collect();
    while let Some(room) = rooms.pop() {
        for entry in fs::read_dir(Path::new(WORKSPACE).join(&room))? {
            let (name, directory) = entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?.is_dir())))?;
            let path = room.join(&name);
            match name.to_str() {
                Some("src" | "Cargo.toml" | "build.rs") => _ = parts.insert(path),
                _ if directory => rooms.push(path),
                _ => {}
            }
        }
    }
    Ok(parts)
}

/// SHA-256 over the names and the contents of all files of these parts, in hexadecimal.
fn hash(parts: &BTreeSet<PathBuf>) -> io::Result<String> {
    let mut files = BTreeSet::new();
    let mut left: Vec<PathBuf> = parts.iter().cloned().collect();
    while let Some(path) = left.pop() {
        let place = Path::new(WORKSPACE).join(&path);
        if place.is_dir() {
            for entry in fs::read_dir(place)? {
                left.push(path.join(entry?.file_name()));
            }
        } else {
            files.insert(path);
        }
    }
    let mut digest = Sha256::new();
    for file in files {
        let content = fs::read(Path::new(WORKSPACE).join(&file))?;
        digest.update(format!("{}\0{}\0", file.display(), content.len()));
        digest.update(content);
    }
    Ok(digest.finalize().iter().map(|octet| format!("{octet:02x}")).collect())
}

/// Whether a file of these parts differs from the commit, or is not in it; nothing where there is no git.
fn changed(parts: &BTreeSet<PathBuf>) -> Option<bool> {
    let asked = [
        "--no-optional-locks",
        "status",
        "--porcelain",
        "--untracked-files=all",
        "--",
    ];
    let parts = parts
        .iter()
        .map(|part| part.to_str().expect("sources have names of letters"));
    git(&asked.into_iter().chain(parts).collect::<Vec<_>>()).map(|output| !output.is_empty())
}

/// What git says of the workspace; nothing where it is not there, or this is no repository of its own.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(WORKSPACE)
        .args(arguments)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
