//! What the plane's thread and the others share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::Sender;

use nix::sys::eventfd::EventFd;

use super::orders::Orders;
use super::{Monitor, Passed};

/// What the plane's thread and the others share.
pub(super) struct Shared {
    pub(super) stop: AtomicBool,
    /// Ends the thread's sleep.
    pub(super) wake: EventFd,
    /// Packets that came to the link since it started.
    pub(super) entered: AtomicU64,
    /// Packets in it.
    pub(super) inside: AtomicU64,
    /// What it is told.
    pub(super) orders: Orders,
}

impl Shared {
    /// Ends the thread's sleep.
    pub(super) fn wake(&self) {
        // It can fail only if the counter is full, and then the thread wakes up anyway.
        let _ = self.wake.write(1);
    }
}

/// What a link leaves behind.
#[derive(Clone, Debug)]
pub(super) enum Keeps {
    /// Its whole story, and counts if somebody watches; nobody changes it while it runs.
    Story(Option<Arc<Monitor>>),
    /// Counts alone; a hand may change it.
    Counts(Arc<Monitor>),
    /// Counts, and what happens to each packet, told to whoever listens; nobody changes it while it runs.
    Packets(Arc<Monitor>, Option<Sender<Passed>>),
}

impl Keeps {
    /// What counts, if anything does.
    pub(super) fn monitor(&self) -> Option<&Monitor> {
        match self {
            Self::Story(monitor) => monitor.as_deref(),
            Self::Counts(monitor) | Self::Packets(monitor, _) => Some(monitor),
        }
    }

    /// Tells of a packet, if anybody listens. Who has gone is not told.
    pub(super) fn tell(&self, passed: Passed) {
        if let Self::Packets(_, Some(listener)) = self {
            let _ = listener.send(passed);
        }
    }
}
