//! Our TCP on a real device: the same endpoints that the simulator drives, one for each connection, in the same order of
//! calls, driven by frames and by the clock.
//!
//! The device has no IP address, so that the kernel answers nothing. What arrives is a frame in the ring of a packet
//! socket; its checksums are verified, its octets go to a reader that compares every one. What is sent gets its
//! octets by stream offset.

mod connection;
mod driver;
mod end;
mod reader;
mod socket;

use std::io;
use std::sync::Arc;

use nix::sys::eventfd::EventFd;
use windlull_netns::Site;
use windlull_plane::Epoch;
use windlull_units::{Host, Network};

use crate::running;
use driver::Driver;
pub(crate) use end::{ConnectionReport, EndpointSetup, Report};
use socket::FrameSocket;

/// A host's ends, whose socket is open: frames that arrive are kept until they start.
#[derive(Debug)]
pub(crate) struct Opened {
    host: Host,
    network: Network,
    setups: Vec<EndpointSetup>,
    socket: FrameSocket,
    stop: Arc<EventFd>,
}

/// A host's ends at work.
pub(crate) type Running = running::Running<Report>;

/// Opens the one socket of a host's ends, of connections in this order, on the device of its namespace.
pub(crate) fn open(site: &Site, setups: Vec<EndpointSetup>) -> io::Result<Opened> {
    Ok(Opened {
        host: site.host,
        network: site.network(),
        setups,
        socket: site
            .namespace
            .run(|| FrameSocket::open(&site.device, site.network()))??,
        stop: Arc::new(EventFd::new()?),
    })
}

impl Opened {
    /// Begins: senders open their connections when their times come.
    pub(crate) fn start(self, epoch: Epoch) -> io::Result<Running> {
        let Self {
            host,
            network,
            setups,
            socket,
            stop,
        } = self;
        running::Running::start("endpoint", stop, |progress| {
            let driver = Driver::new((host, network), &setups, socket, epoch, progress);
            move |stop: &EventFd| driver.drive(stop)
        })
    }
}
