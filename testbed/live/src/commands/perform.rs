//! Who starts programs for a host's process, in the container that the programs are at home in.
//!
//! ```text
//!     who asks                          who performs
//!     {build, command}
//!                                       began | failed
//!     "stop", or nothing
//!                                       ended
//! ```
//!
//! Lines of JSON on a Unix socket. Who loses the connection ends the program.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlull_netns::Namespace;

use super::here::Running;
use super::{Command, Exit};
use crate::orders::{Build, Wire, WireError, attend_visitors};

/// Who may connect is who has the socket's directory: the containers that mount it.
const SOCKET_MODE: u32 = 0o666;
const REQUEST: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(2);

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    pub(super) version: String,
    pub(super) commit: String,
    pub(super) command: Command,
}

/// What is asked of a program at work.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Order {
    Stop,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Answer {
    Began,
    Failed(String),
    Ended(Box<Exit>),
}

/// Somebody performs; ended when it is dropped, with the programs at work.
#[derive(Debug)]
pub struct Performing {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    socket: PathBuf,
}

/// Starts programs in this process' container for whoever connects to the socket.
///
/// # Errors
/// If the socket cannot be made.
pub fn perform(socket: &Path, build: Build) -> io::Result<Performing> {
    match fs::symlink_metadata(socket) {
        Ok(there) if there.file_type().is_socket() => fs::remove_file(socket)?,
        Ok(_) => {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "there is something that is no socket",
            ));
        }
        Err(_) => {}
    }
    let listener = UnixListener::bind(socket)?;
    fs::set_permissions(socket, Permissions::from_mode(SOCKET_MODE))?;
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let thread = thread::Builder::new().name("perform".to_owned()).spawn(move || {
        let stopping = Arc::clone(&stopped);
        attend_visitors(&listener, &stopped, "command of a run", move |stream| {
            // Who asked has gone, or learns from the connection's end.
            let _ = receive(&mut Wire::new(stream), build, &stopping);
        });
    })?;
    Ok(Performing {
        stop,
        thread: Some(thread),
        socket: socket.to_owned(),
    })
}

impl Drop for Performing {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It has said on standard error why, if it panicked.
            let _ = thread.join();
        }
        let _ = fs::remove_file(&self.socket);
    }
}

fn receive(wire: &mut Wire, build: Build, stop: &AtomicBool) -> Result<(), WireError> {
    let Some(request) = wire.receive::<Request>(REQUEST)? else {
        return Ok(());
    };
    if (request.version.as_str(), request.commit.as_str()) != (build.version, build.commit) {
        return wire.send(&Answer::Failed(format!(
            "the engine in the container is version {} of commit {}, and was asked by version {} of commit {}; start the \
             container again, so that it has the engine of the others",
            build.version, build.commit, request.version, request.commit
        )));
    }
    let running = match Running::start(&Namespace::own("container"), &request.command) {
        Ok(running) => running,
        Err(error) => return wire.send(&Answer::Failed(error.to_string())),
    };
    wire.send(&Answer::Began)?;
    loop {
        if stop.load(Ordering::Relaxed) || running.is_over() {
            break;
        }
        // Who has gone, and who says what nobody understands, has no more need of the program: dropped, it ends.
        match wire.receive::<Order>(LOOK)? {
            Some(Order::Stop) => break,
            None => {}
        }
    }
    match running.stop() {
        Ok(exit) => wire.send(&Answer::Ended(Box::new(exit))),
        Err(error) => wire.send(&Answer::Failed(error.to_string())),
    }
}

/// A connection to who performs at this socket.
pub(super) fn connect(socket: &Path) -> io::Result<Wire> {
    UnixStream::connect(socket).map(Wire::new)
}
