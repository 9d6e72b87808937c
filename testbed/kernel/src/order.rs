//! What runner and first process tell each other, by files in the directory of a session.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// What is to be run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    /// The program and its arguments.
    pub(crate) command: Vec<String>,
    pub(crate) directory: PathBuf,
    /// All of its environment.
    pub(crate) environment: Vec<(String, String)>,
    /// Directories of the machine that may be written, besides the session's own.
    pub(crate) writable: Vec<PathBuf>,
}

/// How it ended.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    Exit(u8),
    Signal(u8),
    NotStarted(String),
}

/// The files of a session.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    directory: PathBuf,
}

impl Session {
    pub(crate) fn at(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
        }
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The [`Order`], JSON.
    pub(crate) fn order(&self) -> PathBuf {
        self.directory.join("order")
    }

    /// The [`Ending`], JSON.
    pub(crate) fn ending(&self) -> PathBuf {
        self.directory.join("ending")
    }

    pub(crate) fn stdout(&self) -> PathBuf {
        self.directory.join("stdout")
    }

    pub(crate) fn stderr(&self) -> PathBuf {
        self.directory.join("stderr")
    }

    /// What the kernel itself says.
    pub(crate) fn console(&self) -> PathBuf {
        self.directory.join("console")
    }

    /// The virtual seconds since boot, as of the last heartbeat.
    pub(crate) fn beat(&self) -> PathBuf {
        self.directory.join("beat")
    }

    /// Home and temporary files of the command.
    pub(crate) fn home(&self) -> PathBuf {
        self.directory.join("home")
    }
}
