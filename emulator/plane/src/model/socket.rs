//! What packet sockets are told by system calls that no library wraps.

#![expect(
    unsafe_code,
    reason = "options and addresses of packet sockets, and sendmmsg without allocations"
)]

use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::ptr;

use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};

use super::frame::Frame;

/// Frames that one system call sends at most.
pub(super) const BATCH: usize = 32;

/// A socket for all packets; it sees none before it is bound.
pub(super) fn open() -> io::Result<OwnedFd> {
    Ok(socket(
        AddressFamily::Packet,
        SockType::Raw,
        SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK,
        None,
    )?)
}

/// Sets an option of packet sockets.
pub(super) fn set<T>(socket: BorrowedFd<'_>, option: libc::c_int, value: &T) -> io::Result<()> {
    // SAFETY: the kernel reads so many octets of `value` and keeps no pointer.
    let answer = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_PACKET,
            option,
            ptr::from_ref(value).cast(),
            size_of::<T>() as libc::socklen_t,
        )
    };
    Errno::result(answer)?;
    Ok(())
}

/// Gives the socket a ring of version 2 to receive into.
pub(super) fn make_ring(socket: BorrowedFd<'_>, request: libc::tpacket_req) -> io::Result<()> {
    set(
        socket,
        libc::PACKET_VERSION,
        &(libc::tpacket_versions::TPACKET_V2 as libc::c_int),
    )?;
    set(socket, libc::PACKET_RX_RING, &request)
}

/// From now on the socket receives what arrives at the device, and sends there.
pub(super) fn bind(socket: BorrowedFd<'_>, device: u32) -> io::Result<()> {
    // SAFETY: of integers and arrays of them, all of which may be zero.
    let mut address: libc::sockaddr_ll = unsafe { zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
    address.sll_ifindex = device as libc::c_int;
    // SAFETY: the kernel reads the address, of this length.
    let answer = unsafe {
        libc::bind(
            socket.as_raw_fd(),
            ptr::from_ref(&address).cast(),
            size_of::<libc::sockaddr_ll>() as libc::socklen_t,
        )
    };
    Errno::result(answer)?;
    Ok(())
}

/// Packets that the ring had no place for since this was last asked.
pub(super) fn drops(socket: BorrowedFd<'_>) -> io::Result<u64> {
    // SAFETY: of integers.
    let mut counts: libc::tpacket_stats = unsafe { zeroed() };
    let mut len = size_of::<libc::tpacket_stats>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `len` octets to `counts`.
    let answer = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_PACKET,
            libc::PACKET_STATISTICS,
            ptr::from_mut(&mut counts).cast(),
            &raw mut len,
        )
    };
    Errno::result(answer)?;
    Ok(u64::from(counts.tp_drops))
}

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
