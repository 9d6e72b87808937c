//! What outlives its process: written down before it is made, so that the next start can remove it.
//!
//! A process keeps one file, `PID-START.jsonl` (START: its start time in the kernel's ticks), in
//! `$XDG_STATE_HOME/windlull/ledger`, and locks it for as long as it lives. Each entry is a line that is on the disk
//! before the thing is made. A killed process cannot work its ledger off, so whoever starts next does it: a ledger that
//! nobody locks is that of a dead process. A half-written last line is of something that was never made.
//!
//! Namespaces and what is in them are not here: they have no names, and the kernel removes them with their process.

mod clean;
mod entry;
mod line;
mod process;

use std::env;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use nix::fcntl::{Flock, FlockArg};
use nix::unistd::geteuid;

pub use clean::{Cleaned, Leftover};
pub use entry::Entry;
use line::Line;
use process::Started;

#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    file: Flock<File>,
    next: u64,
    /// Entries that were not forgotten.
    open: u64,
}

/// An entry's number, to forget it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "what is gone in order must be forgotten"]
pub struct Ticket(u64);

impl Ledger {
    /// Opens the ledger of this process, in the user's directory for such things.
    ///
    /// # Errors
    /// If there is no directory to be had, or the file cannot be made.
    pub fn open() -> io::Result<Self> {
        Self::open_in(&directory()?)
    }

    /// Opens the ledger of this process in this directory, which is made if it is not there.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn open_in(directory: &Path) -> io::Result<Self> {
        make_private(directory)?;
        let own = Started::this_process()?;
        let path = directory.join(format!("{}-{}.jsonl", own.pid, own.started));
        loop {
            let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
            let file = Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|(_, error)| error)?;
            // Whoever cleans may have removed the file between the two calls: it was not locked then.
            if fs::metadata(&path).is_ok_and(|there| file.metadata().is_ok_and(|ours| ours.ino() == there.ino())) {
                File::open(directory)?.sync_all()?;
                return Ok(Self {
                    path,
                    inner: Mutex::new(Inner { file, next: 0, open: 0 }),
                });
            }
        }
    }

    /// Writes down what is about to be made. When this returns it is on the disk.
    ///
    /// # Errors
    /// If it cannot be written: then the thing must not be made.
    pub fn record(&self, entry: Entry) -> io::Result<Ticket> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let nth = inner.next;
        inner.write(&Line::Make { nth, entry })?;
        inner.file.sync_data()?;
        inner.next += 1;
        inner.open += 1;
        Ok(Ticket(nth))
    }

    /// It is gone in order.
    ///
    /// # Errors
    /// If it cannot be written; whoever cleans then finds nothing to do.
    pub fn forget(&self, ticket: Ticket) -> io::Result<()> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.open = inner.open.saturating_sub(1);
        inner.write(&Line::Gone(ticket.0))
    }

    /// Works off the ledgers of dead processes in the user's directory. To be called at every start.
    ///
    /// # Errors
    /// If the directory cannot be read. What could not be removed is in the answer.
    pub fn clean() -> io::Result<Cleaned> {
        Self::clean_in(&directory()?)
    }

    /// Works off the ledgers of dead processes in this directory.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn clean_in(directory: &Path) -> io::Result<Cleaned> {
        clean::clean(directory)
    }

    /// What dead processes have left behind; touches nothing.
    ///
    /// # Errors
    /// If the user's directory cannot be read.
    pub fn leftovers() -> io::Result<Vec<Leftover>> {
        Self::leftovers_in(&directory()?)
    }

    /// What the ledgers in this directory say was left behind.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn leftovers_in(directory: &Path) -> io::Result<Vec<Leftover>> {
        clean::leftovers(directory)
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        let inner = self.inner.get_mut().unwrap_or_else(PoisonError::into_inner);
        if inner.open == 0 {
            // Left there, it would be removed at the next start.
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Inner {
    fn write(&mut self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        self.file.write_all(text.as_bytes())
    }
}

/// Where this user's ledgers are: `$XDG_STATE_HOME/windlull/ledger`, else below `~/.local/state`; for a user without a
/// home that can be written, in the directory for temporary files.
///
/// # Errors
/// If the temporary one is somebody else's.
pub fn directory() -> io::Result<PathBuf> {
    let state = env::var_os("XDG_STATE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    let home = env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    for base in state.into_iter().chain(home) {
        let directory = base.join("windlull/ledger");
        if make_private(&directory).is_ok() {
            return Ok(directory);
        }
    }
    let directory = env::temp_dir().join(format!("windlull-{}", geteuid())).join("ledger");
    make_private(&directory)?;
    for path in [directory.as_path(), directory.parent().unwrap_or(&directory)] {
        let there = fs::symlink_metadata(path)?;
        if !there.is_dir() || there.uid() != geteuid().as_raw() {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                format!("{} is not this user's own directory", path.display()),
            ));
        }
    }
    Ok(directory)
}

fn make_private(directory: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory)
}
