//! Runs whose hosts and link are processes of their own, told what to do over Unix sockets.
//!
//! ```text
//!     run_between --orders/server/orders.sock---> attend(server)      a host's part, in its namespace
//!                 --orders/emulator/orders.sock-> serve_link          the link's part, on devices that are lent
//!                 --orders/client/orders.sock---> attend(client)
//! ```
//!
//! An engine with a stack from elsewhere in it attends beside a host's own, at `stacks/NAME/orders.sock`.
//!
//! Lines of JSON go both ways ([`protocol`]); what is large lies as files beside the socket. Whoever loses the connection
//! ends its part of the run at once and puts back what it had changed.

mod attend;
mod error;
mod far;
mod line;
mod link;
mod protocol;
mod room;
mod serve;
mod visitors;
mod who;
mod wire;

use std::path::Path;

use windlull_capture::Observer;
use windlull_units::{Build, Host};

use crate::part::{HostTask, LinkTask};
use crate::run::{HowFar, ReadyParts, carry_out};
use crate::{LiveError, Outcome, Setup};

pub use attend::attend;
pub use error::OrdersError;
pub use link::serve_link;

pub(crate) use error::WireError;
use far::Far;
use line::Line;
use protocol::Who;
pub(crate) use room::bind;
pub use visitors::Serving;
pub(crate) use visitors::attend as attend_visitors;
use who::socket_of;
pub use who::{Orders, socket_of_stack};
pub(crate) use wire::Wire;

/// As [`crate::run_watched`], between three processes that are there already.
///
/// # Errors
/// [`LiveError`]: one of them is not there, is busy, is of another version, or failed. The others have then put back what
/// they had changed.
pub fn run_between<O: Observer>(
    setup: &Setup<'_>,
    orders: &Orders<'_>,
    observers: &mut [O],
    watch: &mut dyn FnMut(HowFar),
) -> Result<Outcome, LiveError> {
    let mut server = Far::reach(orders, Who::Server)?;
    let mut client = Far::reach(orders, Who::Client)?;
    let mut link = Far::reach(orders, Who::Emulator)?;
    let mut settings = link.provenance();
    for (host, part) in [(Host::Server, &mut server), (Host::Client, &mut client)] {
        settings.extend(part.provenance());
        let mut task = HostTask::of(setup, host);
        task.knows(&settings);
        settings.extend(part.prepare_host(task)?);
    }
    link.prepare_link(LinkTask::of(setup))?;
    let parts = ReadyParts {
        hosts: [Box::new(server), Box::new(client)],
        link: Box::new(link),
        settings,
    };
    carry_out(setup, parts, observers, watch)
}

/// Whether the three processes are there and of this build; what they say of themselves, a line each.
///
/// # Errors
/// What is wrong with the first that is not.
pub fn examine(directory: &Path, build: Build) -> Result<Vec<String>, OrdersError> {
    Who::ALL
        .map(|who| Line::ask(&socket_of(directory, who), build, who))
        .into_iter()
        .collect()
}

/// Why the emulator that attends cannot play the netem plane; `None` if it can.
///
/// # Errors
/// It is not there, does not answer, or is another.
pub fn lacks_netem(directory: &Path, build: Build) -> Result<Option<String>, OrdersError> {
    Line::ask_for_netem(&socket_of(directory, Who::Emulator), build)
}

/// What the host's process at a socket says of itself, in a line.
///
/// # Errors
/// It is not there, does not answer, or is another.
pub fn ask(socket: &Path, host: Host, build: Build) -> Result<String, OrdersError> {
    Line::ask(socket, build, host.into())
}
