//! An end at work on a thread of its own, which others may look at and end.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use nix::sys::eventfd::EventFd;
use windlull_netns::join;

use crate::part;

/// `R` is what it leaves.
#[derive(Debug)]
pub(crate) struct Running<R> {
    thread: JoinHandle<io::Result<R>>,
    stop: Arc<EventFd>,
    progress: Arc<Progress>,
}

/// How far an end is; anybody may look while it runs.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    closed_in_order: AtomicBool,
    closed: AtomicBool,
    idle: AtomicBool,
    received: AtomicU64,
    fault: OnceLock<String>,
}

impl Progress {
    /// The end is so far now.
    pub(crate) fn tell(&self, now: part::Progress) {
        self.closed_in_order.store(now.closed_in_order, Ordering::Release);
        self.closed.store(now.closed, Ordering::Release);
        self.idle.store(now.idle, Ordering::Release);
        self.received.store(now.received, Ordering::Relaxed);
    }

    /// The end is at fault, and the run ends as soon as somebody looks.
    pub(crate) fn break_down(&self, what: String) {
        self.fault.get_or_init(|| what);
    }

    /// What the end did that ends the run.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.fault.get().map(String::as_str)
    }
}

impl From<&Progress> for part::Progress {
    fn from(progress: &Progress) -> Self {
        Self {
            closed_in_order: progress.closed_in_order.load(Ordering::Acquire),
            closed: progress.closed.load(Ordering::Acquire),
            idle: progress.idle.load(Ordering::Acquire),
            received: progress.received.load(Ordering::Relaxed),
        }
    }
}

impl<R: Send + 'static> Running<R> {
    /// Begins, on a thread of this name. `drive` is made of where to write how far it is, and goes on until it is told to stop.
    pub(crate) fn start<D>(name: &str, stop: Arc<EventFd>, drive: impl FnOnce(Arc<Progress>) -> D) -> io::Result<Self>
    where
        D: FnOnce(&EventFd) -> io::Result<R> + Send + 'static,
    {
        let progress = Arc::new(Progress::default());
        let drive = drive(Arc::clone(&progress));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || drive(&stopped))?;
        Ok(Self { thread, stop, progress })
    }

    /// How far it is.
    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Ends it, whatever it is doing.
    pub(crate) fn stop(self) -> io::Result<R> {
        self.stop.write(1)?;
        join(self.thread)
    }
}
