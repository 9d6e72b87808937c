//! The disk that a run may use: all of its files together, what is only there for a time among them.

use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The variable that sets how much disk a run may use.
pub const DISK_BYTES: &str = "WINDLULL_RUN_DISK_BYTES";
/// Of any one file; whoever starts this process reads it, and the kernel enforces it.
pub const FILE_BYTES: &str = "WINDLULL_RUN_FILE_BYTES";

/// Counts the octets that the files of a run take. Clones count together.
#[derive(Clone, Debug)]
pub struct Quota {
    used: Arc<AtomicU64>,
    most: u64,
}

/// The files of a run would take more than they may.
#[derive(Clone, Copy, Debug)]
pub struct Exceeded {
    most: u64,
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = self.most >> 20;
        write!(
            f,
            "it needs more than {mib} MiB of disk; {DISK_BYTES} sets another limit"
        )
    }
}

impl Error for Exceeded {}

impl Quota {
    /// So many octets.
    pub fn of(most: u64) -> Self {
        let used = Arc::default();
        Self { used, most }
    }

    /// A file whose octets count.
    pub fn counting(&self, file: File) -> CountedFile {
        let quota = self.clone();
        CountedFile { file, quota, end: 0 }
    }

    fn take(&self, octets: u64) -> io::Result<()> {
        let before = self.used.fetch_add(octets, Ordering::Relaxed);
        if before.saturating_add(octets) <= self.most {
            return Ok(());
        }
        self.used.fetch_sub(octets, Ordering::Relaxed);
        Err(io::Error::other(Exceeded { most: self.most }))
    }
}

/// A file that is only ever written at its end.
#[derive(Debug)]
pub struct CountedFile {
    file: File,
    quota: Quota,
    /// Octets it was made longer by.
    end: u64,
}

impl CountedFile {
    /// The file has no name: what it takes is free again once it is closed.
    pub const fn nameless(self) -> Nameless {
        Nameless(self)
    }
}

impl Write for CountedFile {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        let asked = octets.len() as u64;
        self.quota.take(asked)?;
        let written = self.file.write(octets);
        let octets = written.as_ref().map_or(0, |written| *written as u64);
        self.quota.used.fetch_sub(asked - octets, Ordering::Relaxed);
        self.end += octets;
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A counted file that is gone when it is closed.
#[derive(Debug)]
pub struct Nameless(CountedFile);

impl Read for Nameless {
    fn read(&mut self, octets: &mut [u8]) -> io::Result<usize> {
        self.0.file.read(octets)
    }
}

impl Write for Nameless {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.0.write(octets)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for Nameless {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.file.seek(to)
    }
}

impl Drop for Nameless {
    fn drop(&mut self) {
        self.0.quota.used.fetch_sub(self.0.end, Ordering::Relaxed);
    }
}
