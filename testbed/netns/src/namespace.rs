//! One network namespace, held by a file descriptor.

use std::convert::identity;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use nix::sched::{CloneFlags, setns, unshare};
use thiserror::Error;

use crate::command::{self, CommandError};

/// A network namespace without a name. It lasts as long as somebody holds it: a copy of this, a thread or a process
/// within, a socket made there. Copies are cheap.
#[derive(Clone, Debug)]
pub struct Namespace {
    label: &'static str,
    /// None: the one that the process is in, which nobody needs to enter.
    handle: Option<Arc<OwnedFd>>,
}

/// Why a setting of the kernel could not be read or written.
#[derive(Debug, Error)]
pub enum SysctlError {
    /// This kernel does not have it.
    #[error("this kernel has no sysctl {name}")]
    Unknown {
        /// As `sysctl` calls it.
        name: String,
    },
    /// It has it, but would not.
    #[error("cannot {doing} sysctl {name}: {source}")]
    Refused {
        /// What was tried: `read` or `set ... to VALUE`.
        doing: String,
        /// As `sysctl` calls it.
        name: String,
        /// What the kernel said.
        source: io::Error,
    },
}

impl Namespace {
    /// A new, empty one. The label names it in messages.
    ///
    /// # Errors
    /// If the process lacks the right (see [`crate::enter`]), or the kernel the option.
    pub fn create(label: &'static str) -> io::Result<Self> {
        let handle = on_a_thread(label, || {
            unshare(CloneFlags::CLONE_NEWNET)?;
            File::open("/proc/thread-self/ns/net")
        })??;
        Ok(Self {
            label,
            handle: Some(Arc::new(handle.into())),
        })
    }

    /// The one that the process is in. Who may not enter namespaces can work in it all the same.
    pub const fn own(label: &'static str) -> Self {
        Self { label, handle: None }
    }

    /// What it is called in messages.
    pub const fn label(&self) -> &'static str {
        self.label
    }

    /// Does the work on a thread that has entered the namespace, and waits for it. Sockets made there stay there,
    /// whoever uses them. A panic of the work goes on here.
    ///
    /// # Errors
    /// If there is no thread to be had or the namespace cannot be entered.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> io::Result<T> {
        on_a_thread(self.label, || {
            self.enter()?;
            Ok(work())
        })?
    }

    /// Starts a thread of this name (Linux shows 15 letters of it) in the namespace.
    ///
    /// # Errors
    /// If there is no thread to be had. If the namespace cannot be entered, the thread's result says so.
    pub fn spawn<T: Send + 'static>(
        &self,
        name: &str,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<JoinHandle<io::Result<T>>> {
        let namespace = self.clone();
        thread::Builder::new().name(name.to_owned()).spawn(move || {
            namespace.enter()?;
            Ok(work())
        })
    }

    /// Runs a program in the namespace and returns what it wrote to standard output. It does not outlive this process.
    ///
    /// # Errors
    /// If it cannot be started or fails; with what it wrote to standard error.
    pub fn command(&self, program: &str, arguments: &[&str]) -> Result<String, CommandError> {
        self.command_with_input(program, arguments, "")
    }

    /// As [`Namespace::command`], with something to read: `ip -batch -`, `nft -f -`.
    ///
    /// # Errors
    /// As [`Namespace::command`].
    pub fn command_with_input(&self, program: &str, arguments: &[&str], input: &str) -> Result<String, CommandError> {
        self.run(|| command::run(program, arguments, input))
            .map_err(|source| CommandError::Start {
                program: program.to_owned(),
                source,
            })?
    }

    /// A setting by its name, `net.ipv4.tcp_frto`; words in it are separated by single spaces.
    ///
    /// # Errors
    /// If the kernel has none of this name, or does not let it be read.
    pub fn sysctl(&self, name: &str) -> Result<String, SysctlError> {
        self.run(|| fs::read_to_string(path_of(name)))
            .and_then(identity)
            .map(|value| value.split_whitespace().collect::<Vec<_>>().join(" "))
            .map_err(|source| SysctlError::of("read".to_owned(), name, source))
    }

    /// Changes a setting.
    ///
    /// # Errors
    /// If the kernel has none of this name, or does not take the value.
    pub fn set_sysctl(&self, name: &str, value: &str) -> Result<(), SysctlError> {
        self.run(|| fs::write(path_of(name), value))
            .and_then(identity)
            .map_err(|source| SysctlError::of(format!("set to {value:?} the"), name, source))
    }

    /// A path by which programs of this process' user reach the namespace, as `ip link ... netns PATH` takes it.
    pub fn path(&self) -> String {
        let process = std::process::id();
        match &self.handle {
            Some(handle) => format!("/proc/{process}/fd/{}", handle.as_raw_fd()),
            None => format!("/proc/{process}/ns/net"),
        }
    }

    fn enter(&self) -> io::Result<()> {
        match &self.handle {
            Some(handle) => Ok(setns(&**handle, CloneFlags::CLONE_NEWNET)?),
            None => Ok(()),
        }
    }
}

impl SysctlError {
    fn of(doing: String, name: &str, source: io::Error) -> Self {
        let name = name.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::Unknown { name },
            _ => Self::Refused { doing, name, source },
        }
    }
}

/// Each thread may be in a namespace of its own; the caller's stays where it is.
fn on_a_thread<T: Send>(name: &str, work: impl FnOnce() -> T + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let worker = thread::Builder::new()
            .name(format!("in-{name}"))
            .spawn_scoped(scope, work)?;
        Ok(worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

fn path_of(sysctl: &str) -> PathBuf {
    PathBuf::from("/proc/sys").join(sysctl.replace('.', "/"))
}
