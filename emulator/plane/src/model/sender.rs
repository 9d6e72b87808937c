//! Sending many frames by one system call.

#![expect(unsafe_code, reason = "sendmmsg without allocations")]

use std::mem::zeroed;
use std::os::fd::{AsRawFd, BorrowedFd};

use nix::errno::Errno;

use super::frame::Frame;

/// Frames that one system call sends at most.
pub(super) const BATCH: usize = 32;

/// Room for the arguments of `sendmmsg`.
pub(super) struct Sender {
    /// Point to `vectors`, one each.
    headers: Box<[libc::mmsghdr; BATCH]>,
    vectors: Box<[libc::iovec; BATCH]>,
}

impl Sender {
    pub(super) fn new() -> Self {
        // SAFETY: of integers and pointers, all of which may be zero.
        let (mut headers, mut vectors): (Box<[libc::mmsghdr; BATCH]>, Box<[libc::iovec; BATCH]>) =
            unsafe { (Box::new(zeroed()), Box::new(zeroed())) };
        for (header, vector) in headers.iter_mut().zip(vectors.iter_mut()) {
            header.msg_hdr.msg_iov = vector;
            header.msg_hdr.msg_iovlen = 1;
        }
        Self { headers, vectors }
    }

    /// Sends frames, at most [`BATCH`], and says how many the kernel took.
    ///
    /// # Errors
    /// What the kernel said of the first, if it took none.
    pub(super) fn send<'a>(
        &mut self,
        socket: BorrowedFd<'_>,
        frames: impl Iterator<Item = &'a Frame>,
    ) -> Result<usize, Errno> {
        let mut count = 0;
        for (vector, frame) in self.vectors.iter_mut().zip(frames) {
            let octets = frame.octets();
            vector.iov_base = octets.as_ptr().cast_mut().cast();
            vector.iov_len = octets.len();
            count += 1;
        }
        // SAFETY: the first `count` headers point to vectors of `self`, and these to frames that the caller lends us for
        // this call; the kernel only reads what a message to send points to.
        let sent = unsafe { libc::sendmmsg(socket.as_raw_fd(), self.headers.as_mut_ptr(), count, libc::MSG_DONTWAIT) };
        Errno::result(sent).map(|sent| sent as usize)
    }
}
