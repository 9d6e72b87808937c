//! A transport from elsewhere on a UDP socket: the same machine that the simulator drives, driven by datagrams and by the
//! clock.

mod application;
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
use windlull_transport::{Broken, Start, Transport, built_in};
use windlull_units::Carries;

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
pub(crate) fn begin(stack: &windlull_stack::Transport, start: &Start) -> Result<Box<dyn Transport>, Broken> {
    let process;
    let stack = match &stack.program {
        Program::Built(name) => built_in()
            .find(|built| built.name() == name)
            .ok_or_else(|| Broken("is not built into this engine".to_owned()))?,
        Program::Command(command) => {
            process = Process::of(command.clone(), stack.carries);
            &process
        }
    };
    match stack.carries() {
        Carries::Datagrams => stack.begin(start),
        Carries::Packets => Err(Broken(
            "sends TCP packets, for which a live host has no socket; run it with --testbed sim".to_owned(),
        )),
    }
}

/// Opens the socket of an end in its host's namespace.
pub(crate) fn open(site: &Site, setup: TransportSetup, transport: Box<dyn Transport>) -> io::Result<Opened> {
    Ok(Opened {
        setup,
        transport,
        socket: site
            .namespace
            .run(|| DatagramSocket::open(site.network(), site.host))??,
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
