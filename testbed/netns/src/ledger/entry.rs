//! What can outlive its process.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Something that stays when the process that made it is killed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Entry {
    /// A directory that becomes a result when it is renamed: its name is `.NAME.part`.
    Draft {
        /// Absolute.
        path: PathBuf,
    },
    /// All such directories below this one: for a sweep that makes thousands of them a second.
    Drafts {
        /// Absolute.
        under: PathBuf,
    },
}

impl Entry {
    /// Whether it is still there.
    pub(super) fn is_there(&self) -> bool {
        match self {
            Self::Draft { path } => path.is_dir(),
            Self::Drafts { under } => drafts_under(under).is_ok_and(|drafts| !drafts.is_empty()),
        }
    }

    /// Removes it, if it is there. What is not ours by its name is never touched, whatever the ledger says.
    pub(super) fn remove(&self) -> io::Result<()> {
        match self {
            Self::Draft { path } => remove_draft(path),
            Self::Drafts { under } => drafts_under(under)?.iter().try_for_each(|path| remove_draft(path)),
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Draft { path } => write!(f, "the unfinished run {}", path.display()),
            Self::Drafts { under } => write!(f, "unfinished runs below {}", under.display()),
        }
    }
}

/// How deep below `Drafts::under` a run's directory may be: `runs/TESTBED/LINK/VARIANT/NNN`.
const DEPTH: usize = 6;

fn drafts_under(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut found, mut level) = (Vec::new(), vec![directory.to_owned()]);
    for _ in 0..DEPTH {
        let mut next = Vec::new();
        for directory in level {
            let entries = match fs::read_dir(&directory) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries?,
            };
            for entry in entries {
                let entry = entry?;
                // Not that of what a symbolic link leads to.
                if !entry.file_type()?.is_dir() {
                    continue;
                }
                if is_draft(&entry.path()) {
                    found.push(entry.path());
                } else {
                    next.push(entry.path());
                }
            }
        }
        level = next;
    }
    Ok(found)
}

fn remove_draft(path: &Path) -> io::Result<()> {
    if !is_draft(path) {
        return Err(not_ours(path));
    }
    match fs::symlink_metadata(path) {
        Ok(there) if there.is_dir() => fs::remove_dir_all(path),
        Ok(_) => Err(not_ours(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn is_draft(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    path.is_absolute()
        && name.is_some_and(|name| name.len() > ".part".len() + 1 && name.starts_with('.') && name.ends_with(".part"))
}

fn not_ours(path: &Path) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("{} is nothing that a run makes", path.display()),
    )
}
