//! An end of a transport from elsewhere: what it does, how far it is, and what it knows when it is over.

use windlull_netns::Namespace;
use windlull_units::{Host, Network};

use super::told::Told;
use crate::Task;

/// What an end does, and where.
#[derive(Clone, Debug)]
pub(crate) struct TransportSetup {
    pub(crate) host: Host,
    pub(crate) task: Task,
    /// Where its socket is.
    pub(crate) namespace: Namespace,
    /// The version of IP of its datagrams.
    pub(crate) network: Network,
}

/// What an end knows when it is over.
#[derive(Debug)]
pub(crate) struct Report {
    /// What it said and sent, in order.
    pub(crate) told: Vec<Told>,
    /// Octets that its application read.
    pub(crate) received: u64,
    /// Datagrams that found the socket's buffer full.
    pub(crate) missed: u64,
    /// Datagrams that the kernel did not take.
    pub(crate) send_failures: u64,
    /// Why the connection is over, if it did not end in order.
    pub(crate) failure: Option<String>,
}
