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

use std::fs;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlull_netns::Namespace;
use windlull_units::Build;

use super::here::Running;
use super::{Command, Exit};
use crate::orders::{Serving, Wire, WireError, attend_visitors, bind};

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

/// Starts programs in this process' container for whoever connects to the socket. Dropped, it ends, with the programs at
/// work.
///
/// # Errors
/// If the socket cannot be made.
pub fn perform(socket: &Path, build: Build) -> io::Result<Serving> {
    let listener = bind(socket, SOCKET_MODE)?;
    let socket = socket.to_owned();
    Serving::start("perform", move |stop| {
        let stopping = Arc::clone(stop);
        attend_visitors(&listener, stop, "command of a run", move |stream| {
            // Who asked has gone, or learns from the connection's end.
            let _ = receive(&mut Wire::new(stream), build, &stopping);
        });
        let _ = fs::remove_file(socket);
    })
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
