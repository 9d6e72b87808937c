//! An end at work on a thread of its own, which others may look at and end.

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use nix::sys::eventfd::EventFd;
use windlull_netns::join;

/// `P` is how far it is, `R` what it leaves.
#[derive(Debug)]
pub(crate) struct Running<R, P> {
    thread: JoinHandle<io::Result<R>>,
    stop: Arc<EventFd>,
    progress: Arc<P>,
}

impl<R: Send + 'static, P: Default> Running<R, P> {
    /// Begins, on a thread of this name. `drive` is made of where to write how far it is, and goes on until it is told to stop.
    pub(crate) fn start<D>(name: &str, stop: Arc<EventFd>, drive: impl FnOnce(Arc<P>) -> D) -> io::Result<Self>
    where
        D: FnOnce(&EventFd) -> io::Result<R> + Send + 'static,
    {
        let progress = Arc::new(P::default());
        let drive = drive(Arc::clone(&progress));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || drive(&stopped))?;
        Ok(Self { thread, stop, progress })
    }

    /// How far it is.
    pub(crate) fn progress(&self) -> &P {
        &self.progress
    }

    /// Ends it, whatever it is doing.
    pub(crate) fn stop(self) -> io::Result<R> {
        self.stop.write(1)?;
        join(self.thread)
    }
}
