//! A transport from elsewhere on a UDP socket: the same machine that the simulator drives, driven by datagrams and by the
//! clock.

mod driver;
mod end;
mod socket;
mod told;

use std::io;
use std::sync::Arc;

use nix::sys::eventfd::EventFd;
use windlull_netns::Site;
use windlull_plane::Epoch;
use windlull_stack::Program;
use windlull_transport::process::Process;
use windlull_transport::{Broken, Stack, Start, Transport, built_in};

use crate::running;
use driver::Driver;
pub(crate) use end::{Report, TransportSetup};
use socket::DatagramSocket;
pub(crate) use told::{Told, What};

/// An end whose socket is open: datagrams that arrive are kept until it starts.
pub(crate) struct Opened {
    setup: TransportSetup,
    transport: Box<dyn Transport>,
    socket: DatagramSocket,
    stop: Arc<EventFd>,
}

/// An end at work.
pub(crate) type Running = running::Running<Report>;

/// Begins one end of a stack's connection.
pub(crate) fn begin(program: &Program, start: &Start) -> Result<Box<dyn Transport>, Broken> {
    match program {
        Program::Built(name) => built_in()
            .find(|stack| stack.name() == name)
            .ok_or_else(|| Broken("is not built into this engine".to_owned()))?
            .begin(start),
        Program::Command(command) => Process::of(command.clone()).begin(start),
    }
}

/// Opens the socket of an end in its host's namespace.
pub(crate) fn open(site: &Site, setup: TransportSetup, transport: Box<dyn Transport>) -> io::Result<Opened> {
    Ok(Opened {
        setup,
        transport,
        socket: site.namespace.run(|| DatagramSocket::open(site.host))??,
        stop: Arc::new(EventFd::new()?),
    })
}

impl Opened {
    /// Octets that the kernel keeps of datagrams that were not taken yet.
    pub(crate) fn receive_buffer(&self) -> io::Result<usize> {
        self.socket.receive_buffer()
    }

    /// Begins: the client opens the connection at once.
    pub(crate) fn start(self, epoch: Epoch) -> io::Result<Running> {
        let Self {
            setup,
            transport,
            socket,
            stop,
        } = self;
        running::Running::start("transport", stop, |progress| {
            let driver = Driver::new(setup, transport, socket, epoch, progress);
            move |stop: &EventFd| driver.drive(stop)
        })
    }
}
