//! Where a host of a run is.

use windlull_units::Host;

use crate::namespace::Namespace;

/// A host's place on the machine: the network namespace it lives in, and its device towards the link.
#[derive(Clone, Debug)]
pub struct Site {
    /// Which host it is.
    pub host: Host,
    /// Where its devices, its kernel's settings and its sockets are.
    pub namespace: Namespace,
    /// The device's name.
    pub device: String,
}
