//! A packet socket on one device: what arrives is read from a ring that the kernel fills, what is sent goes out at once.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use nix::errno::Errno;
use nix::sys::socket::sockopt::SndBuf;
use nix::sys::socket::{MsgFlags, send, setsockopt};
use windlull_plane::packet_socket::{PacketSocket, Protocol, Ring};
use windlull_units::Network;

/// Sockets to send at. A frame that waits in a discipline of the kernel's link, or is on its way there, counts for the
/// socket that sent it until it is read. The machine's limit of a socket, which only root of the whole machine can exceed,
/// is mostly 185 full frames; these have room for 5,900.
const SENDERS: usize = 32;
/// What each asks for, octets; it gets as much as the limit allows.
const SEND_BUFFER: usize = 64 << 20;

/// A packet socket bound to a device. It neither sees its own packets nor answers anything by itself.
#[derive(Debug)]
pub(super) struct FrameSocket {
    socket: PacketSocket,
    ring: Ring,
    senders: Vec<PacketSocket>,
    /// The one that had room when it was last tried.
    sender: usize,
    missed: u64,
}

impl FrameSocket {
    /// On this device of the calling thread's network namespace; packets of this version of IP alone.
    ///
    /// # Errors
    /// What the system calls say.
    pub(super) fn open(device: &str, network: Network) -> io::Result<Self> {
        let socket = PacketSocket::open(device)?;
        socket.set(libc::PACKET_IGNORE_OUTGOING, &1_i32)?;
        let ring = Ring::of(&socket)?;
        socket.bind(Protocol::Ip(network))?;
        Ok(Self {
            socket,
            ring,
            senders: (0..SENDERS).map(|_| sender(device)).collect::<io::Result<_>>()?,
            sender: 0,
            missed: 0,
        })
    }

    /// Hands the next frame that has arrived to `take`, with its length on the wire; `None` if there is none.
    pub(super) fn next_frame<T>(&mut self, take: impl FnOnce(&[u8], usize) -> T) -> Option<T> {
        let taken = self.ring.first().map(|waiting| take(waiting.octets, waiting.len))?;
        self.ring.give_back();
        Some(taken)
    }

    /// Sends a frame. Each goes to the device before the call returns, so that all keep their order.
    ///
    /// # Errors
    /// What the system call says; the frame is then lost.
    pub(super) fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        let mut last = Errno::EAGAIN;
        for place in (0..self.senders.len()).map(|next| (self.sender + next) % self.senders.len()) {
            let Some(socket) = self.senders.get(place) else { break };
            match send(socket.as_fd().as_raw_fd(), frame, MsgFlags::empty()) {
                Ok(_) => {
                    self.sender = place;
                    return Ok(());
                }
                Err(full @ (Errno::EAGAIN | Errno::ENOBUFS)) => last = full,
                Err(error) => return Err(error.into()),
            }
        }
        Err(last.into())
    }

    /// Frames that found the ring full, from the start.
    ///
    /// # Errors
    /// What the system call says.
    pub(super) fn missed(&mut self) -> io::Result<u64> {
        self.missed += self.socket.counts()?.dropped;
        Ok(self.missed)
    }
}

/// A socket that only sends.
fn sender(device: &str) -> io::Result<PacketSocket> {
    let socket = PacketSocket::open(device)?;
    setsockopt(&socket, SndBuf, &SEND_BUFFER)?;
    socket.bind(Protocol::Nothing)?;
    Ok(socket)
}

impl AsFd for FrameSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
