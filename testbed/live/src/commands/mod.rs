//! Programs that the hosts of a run start: in this process' place, or in the container that they are at home in.
//!
//! ```text
//!     a host's process --- Here ----> the program, in the host's network namespace
//!                      --- There ---> perform, at a socket in the program's own container ---> the program
//! ```

mod command;
mod guard;
mod here;
mod output;
mod perform;
mod port;
mod there;

use std::io;
use std::path::PathBuf;

use windlull_netns::Namespace;
use windlull_units::Build;

pub(crate) use command::{Command, Exit};
pub use perform::perform;
pub(crate) use port::{transports_over, wait_for};

/// Who starts the programs of a host.
#[derive(Clone, Debug)]
pub(crate) enum Starter {
    /// This process, in the host's network namespace.
    Here(Namespace),
    /// The process that performs at this socket.
    There(PathBuf, Build),
}

/// A program at work. Dropped, it is ended.
#[derive(Debug)]
pub(crate) enum Running {
    Here(here::Running),
    There(there::Running),
}

impl Starter {
    pub(crate) fn start(&self, command: &Command) -> io::Result<Running> {
        match self {
            Self::Here(namespace) => here::Running::start(namespace, command).map(Running::Here),
            Self::There(socket, build) => there::Running::start(socket, *build, command).map(Running::There),
        }
    }
}

impl Running {
    /// Whether it has ended.
    ///
    /// # Errors
    /// If who performs it is gone.
    pub(crate) fn is_over(&mut self) -> io::Result<bool> {
        match self {
            Self::Here(running) => Ok(running.is_over()),
            Self::There(running) => running.is_over(),
        }
    }

    /// What it left; it is ended first, if it has not ended by itself.
    ///
    /// # Errors
    /// If it could not be waited for.
    pub(crate) fn stop(self) -> io::Result<Exit> {
        match self {
            Self::Here(running) => running.stop(),
            Self::There(running) => running.stop(),
        }
    }
}
