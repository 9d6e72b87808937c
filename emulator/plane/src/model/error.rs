//! Why there is no plane, or no longer.

use std::io;

use thiserror::Error;
use windlull_units::Bytes;

use super::crossing::CROSSING_PACKETS;

/// Why the model plane could not be started, or ended before its time.
#[derive(Debug, Error)]
pub enum PlaneError {
    /// A packet socket could not be opened or set up.
    #[error("cannot {doing} for device {device}: {source}")]
    Port {
        doing: &'static str,
        device: String,
        /// What the kernel said.
        source: io::Error,
    },
    /// Packets that cross the link do not fit into its frames.
    #[error("packets of {packet} cannot cross the link: it carries from {} to {}", CROSSING_PACKETS.start(), CROSSING_PACKETS.end())]
    Crossing { packet: Bytes },
    /// A queue that Linux alone has.
    #[error("the model plane has no queue of `{}`, which is Linux's own: the netem plane has it", .0)]
    KernelsQueue(&'static str),
    /// There is no thread to be had.
    #[error("cannot start the thread {name}: {source}")]
    Thread {
        name: &'static str,
        /// What the kernel said.
        source: io::Error,
    },
    /// The kernel no longer takes or gives packets.
    #[error("{device} fails while the link runs: {source}")]
    Device {
        device: String,
        /// What the kernel said.
        source: io::Error,
    },
    /// The plane's own code failed; what it said is on standard error.
    #[error("the thread {name} panicked")]
    Panicked { name: &'static str },
}
