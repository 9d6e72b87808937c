//! An end of a transport from elsewhere: what it does, how far it is, and what it knows when it is over.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use windlull_netns::Namespace;
use windlull_units::Host;

use super::told::Told;
use crate::endpoint::Role;

/// What an end does, and where.
#[derive(Clone, Debug)]
pub(crate) struct TransportSetup {
    pub(crate) host: Host,
    pub(crate) role: Role,
    /// Where its socket is.
    pub(crate) namespace: Namespace,
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

/// How far an end is; anybody may look while it runs.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    pub(super) closed_in_order: AtomicBool,
    pub(super) closed: AtomicBool,
    pub(super) idle: AtomicBool,
    pub(super) received: AtomicU64,
    /// What the stack did that ends the run.
    pub(super) fault: OnceLock<String>,
}

impl Progress {
    /// Whether the connection has ended as it should.
    pub(crate) fn closed_in_order(&self) -> bool {
        self.closed_in_order.load(Ordering::Acquire)
    }

    /// Whether there is no connection any more.
    pub(crate) fn closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Whether it waits for nothing but datagrams.
    pub(crate) fn idle(&self) -> bool {
        self.idle.load(Ordering::Acquire)
    }

    /// Octets that the application has read.
    pub(crate) fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    /// What the stack did that ends the run.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.fault.get().map(String::as_str)
    }
}
