//! What could outlive this process is written down before it is made.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use windlull_netns::{Entry, Ledger, Ticket};

use crate::failure::Failure;

/// Where a sweep's drafts are. While this lives they are ours; once a killed process has not worked its ledger off,
/// whoever starts next removes them.
#[derive(Debug)]
pub(crate) struct Owned {
    ledger: Ledger,
    ticket: Option<Ticket>,
    scratch: Option<PathBuf>,
}

impl Owned {
    /// Writes down that drafts are about to be made below `out`; without one, in a directory that goes with this.
    pub(crate) fn below(out: Option<&Path>) -> Result<Self, Failure> {
        let ledger = Ledger::open().map_err(|error| unwritable(&error))?;
        let path = match out {
            Some(out) => out.to_owned(),
            None => env::temp_dir().join(format!(".windlull-{}.part", std::process::id())),
        };
        let path = std::path::absolute(&path).map_err(|error| Failure::file("find", &path, &error))?;
        let entry = match out {
            Some(_) => Entry::Drafts { under: path.clone() },
            None => Entry::Draft { path: path.clone() },
        };
        let ticket = Some(ledger.record(entry).map_err(|error| unwritable(&error))?);
        let scratch = match out {
            Some(_) => None,
            None => {
                fs::create_dir(&path).map_err(|error| Failure::file("create", &path, &error))?;
                Some(path)
            }
        };
        Ok(Self {
            ledger,
            ticket,
            scratch,
        })
    }

    /// The directory of runs of which nothing is kept, if nothing is kept.
    pub(crate) fn scratch(&self) -> Option<&Path> {
        self.scratch.as_deref()
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // What fails here is in the ledger still, and whoever starts next tries again.
        if self
            .scratch
            .take()
            .is_some_and(|scratch| fs::remove_dir_all(scratch).is_err())
        {
            return;
        }
        if let Some(ticket) = self.ticket.take() {
            let _ = self.ledger.forget(ticket);
        }
    }
}

/// Removes what earlier processes left. What cannot be removed does no harm to this one; `doctor` tells of it.
pub(crate) fn clean() -> Result<(), Failure> {
    Ledger::clean().map(drop).map_err(|error| unwritable(&error))
}

fn unwritable(error: &std::io::Error) -> Failure {
    Failure::Machine(format!("cannot keep the ledger of what is on this machine: {error}"))
}
