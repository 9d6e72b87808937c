//! Where the plane meets a device of the router.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use super::PlaneError;
use super::gate::Gate;
use super::outgoing::Outgoing;
use crate::packet_socket::{PacketSocket, Protocol, Ring};

/// A packet socket on one device: what arrives there is read from a ring, what is to leave there is sent.
pub struct Port {
    device: String,
    /// Before the socket, so that it goes first.
    pub(super) ring: Ring,
    socket: PacketSocket,
    /// There if it is a gateway's.
    pub(super) gate: Option<Gate>,
}

impl Port {
    /// Opens a socket on a device of the calling thread's network namespace. From then on packets are kept for the
    /// plane, be it started or not.
    ///
    /// # Errors
    /// If there is no such device, or the process may not have packet sockets there.
    pub fn open(device: &str) -> Result<Self, PlaneError> {
        Self::opened(device, None, Ring::of)
    }

    /// The same for a gateway, whose hosts have it for their router. It carries IPv4 packets that are sent to the device's
    /// Ethernet address and are for a host in the network of the other port's device; whoever sent them may have left
    /// cutting and checksums to a device. All else is left to the kernel.
    ///
    /// # Errors
    /// Also if the device has no IPv4 address, or the kernel itself forwards what comes there.
    pub fn gateway(device: &str) -> Result<Self, PlaneError> {
        let gate = Gate::open(device).map_err(failed(device, "be a gateway"))?;
        Self::opened(device, Some(gate), Ring::of_large)
    }

    fn opened(
        device: &str,
        gate: Option<Gate>,
        ring: fn(&PacketSocket) -> io::Result<Ring>,
    ) -> Result<Self, PlaneError> {
        let failed = |doing| failed(device, doing);
        let socket = PacketSocket::open(device).map_err(failed("open a packet socket"))?;
        // No queueing discipline is between the model and the wire; what we send is not to come back to us.
        for option in [libc::PACKET_QDISC_BYPASS, libc::PACKET_IGNORE_OUTGOING] {
            socket.set(option, &1_i32).map_err(failed("set up a packet socket"))?;
        }
        let ring = ring(&socket).map_err(failed("make a ring"))?;
        socket.bind(Protocol::All).map_err(failed("bind a packet socket"))?;
        Ok(Self {
            device: device.to_owned(),
            ring,
            socket,
            gate,
        })
    }

    pub fn device(&self) -> &str {
        &self.device
    }

    /// The socket at which it sends, to say whether captures on the device see what it sends.
    ///
    /// # Errors
    /// If there are no more file descriptors.
    pub fn outgoing(&self) -> io::Result<Outgoing> {
        let out = self.gate.as_ref().map_or(&self.socket, Gate::out);
        Ok(Outgoing(out.try_clone()?))
    }

    /// Where to send.
    pub(super) fn out(&self) -> BorrowedFd<'_> {
        self.gate.as_ref().map_or(self.socket.as_fd(), Gate::as_fd)
    }

    /// Packets that the ring had no place for since this was last asked.
    pub(super) fn drops(&self) -> io::Result<u64> {
        Ok(self.socket.counts()?.dropped)
    }

    pub(super) fn failed(&self, source: impl Into<io::Error>) -> PlaneError {
        PlaneError::Device {
            device: self.device.clone(),
            source: source.into(),
        }
    }
}

impl AsFd for Port {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn failed(device: &str, doing: &'static str) -> impl Fn(io::Error) -> PlaneError {
    move |source| PlaneError::Port {
        doing,
        device: device.to_owned(),
        source,
    }
}
