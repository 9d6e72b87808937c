//! How scripts ended, in TAP.

use std::fmt::Write as _;
use std::path::PathBuf;

/// How a script ended.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) passed: bool,
    /// What is to be known of it, a line each.
    pub(super) notes: Vec<String>,
}

/// Result lines, each followed by what is to be known.
pub(super) fn tap(scripts: &[PathBuf], outcomes: &[Outcome]) -> String {
    let mut text = format!("TAP version 14\n1..{}\n", outcomes.len());
    for (number, (path, outcome)) in (1..).zip(scripts.iter().zip(outcomes)) {
        let verdict = if outcome.passed { "ok" } else { "not ok" };
        // A number sign would begin a directive.
        let name = path.display().to_string().replace('#', "\\#");
        let _ = writeln!(text, "{verdict} {number} - {name}");
        for note in &outcome.notes {
            let _ = writeln!(text, "# {note}");
        }
    }
    text
}
