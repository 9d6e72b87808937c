//! Where who attends has its socket, and the files of the run that it has.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write as _};
use std::iter;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};
use serde::Serialize;

use super::error::OrdersError;
use super::who::stacks_of;

/// Its owner and group may give orders.
const SOCKET_MODE: u32 = 0o660;
/// Its group may read what is spooled.
const DIRECTORY_MODE: u32 = 0o750;

/// A directory with a socket that takes orders, held for as long as this lives.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) listener: UnixListener,
    socket: PathBuf,
    directory: PathBuf,
    /// The kernel gives it up when the process ends, however it ends.
    _lock: Flock<File>,
}

impl Room {
    /// Takes the place of a socket whose directory is there, and removes what a killed process has left in it.
    pub(super) fn take(socket: &Path) -> Result<Self, OrdersError> {
        let failed = |why: String| OrdersError::Place {
            path: socket.to_owned(),
            why,
        };
        let directory = socket.parent().filter(|parent| !parent.as_os_str().is_empty());
        let directory = directory.unwrap_or(Path::new(".")).to_owned();
        let lock = lock(&directory.join("orders.lock")).map_err(|error| {
            failed(match error.kind() {
                ErrorKind::WouldBlock => "another process attends there".to_owned(),
                _ => format!("{}: {error}", directory.display()),
            })
        })?;
        let ready = || -> io::Result<UnixListener> {
            clear(&runs_of(&directory))?;
            bind(socket, SOCKET_MODE)
        };
        Ok(Self {
            listener: ready().map_err(|error| failed(error.to_string()))?,
            socket: socket.to_owned(),
            directory,
            _lock: lock,
        })
    }

    /// Where the state of a borrowed device is noted.
    pub(super) fn note(&self) -> PathBuf {
        self.directory.join(NOTE)
    }

    /// The note, and those that engines with stacks have left, which attended beside this one.
    pub(super) fn notes(&self) -> Vec<PathBuf> {
        let stacks = fs::read_dir(stacks_of(&self.socket)).into_iter().flatten().flatten();
        let of_stacks = stacks.map(|entry| entry.path().join(NOTE));
        iter::once(self.note()).chain(of_stacks).collect()
    }

    /// A new directory for the files of a run, and its path as seen from the socket's.
    pub(super) fn begin_run(&self, nth: u64) -> io::Result<RunFiles> {
        let runs = runs_of(&self.directory);
        let directory = runs.join(nth.to_string());
        let mut builder = DirBuilder::new();
        builder.mode(DIRECTORY_MODE).recursive(true).create(&runs)?;
        clear(&runs)?;
        builder.recursive(false).create(&directory)?;
        Ok(RunFiles {
            directory,
            seen_as: format!("{RUNS}/{nth}"),
        })
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // Nobody is to knock where no process answers; what stays is removed at the next start.
        let _ = fs::remove_file(&self.socket);
    }
}

/// The files of a run; they go with this.
#[derive(Debug)]
pub(super) struct RunFiles {
    pub(super) directory: PathBuf,
    /// From the socket's directory.
    seen_as: String,
}

impl RunFiles {
    /// Writes what a part of the run leaves; what the file is called in messages.
    pub(super) fn leave(&self, left: &impl Serialize) -> Result<String, String> {
        const LEFT: &str = "left.json";
        let write = || -> io::Result<()> {
            let mut file = BufWriter::new(File::create_new(self.directory.join(LEFT))?);
            serde_json::to_writer(&mut file, left)?;
            file.flush()
        };
        write().map_err(|error| format!("cannot write what it leaves: {error}"))?;
        Ok(format!("{}/{LEFT}", self.seen_as))
    }
}

impl Drop for RunFiles {
    fn drop(&mut self) {
        // What stays is removed before the next run.
        let _ = fs::remove_dir_all(&self.directory);
    }
}

const RUNS: &str = "runs";
const NOTE: &str = "device.json";

fn runs_of(directory: &Path) -> PathBuf {
    directory.join(RUNS)
}

fn lock(path: &Path) -> io::Result<Flock<File>> {
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o640)
        .open(path)?;
    Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|(_, error)| error.into())
}

/// Removes the directories of earlier runs: those whose names are numbers.
fn clear(runs: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(runs) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type()?.is_dir() && name.to_string_lossy().parse::<u64>().is_ok() {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// Listens at a socket whose directory is there, in place of one that nobody listens at; anything else there is somebody's.
pub(crate) fn bind(socket: &Path, mode: u32) -> io::Result<UnixListener> {
    match fs::symlink_metadata(socket).map(|there| there.file_type().is_socket()) {
        Ok(true) => fs::remove_file(socket)?,
        Ok(false) => {
            let why = "there is a file that is no socket";
            return Err(io::Error::new(ErrorKind::AlreadyExists, why));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let listener = UnixListener::bind(socket)?;
    fs::set_permissions(socket, Permissions::from_mode(mode))?;
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_taken_once_and_again_when_it_is_free() {
        let directory = tempfile::tempdir().expect("a directory");
        let socket = directory.path().join("orders.sock");
        let room = Room::take(&socket).expect("it is free");
        let error = Room::take(&socket).expect_err("it is taken").to_string();
        assert!(error.contains("another process attends there"), "{error}");
        drop(room);
        assert!(!socket.exists());
        Room::take(&socket).expect("it is free again");
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_nothing_else() {
        let directory = tempfile::tempdir().expect("a directory");
        let socket = directory.path().join("orders.sock");
        drop(UnixListener::bind(&socket).expect("a socket"));
        for left in ["runs/7", "runs/kept"] {
            fs::create_dir_all(directory.path().join(left)).expect("a directory");
        }
        let room = Room::take(&socket).expect("nobody listens there");
        assert!(!directory.path().join("runs/7").exists() && directory.path().join("runs/kept").exists());
        let files = room.begin_run(8).expect("a directory");
        assert_eq!(files.leave(&()).as_deref(), Ok("runs/8/left.json"));
        let path = files.directory.clone();
        assert!(path.is_dir());
        drop(files);
        assert!(!path.exists());
    }

    #[test]
    fn a_file_in_the_socket_s_place_is_left_alone() {
        let directory = tempfile::tempdir().expect("a directory");
        let socket = directory.path().join("orders.sock");
        fs::write(&socket, "mine").expect("a file");
        let error = Room::take(&socket).expect_err("it is in the way").to_string();
        assert!(
            error.contains("no socket") && fs::read(&socket).is_ok_and(|text| text == b"mine"),
            "{error}"
        );
        let nowhere = Room::take(&directory.path().join("none/orders.sock")).expect_err("no directory");
        assert!(nowhere.to_string().contains("none"), "{nowhere}");
    }
}
