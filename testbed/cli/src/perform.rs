//! `perform`: starts the commands of runs in the container that they are at home in, beside the container's own program.

use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use clap::Args;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use windlull_live::commands;

use crate::failure::Failure;
use crate::orders::BUILD;

/// How often is looked whether the container's program has ended.
const LOOK: Duration = Duration::from_millis(100);

/// The arguments of `perform`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The socket to take commands at, in a directory that nobody else can reach but who may run them.
    #[arg(long, value_name = "PATH")]
    socket: PathBuf,
    /// The container's own program with its arguments, after `--`: started at once, and with its end this ends.
    #[arg(last = true)]
    program: Vec<String>,
}

/// Performs until the container's program ends, or until SIGTERM or SIGINT, which the program is told too.
pub(crate) fn perform(arguments: &Arguments) -> Result<(), Failure> {
    let (asked, ends) = mpsc::channel();
    ctrlc::set_handler(move || {
        // Nobody waits any more only when this has ended already.
        let _ = asked.send(());
    })
    .map_err(|error| Failure::Machine(format!("cannot watch for the end: {error}")))?;
    let performing = commands::perform(&arguments.socket, BUILD).map_err(|error| {
        Failure::Machine(format!(
            "cannot take commands at {}: {error}",
            arguments.socket.display()
        ))
    })?;
    let Some((program, rest)) = arguments.program.split_first() else {
        // Whoever asked is gone is as good as an order to end.
        let _ = ends.recv();
        return Ok(());
    };
    let child = Command::new(program)
        .args(rest)
        .spawn()
        .map_err(|error| Failure::input(format!("{program}: {error}")))?;
    let status = wait(child, &ends)?;
    drop(performing);
    match status.code() {
        Some(0) => Ok(()),
        _ => Err(Failure::Machine(format!("{program} ended: {status}"))),
    }
}

/// Waits for the program's end; who asks for the end asks the program.
fn wait(mut child: Child, ends: &Receiver<()>) -> Result<ExitStatus, Failure> {
    let failed = |error| Failure::Machine(format!("cannot wait for the container's program: {error}"));
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            return Ok(status);
        }
        match ends.recv_timeout(LOOK) {
            Ok(()) => {
                if let Ok(pid) = i32::try_from(child.id()) {
                    // It has not been waited for: the number is its own. Gone is as good.
                    let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
                }
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
    }
}
