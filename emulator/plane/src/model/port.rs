//! Where the plane meets a device of the router.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use super::PlaneError;
use crate::packet_socket::{PacketSocket, Protocol, Ring};

/// A packet socket on one device: what arrives there is read from a ring, what is to leave there is sent.
pub struct Port {
    device: String,
    /// Before the socket, so that it goes first.
    ring: Ring,
    socket: PacketSocket,
}

impl Port {
    /// Opens a socket on a device of the calling thread's network namespace. From then on packets are kept for the
    /// plane, be it started or not.
    ///
    /// # Errors
    /// If there is no such device, or the process may not have packet sockets there.
    pub fn open(device: &str) -> Result<Self, PlaneError> {
        let failed = |doing| {
            move |source: io::Error| PlaneError::Port {
                doing,
                device: device.to_owned(),
                source,
            }
        };
        let socket = PacketSocket::open(device).map_err(failed("open a packet socket"))?;
        // No queueing discipline is between the model and the wire; what we send is not to come back to us.
        for option in [libc::PACKET_QDISC_BYPASS, libc::PACKET_IGNORE_OUTGOING] {
            socket.set(option, &1_i32).map_err(failed("set up a packet socket"))?;
        }
        let ring = Ring::of(&socket).map_err(failed("make a ring"))?;
        socket.bind(Protocol::All).map_err(failed("bind a packet socket"))?;
        Ok(Self {
            device: device.to_owned(),
            ring,
            socket,
        })
    }

    /// The device's name.
    pub fn device(&self) -> &str {
        &self.device
    }

    pub(super) const fn ring(&mut self) -> &mut Ring {
        &mut self.ring
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
