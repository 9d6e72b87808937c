//! The columns behind the time-sequence diagram: what happened when, with the verdicts.

mod builder;
mod column;
mod columns;
mod data;
mod lanes;
mod scratch;
mod sorted;
mod tables;
mod window;

pub use builder::SeriesBuilder;
pub use columns::{Series, SeriesRun};
pub use scratch::{MakeScratchFile, ScratchFile};
