//! Writes the logs of packets while the link carries them.

use std::env;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use windlull_experiment::Link;
use windlull_plane::PacketLog as DirectionLog;
use windlull_plane::model::Passed;
use windlull_units::{Direction, Time};

use crate::built::{COMMIT, VERSION};
use crate::failure::Failure;

/// For so long at most a line is not in the file while nothing happens: who watches a log sees the present.
const IDLE: Duration = Duration::from_millis(250);

/// A log of one direction and its file.
#[derive(Debug)]
pub(super) struct LogFile {
    path: PathBuf,
    log: DirectionLog<BufWriter<File>>,
}

/// The logs of both directions, as far as there are.
#[derive(Debug)]
pub(super) struct PacketLog([Option<LogFile>; 2]);

/// A log that is being written.
#[derive(Debug)]
pub(super) struct Writing(JoinHandle<Result<PacketLog, Failure>>);

impl LogFile {
    /// Creates the file and writes its heading.
    pub(super) fn create(path: &Path, direction: Direction, link: &Link) -> Result<Self, Failure> {
        let begin = || {
            let file = BufWriter::new(File::create(path)?);
            DirectionLog::begin(file, &heading(direction, link), &link.model, direction)
        };
        let log = begin().map_err(|error| Failure::file("write", path, &error))?;
        let path = path.to_owned();
        Ok(Self { path, log })
    }

    fn with(&mut self, work: impl FnOnce(&mut DirectionLog<BufWriter<File>>) -> io::Result<()>) -> Result<(), Failure> {
        work(&mut self.log).map_err(|error| Failure::file("write", &self.path, &error))
    }
}

impl PacketLog {
    pub(super) const fn new(files: [Option<LogFile>; 2]) -> Self {
        Self(files)
    }

    /// Writes, on a thread of its own, what is told, until nobody is left to tell.
    pub(super) fn write(self, told: Receiver<Passed>) -> io::Result<Writing> {
        let writer = thread::Builder::new()
            .name("packet-log".to_owned())
            .spawn(move || self.follow(&told))?;
        Ok(Writing(writer))
    }

    fn follow(mut self, told: &Receiver<Passed>) -> Result<Self, Failure> {
        loop {
            match told.recv_timeout(IDLE) {
                Ok(passed) => self.each(|log| log.tell(&passed))?,
                Err(RecvTimeoutError::Timeout) => self.each(DirectionLog::flush)?,
                Err(RecvTimeoutError::Disconnected) => return Ok(self),
            }
        }
    }

    fn each(
        &mut self,
        mut work: impl FnMut(&mut DirectionLog<BufWriter<File>>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        self.0.iter_mut().flatten().try_for_each(|file| file.with(&mut work))
    }
}

impl Writing {
    /// Waits until all is written; the link's time was `until`, if anybody knows.
    pub(super) fn finish(self, until: Option<Time>) -> Result<(), Failure> {
        let followed = self.0.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let mut logs = followed?;
        if let Some(until) = until {
            logs.each(|log| log.until(until))?;
        }
        logs.each(DirectionLog::flush)
    }
}

/// What a log is of.
fn heading(direction: Direction, link: &Link) -> Vec<String> {
    let way = match direction {
        Direction::Down => "downlink",
        Direction::Up => "uplink",
    };
    let line: Vec<String> = env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    let mut heading = vec![
        format!(
            "windlull shell {VERSION} ({COMMIT}), {way} of {}: {}",
            link.name, link.title
        ),
        format!("command line: {}", line.join(" ")),
        format!("init timestamp: {}", since.as_millis()),
    ];
    heading.extend(link.summary().into_iter().map(|line| format!("link: {line}")));
    heading
}
