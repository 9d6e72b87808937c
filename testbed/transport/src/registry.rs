//! The stacks that are built into this program.

use std::sync::OnceLock;

use crate::interface::Stack;

static STACKS: OnceLock<Vec<Box<dyn Stack + Send>>> = OnceLock::new();

/// Makes these the stacks of this program; whether they are, as only the first call counts.
pub fn build_in(stacks: Vec<Box<dyn Stack + Send>>) -> bool {
    STACKS.set(stacks).is_ok()
}

/// The stacks that are built in.
pub fn built_in() -> impl Iterator<Item = &'static dyn Stack> {
    STACKS
        .get()
        .into_iter()
        .flatten()
        .map(|stack| stack.as_ref() as &dyn Stack)
}
