//! `attend`: a host's process. It makes its part of the runs that come, in the network namespace that it is started in.

use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

use clap::Args;
use windlull_live::orders;
use windlull_units::Host;

use crate::answer;
use crate::failure::Failure;
use crate::orders::BUILD;

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
        ask,
    } = arguments;
    if *ask {
        let said = orders::ask(orders, *host, BUILD).map_err(|error| machine(&error))?;
        return answer::text(&said);
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
    while let Err(mpsc::RecvTimeoutError::Timeout) = ends.recv_timeout(LOOK) {
        if !serving.is_alive() {
            return Err(machine(&"it has stopped to attend"));
        }
    }
    serving.stop();
    Ok(())
}
