#![doc = include_str!("../README.md")]
//!
//! A [`Library`] finds files, [`Link::load`] makes one into a [`windlull_link::model::LinkModel`] or into
//! [`Problems`], each with file, line, key, what is wrong and what would be right. The types of [`mod@file`] are the
//! format: the schema, the check of a file against it and the reference are made from them.

#![forbid(unsafe_code)]

mod complaint;
mod convert;
mod document;
mod each;
mod extend;
pub mod file;
mod kept;
mod kinds;
mod library;
mod light;
mod link;
mod problem;
mod queue;
mod recording;
mod replay;
mod scenario;
mod schema;
mod script;
mod service;
mod structure;
mod summary;
pub mod text;
mod trace;
mod write;

pub use complaint::Complaint;
pub use document::{Document, KeyPlaces};
pub use extend::Extended;
pub use library::{
    Asker, Columns, Disk, Files, Kind, Library, Located, MOST_EXTENDS, absolute, asked, nearest_name, simplified,
};
pub use link::Link;
pub use problem::{Defect, Problem, Problems, is_name, nearest};
pub use scenario::is_scenario;
pub use schema::{FileType, schema_of, schema_of_answers, structure_of};
pub use summary::Fact;
pub use text::TextError;

/// The JSON Schema of link profile files.
pub fn schema() -> schemars::Schema {
    schema_of::<file::LinkFile>()
}
