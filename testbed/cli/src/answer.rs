//! What the engine says on standard output.

use std::io::{self, Write};

use serde::Serialize;

use crate::failure::Failure;

/// One JSON value on one line.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).expect("what the engine says has string keys and finite numbers");
    text_line(&text)
}

pub(crate) fn text(text: &str) -> Result<(), Failure> {
    text_line(text.trim_end_matches('\n'))
}

fn text_line(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    // Whoever listens wants each line when it is said.
    writeln!(out, "{text}")
        .and_then(|()| out.flush())
        .map_err(|error| Failure::Machine(format!("cannot write to standard output: {error}")))
}
