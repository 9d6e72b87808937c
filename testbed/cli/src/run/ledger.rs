//! What could outlive this process is written down before it is made.

use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Something of ours on the machine, written down as long as this lives.
#[derive(Debug)]
pub(crate) struct Owned(#[expect(dead_code, reason = "until the ledger is there")] PathBuf);

/// Writes down a directory that is about to be made.
pub(crate) fn own(directory: &Path) -> Result<Owned, Failure> {
    Ok(Owned(directory.to_owned()))
}

/// Removes what earlier processes left.
pub(crate) fn clean() -> Result<(), Failure> {
    Ok(())
}
