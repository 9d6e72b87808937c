//! `emulate`: the emulator's process, until it is told to end.

mod captures;

use std::any::Any;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use windlull_agent::{AgentError, Network, Settings, Side};
use windlull_experiment::Library;
use windlull_live::orders;
use windlull_plane::lend::Lender;
use windlull_plane::netem;
use windlull_units::{Pace, PlaneKind, Seed};

use crate::emulate::captures::LinkCapturer;
use crate::failure::Failure;
use crate::orders::BUILD;

/// The arguments of `emulate`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The device that leads to the server.
    #[arg(long, value_name = "DEVICE")]
    server_side: Option<String>,
    /// The address that hosts of the server's side have for their router, as in 198.18.1.254/24. The device gets it if it
    /// has it not; without --server-side it is the one with an address in this network.
    #[arg(long, value_name = "ADDRESS/PREFIX")]
    server_side_address: Option<Network>,
    /// The device that leads to the client.
    #[arg(long, value_name = "DEVICE")]
    client_side: Option<String>,
    /// The same for the client's side.
    #[arg(long, value_name = "ADDRESS/PREFIX")]
    client_side_address: Option<Network>,
    /// Where control and metrics are served over HTTP. Who reaches it controls the link.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7411")]
    listen: SocketAddr,
    /// The link that stands where none was kept: a name, or the path of a file. Without it packets pass as they are.
    #[arg(long, value_name = "NAME", env = "WINDLULL_LINK")]
    link: Option<String>,
    /// What plays links of which nobody says on which plane. Where the kernel lacks what netem needs, the model does.
    #[arg(long, value_enum, env = "WINDLULL_PLANE", default_value_t = PlaneKind::Model)]
    plane: PlaneKind,
    /// A directory to keep in what stands, so that it stands again after a restart.
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// The seed of that link's random streams.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The socket to take the orders of runs at, in a directory of its own. Runs borrow the devices.
    #[arg(long, value_name = "PATH")]
    orders: Option<PathBuf>,
    /// How the link waits for what is due.
    #[arg(long, value_enum, default_value_t = Pace::Frugal)]
    pace: Pace,
}

/// Lets a link stand.
pub(crate) fn emulate(library: &Library, arguments: &Arguments) -> Result<(), Failure> {
    // Before there is a second thread. The netem plane alone starts programs that need them; who has not even its own
    // rights is told so when it opens the devices.
    let _ = windlull_netns::hand_on_capabilities();
    // Before a link stands: it removes what a killed process left of the plane.
    let without_netem = netem::examine().err();
    let side = |device: &Option<String>, address| Side {
        device: device.clone(),
        address,
    };
    let settings = Settings {
        server: side(&arguments.server_side, arguments.server_side_address),
        client: side(&arguments.client_side, arguments.client_side_address),
        listen: arguments.listen,
        link: arguments.link.clone().filter(|name| !name.is_empty()),
        plane: arguments.plane,
        without_netem: without_netem.clone(),
        state: arguments.state.clone(),
        seed: Seed::new(arguments.seed),
        pace: arguments.pace,
        profiles: library.roots().to_vec(),
        build: BUILD,
    };
    let capturer: Option<Box<dyn windlull_agent::Capturer>> = Some(Box::new(LinkCapturer));
    windlull_agent::run(&settings, |lender| serve(arguments, lender, without_netem), capturer).map_err(|error| {
        match error {
            AgentError::Link(problems) => problems.into(),
            AgentError::Devices(error) => Failure::input(error),
            AgentError::Plane(why) => Failure::input(why),
            error => Failure::Machine(error.to_string()),
        }
    })
}

/// Takes the orders of runs, if somebody wants that; until what is returned is dropped.
fn serve(
    arguments: &Arguments,
    lender: Arc<dyn Lender>,
    without_netem: Option<String>,
) -> Result<Option<Box<dyn Any>>, String> {
    let Some(socket) = &arguments.orders else {
        return Ok(None);
    };
    let serving = orders::serve_link(socket, BUILD, lender, without_netem).map_err(|error| error.to_string())?;
    Ok(Some(Box::new(serving)))
}
