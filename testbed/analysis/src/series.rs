//! The columns behind the time-sequence diagram: what happened when, with the verdicts.

mod builder;
mod columns;
mod data;
mod tables;
mod window;

pub use builder::SeriesBuilder;
pub use columns::{Series, SeriesRun};
