//! A packet socket on one device: what arrives is read from a ring that the kernel fills, what is sent goes out at once.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use nix::sys::socket::{MsgFlags, send};
use windlull_plane::packet_socket::{PacketSocket, Protocol, Ring};

/// A packet socket bound to a device. It neither sees its own packets nor answers anything by itself.
#[derive(Debug)]
pub(super) struct FrameSocket {
    socket: PacketSocket,
    ring: Ring,
    missed: u64,
}

impl FrameSocket {
    /// On this device of the calling thread's network namespace; IPv4 alone.
    ///
    /// # Errors
    /// What the system calls say.
    pub(super) fn open(device: &str) -> io::Result<Self> {
        let socket = PacketSocket::open(device)?;
        socket.set(libc::PACKET_IGNORE_OUTGOING, &1_i32)?;
        let ring = Ring::of(&socket)?;
        socket.bind(Protocol::Ipv4)?;
        Ok(Self {
            socket,
            ring,
            missed: 0,
        })
    }

    /// Hands the next frame that has arrived to `take`, with its length on the wire; `None` if there is none.
    pub(super) fn next_frame<T>(&mut self, take: impl FnOnce(&[u8], usize) -> T) -> Option<T> {
        let taken = self.ring.first().map(|waiting| take(waiting.octets, waiting.len))?;
        self.ring.give_back();
        Some(taken)
    }

    /// Sends a frame.
    ///
    /// # Errors
    /// What the system call says; the frame is then lost.
    pub(super) fn send(&self, frame: &[u8]) -> io::Result<()> {
        send(self.socket.as_fd().as_raw_fd(), frame, MsgFlags::empty())?;
        Ok(())
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

impl AsFd for FrameSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
