//! Our TCP on a real device: the same endpoint that the simulator drives, in the same order of calls, driven by frames
//! and by the clock.
//!
//! The device has no IP address, so that the kernel answers nothing. What arrives is a frame in the ring of a packet
//! socket; its checksums are verified, its octets go to a reader that compares every one. What is sent gets its
//! octets by stream offset.

mod driver;
mod end;
mod reader;
mod socket;

use std::io;
use std::sync::Arc;

use nix::sys::eventfd::EventFd;
use windlull_netns::Site;
use windlull_plane::Epoch;

use crate::running;
use driver::Driver;
pub(crate) use end::{EndpointSetup, Report};
use socket::FrameSocket;

/// An end whose socket is open: frames that arrive are kept until it starts.
#[derive(Debug)]
pub(crate) struct Opened {
    setup: EndpointSetup,
    socket: FrameSocket,
    stop: Arc<EventFd>,
}

/// An end at work.
pub(crate) type Running = running::Running<Report>;

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
        let Self { setup, socket, stop } = self;
        running::Running::start("endpoint", stop, |progress| {
            let driver = Driver::new(&setup, socket, epoch, progress);
            move |stop: &EventFd| driver.drive(stop)
        })
    }
}
