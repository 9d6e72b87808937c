//! Engines with stacks from elsewhere in them, which attend beside a host's own: each for the runs of its stack.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use windlull_live::orders::socket_of_stack;
use windlull_units::Host;

use crate::engines;
use crate::failure::Failure;

/// As the directory of the host's own socket: the group asks for runs, and reads what they leave.
const DIRECTORY_MODE: u32 = 0o750;

/// The engines of all stacks that there are; they end with this.
#[derive(Debug, Default)]
pub(super) struct Engines(Vec<(String, Child)>);

impl Engines {
    /// Starts those of a directory, for a host whose own engine takes orders at a socket.
    pub(super) fn start(directory: &Path, host: Host, orders: &Path, device: Option<&str>) -> Result<Self, Failure> {
        let mut engines = Self::default();
        for name in names(directory)? {
            let socket = socket_of_stack(orders, &name);
            let place = socket.parent().expect("a socket lies in a directory");
            DirBuilder::new()
                .mode(DIRECTORY_MODE)
                .recursive(true)
                .create(place)
                .map_err(|error| Failure::file("make", place, &error))?;
            let engine = engines::file(directory, &name);
            let child = command(&engine, &socket, host, device)
                .spawn()
                .map_err(|error| Failure::file("start", &engine, &error))?;
            engines.0.push((name, child));
        }
        Ok(engines)
    }

    /// Says which has ended, if one has: whoever started this process starts all of them again.
    pub(super) fn check(&mut self) -> Result<(), Failure> {
        for (name, child) in &mut self.0 {
            match child.try_wait() {
                Ok(None) => {}
                Ok(Some(status)) => {
                    return Err(Failure::Machine(format!(
                        "the engine with the stack {name} has ended: {status}"
                    )));
                }
                Err(error) => return Err(Failure::Machine(format!("cannot watch the stack {name}: {error}"))),
            }
        }
        Ok(())
    }
}

impl Drop for Engines {
    fn drop(&mut self) {
        for (_, child) in &self.0 {
            let number = i32::try_from(child.id()).expect("the kernel counts processes so");
            // One that has ended already needs no telling.
            let _ = kill(Pid::from_raw(number), Signal::SIGTERM);
        }
        for (_, child) in &mut self.0 {
            let _ = child.wait();
        }
    }
}

/// The stacks whose engines are in a directory, in order.
fn names(directory: &Path) -> Result<Vec<String>, Failure> {
    let read = |error| Failure::file("read", directory, &error);
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).map_err(read)? {
        let name = entry.map_err(read)?.file_name();
        if let Some(name) = name.to_str().filter(|name| engines::file(directory, name).is_file()) {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn command(engine: &Path, socket: &Path, host: Host, device: Option<&str>) -> Command {
    let mut command = Command::new(engine);
    command
        .args(["attend", "--host", host.name(), "--orders"])
        .arg(socket)
        .args(["--parent", &std::process::id().to_string()]);
    if let Some(device) = device {
        command.args(["--device", device]);
    }
    // It starts no engines of its own.
    command
        .env_remove(engines::VARIABLE)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command
}
