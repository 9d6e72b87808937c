//! A simulated run, judged or written, and the disk that a run may use.
//!
//! The simulator knows no one observer: it is compiled here with the two that watch a run, apart from what reads files and
//! speaks to people, so that an engine that is built for tests has this optimised and that not.

#![forbid(unsafe_code)]

mod quota;
mod series;
mod simulated;

pub use quota::{CountedFile, DISK_BYTES, Exceeded, FILE_BYTES, Nameless, Quota};
pub use series::{write_compressed, write_series};
pub use simulated::{FileRecorder, judge, record};
