//! A workload file: found, read, and made into a transfer.

use std::path::PathBuf;

use windlull_profile::{Document, Kind, Library, Located, Problems, asked};
use windlull_units::{Bytes, Host};

use crate::file::{DirectionFile, WorkloadFile, WorkloadKind};

/// A valid workload with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    /// Its name in the library.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// What it is, in a line.
    pub title: String,
    /// More about it.
    pub description: Option<String>,
    /// Where its numbers come from.
    pub source: Option<String>,
    /// The kind of transfer.
    pub kind: WorkloadKind,
    /// How much data.
    pub size: Bytes,
    /// Who sends the data, opens the connection and closes first.
    pub data_sender: Host,
}

impl Workload {
    /// Loads a workload by its name or path.
    ///
    /// # Errors
    /// All that is wrong with its file.
    pub fn load(library: &Library, name: &str) -> Result<Self, Problems> {
        Self::load_from(library, &library.locate(Kind::Workload, name, None, &asked)?)
    }

    /// Loads a workload that was located already.
    ///
    /// # Errors
    /// As [`Workload::load`].
    pub fn load_from(library: &Library, located: &Located) -> Result<Self, Problems> {
        let path = located.path.display().to_string();
        let text = library.text(&path, None, &asked)?;
        let file = Document::<WorkloadFile>::read(&path, &text)?.value;
        Ok(Self {
            name: located.name.clone(),
            path: located.path.clone(),
            title: file.title,
            description: file.description,
            source: file.source,
            kind: file.kind,
            size: file.size.0,
            data_sender: match file.direction {
                DirectionFile::Down => Host::Server,
                DirectionFile::Up => Host::Client,
            },
        })
    }
}
