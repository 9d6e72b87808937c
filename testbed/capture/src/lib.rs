//! What a run leaves behind: pcapng at both ends, fates, link and sender events, all on one clock.
//!
//! A testbed tells what happens to an [`Observer`]; the analyser is one, the writers of files are others. Readers
//! turn files back into the same calls, so that nobody downstream can tell a simulated run from a live one.

mod observer;

pub use observer::{Observer, Tee};
