//! Whoever connects to a socket, each on a thread of its own.

use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// How often is looked whether it is to stop.
pub(crate) const STOP_LOOK: Duration = Duration::from_millis(50);

/// Somebody who attends, on threads of its own; dropped, it ends as when it is stopped.
#[derive(Debug)]
pub struct Serving {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Serving {
    /// Has a thread of this name do the work, which ends when it is to stop.
    pub(crate) fn start(name: &str, work: impl FnOnce(&Arc<AtomicBool>) + Send + 'static) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let thread = thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || work(&told))?;
        Ok(Self {
            stop,
            thread: Some(thread),
        })
    }

    /// Ends it. A run under way is ended first: what it had changed is put back when this returns.
    pub fn stop(mut self) {
        self.end();
    }

    /// Whether it still attends.
    pub fn is_alive(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    fn end(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It has said on standard error why, if it panicked.
            let _ = thread.join();
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.end();
    }
}

/// Receives those who come until it is to stop, and waits for those who are there. `name` is that of their threads.
pub(crate) fn attend(
    listener: &UnixListener,
    stop: &AtomicBool,
    name: &str,
    receive: impl Fn(UnixStream) + Clone + Send + 'static,
) {
    let mut visitors: Vec<JoinHandle<()>> = Vec::new();
    let look = PollTimeout::try_from(STOP_LOOK).unwrap_or(PollTimeout::ZERO);
    while !stop.load(Ordering::Relaxed) {
        visitors.retain(|visitor| !visitor.is_finished());
        let mut ready = [PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
        if poll(&mut ready, look).unwrap_or(0) == 0 {
            continue;
        }
        let Ok((stream, _)) = listener.accept() else {
            thread::sleep(STOP_LOOK);
            continue;
        };
        let receive = receive.clone();
        let visitor = thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || receive(stream));
        visitors.extend(visitor);
    }
    for visitor in visitors {
        // What it said of a panic stands on standard error.
        let _ = visitor.join();
    }
}
