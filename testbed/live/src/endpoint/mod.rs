//! Our TCP on a real device: the same endpoint that the simulator drives, in the same order of calls, driven by frames
//! and by the clock.
//!
//! The device has no IP address, so that the kernel answers nothing. What arrives is a frame in the ring of a packet
//! socket; its checksums are verified, its octets go to an application that compares every one. What is sent gets its
//! octets by stream offset.

mod application;
mod driver;
mod end;
mod socket;

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use nix::sys::eventfd::EventFd;
use windlull_netns::{Site, join};
use windlull_plane::Epoch;

use driver::Driver;
pub(crate) use end::{EndpointSetup, Progress, Report, Role};
use socket::FrameSocket;

/// An end whose socket is open: frames that arrive are kept until it starts.
#[derive(Debug)]
pub(crate) struct Opened {
    setup: EndpointSetup,
    socket: FrameSocket,
    stop: Arc<EventFd>,
}

/// An end at work on a thread of its own.
#[derive(Debug)]
pub(crate) struct Running {
    thread: JoinHandle<io::Result<Report>>,
    stop: Arc<EventFd>,
    progress: Arc<Progress>,
}

/// Opens an end's socket on the device of its host's namespace.
pub(crate) fn open(site: &Site, setup: EndpointSetup) -> io::Result<Opened> {
    Ok(Opened {
        setup,
        socket: site.namespace.run(|| FrameSocket::open(&site.device))??,
        stop: Arc::new(EventFd::new()?),
    })
}

impl Opened {
    /// Begins: the sender opens the connection at once.
    pub(crate) fn start(self, epoch: Epoch) -> io::Result<Running> {
        let progress = Arc::new(Progress::default());
        let driver = Driver::new(&self.setup, self.socket, epoch, Arc::clone(&progress));
        let stop = Arc::clone(&self.stop);
        let thread = std::thread::Builder::new()
            .name("endpoint".to_owned())
            .spawn(move || driver.drive(&stop))?;
        Ok(Running {
            thread,
            stop: self.stop,
            progress,
        })
    }
}

impl Running {
    /// How far it is.
    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Ends it, whatever it is doing.
    pub(crate) fn stop(self) -> io::Result<Report> {
        self.stop.write(1)?;
        join(self.thread)
    }
}
