//! Sentences, and the words that several have.

use schemars::JsonSchema;
use serde::Serialize;
use windlull_units::{Direction, Span, Time};

/// What happened, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Sentence {
    pub at_ns: Time,
    pub text: String,
}

/// `down-link` or `up-link`.
pub(super) const fn way(direction: Direction) -> &'static str {
    match direction {
        Direction::Down => "down-link",
        Direction::Up => "up-link",
    }
}

/// To the millisecond, as Wireshark's time column shows them.
pub(super) fn seconds(span: Span) -> String {
    format!("{:.3} s", span.as_secs_f64())
}

/// What became of a window, in octets.
pub(crate) fn went(before: u64, after: u64) -> String {
    if before == after {
        format!("stayed at {before} octets")
    } else {
        format!("went from {before} to {after} octets")
    }
}

pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
