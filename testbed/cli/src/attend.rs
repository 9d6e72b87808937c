//! `attend`: a host's process. It makes its part of the runs that come, in the network namespace that it is started in.

mod stacks;

use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

use clap::Args;
use nix::sys::signal::Signal;
use windlull_live::orders;
use windlull_units::Host;

use crate::answer;
use crate::engines;
use crate::failure::Failure;
use crate::orders::BUILD;
use crate::parent::die_with;

/// How often is looked whether it still attends.
const LOOK: Duration = Duration::from_secs(1);

/// The arguments of `attend`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Which host of a run this is.
    #[arg(long, value_enum)]
    host: Host,
    /// The socket to take orders at, in a directory of its own.
    #[arg(long, value_name = "PATH")]
    orders: PathBuf,
    /// The device towards the link. [default: the only one beside lo]
    #[arg(long)]
    device: Option<String>,
    /// The socket of who performs commands in this host's container (`windlull-engine perform`).
    #[arg(long, value_name = "PATH")]
    commands: Option<PathBuf>,
    /// Engines with stacks in them, a directory each: they attend beside this one, for runs of their stacks.
    #[arg(long, value_name = "DIR", env = engines::VARIABLE)]
    stacks: Option<PathBuf>,
    /// End when the process with this number does, which started this one.
    #[arg(long, value_name = "PID", hide = true)]
    parent: Option<u32>,
    /// Attend to nothing; ask who attends there whether it is well, and end. For health checks.
    #[arg(long)]
    ask: bool,
}

/// Attends until SIGTERM or SIGINT; a run under way is then ended, and what it had changed put back.
pub(crate) fn attend(arguments: &Arguments) -> Result<(), Failure> {
    let machine = |error: &dyn std::fmt::Display| Failure::Machine(error.to_string());
    let Arguments {
        host,
        orders,
        device,
        commands,
        stacks,
        parent,
        ask,
    } = arguments;
    if *ask {
        let said = orders::ask(orders, *host, BUILD).map_err(|error| machine(&error))?;
        return answer::text(&said);
    }
    if let Some(parent) = parent {
        die_with(*parent, Signal::SIGTERM)?;
    }
    windlull_netns::hand_on_capabilities().map_err(|error| machine(&error))?;
    let (asked, ends) = mpsc::channel();
    ctrlc::set_handler(move || {
        // Nobody waits any more only when this has ended already.
        let _ = asked.send(());
    })
    .map_err(|error| machine(&format!("cannot watch for the end: {error}")))?;
    let serving = orders::attend(orders, *host, device.as_deref(), commands.as_deref(), BUILD)
        .map_err(|error| machine(&error))?;
    let mut engines = match stacks {
        Some(directory) => stacks::Engines::start(directory, *host, orders, device.as_deref())?,
        None => stacks::Engines::default(),
    };
    while let Err(mpsc::RecvTimeoutError::Timeout) = ends.recv_timeout(LOOK) {
        if !serving.is_alive() {
            return Err(machine(&"it has stopped to attend"));
        }
        engines.check()?;
    }
    serving.stop();
    Ok(())
}
