//! Programs that the hosts of a run start: in this process' place, or in the container that they are at home in.
//!
//! ```text
//!     a host's process --- Here ----> the program, in the host's network namespace
//!                      --- There ---> perform, at a socket in the program's own container ---> the program
//! ```

mod guard;
mod here;
mod output;
mod perform;
mod port;
mod there;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use windlull_netns::Namespace;
use windlull_plane::Epoch;
use windlull_units::{Span, Time};

use crate::CommandReport;
use crate::orders::Build;

pub use perform::{Performing, perform};
pub(crate) use port::wait_for;

/// A program with its arguments, and what is added to its environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Command {
    pub(crate) program: Vec<String>,
    pub(crate) environment: BTreeMap<String, String>,
}

/// What a program left. Times are of the monotonic clock, ns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Exit {
    pub(crate) began_ns: u64,
    pub(crate) ended_ns: u64,
    /// None: a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) output: String,
    pub(crate) errors: String,
    /// Octets of either that were left out, the earliest ones.
    pub(crate) left_out: u64,
}

impl Exit {
    /// As the run's result has it.
    pub(crate) fn report(self, epoch: Epoch) -> CommandReport {
        CommandReport {
            began_s: epoch.from_monotonic_ns(self.began_ns).since(Time::ZERO).as_secs_f64(),
            elapsed_s: Span::from_ns(self.ended_ns.saturating_sub(self.began_ns)).as_secs_f64(),
            exit_code: self.code,
            signal: self.signal,
            output: self.output,
            errors: self.errors,
            left_out_bytes: self.left_out,
        }
    }
}

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
    /// Starts a program.
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
