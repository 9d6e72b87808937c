//! Packet scripts: one behaviour a file, as prose. The language stands in `scripts/README.md`.

mod run;
mod settings;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

/// Runs the scripts of a folder; what went wrong in those that fail.
pub(crate) fn failures(folder: &str) -> Vec<String> {
    let scripts = scripts_in(&root().join(folder));
    scripts.iter().filter_map(|path| run_script(path).err()).collect()
}

/// Runs a script given as text; the error says what went wrong.
pub(crate) fn run_text(text: &str) -> Result<(), String> {
    run::run(text)
}

fn run_script(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).expect("a script is readable");
    run::run(&text).map_err(|failure| format!("{}:{failure}", path.display()))
}

/// The folders with scripts, relative to the root, in order.
pub(crate) fn folders() -> Vec<String> {
    let mut found = Vec::new();
    collect(&root(), &mut found);
    found.sort();
    found
}

fn collect(folder: &Path, found: &mut Vec<String>) {
    if !scripts_in(folder).is_empty() {
        let relative = folder.strip_prefix(root()).expect("below the root");
        found.push(relative.to_string_lossy().into_owned());
    }
    for entry in fs::read_dir(folder).expect("a folder is readable").flatten() {
        if entry.path().is_dir() {
            collect(&entry.path(), found);
        }
    }
}

fn scripts_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut scripts: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "script"))
        .collect();
    scripts.sort();
    scripts
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts")
}
