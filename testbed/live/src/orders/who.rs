//! Who takes part in a run.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use windlull_units::{Build, Host};

/// Who asks for a run, and where those are who make it.
#[derive(Clone, Copy, Debug)]
pub struct Orders<'a> {
    /// The directory with `server/orders.sock`, `emulator/orders.sock` and `client/orders.sock`.
    pub directory: &'a Path,
    pub build: Build,
    /// The stack from elsewhere that the hosts run, where it is built into an engine of its own.
    pub stack: Option<&'a str>,
    /// What the run is called, for whoever wants to know who has the hosts.
    pub run: &'a str,
}

const SOCKET: &str = "orders.sock";

/// Where one of the three attends, below the directory of all.
pub(super) fn socket_of(directory: &Path, who: Who) -> PathBuf {
    directory.join(who.name()).join(SOCKET)
}

/// Where an engine with a stack in it attends for a host whose own engine attends at a socket.
#[must_use]
pub fn socket_of_stack(socket: &Path, stack: &str) -> PathBuf {
    stacks_of(socket).join(stack).join(SOCKET)
}

/// The directory of all of them.
pub(super) fn stacks_of(socket: &Path) -> PathBuf {
    socket.with_file_name("stacks")
}

/// What one says whose process is told to end while it has a run.
pub(super) const ASKED_TO_END: &str = "it was told to end";

windlull_units::named! {
    /// One of those that make a run.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Who {
        Server = "server",
        Emulator = "emulator",
        Client = "client",
    }
}

impl Who {
    /// How to have it.
    pub(super) const fn remedy(self) -> &'static str {
        match self {
            Self::Server => {
                "start `windlull-engine attend --host server` there (in the appliance: `docker compose up server`)"
            }
            Self::Emulator => "start `windlull-engine emulate` there (in the appliance: `docker compose up emulator`)",
            Self::Client => {
                "start `windlull-engine attend --host client` there (in the appliance: `docker compose up client`)"
            }
        }
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<Host> for Who {
    fn from(host: Host) -> Self {
        match host {
            Host::Server => Self::Server,
            Host::Client => Self::Client,
        }
    }
}
