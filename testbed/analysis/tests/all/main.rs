//! All tests of the crate from outside, in one program: each more would be linked by itself.

mod bursts;
mod changes;
mod connections;
mod corrupted;
mod ends;
mod episodes;
mod files;
mod limits;
mod linux;
mod oracle;
mod rows;
mod scene;
mod series;
mod timer;
mod tools;
mod verdicts;
