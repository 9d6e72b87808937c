//! Sockets that have any address for their own (ip(7), `IP_TRANSPARENT`).

use std::io;
use std::net::SocketAddrV4;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::sys::socket::sockopt::{IpTransparent, ReuseAddr};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrIn, bind, setsockopt, socket};

/// Where the relay listens; every port comes here.
pub(crate) const RELAY_PORT: u16 = 1_090;

/// A socket of the calling thread's namespace that may have any address for its own, bound to this one.
pub(super) fn transparent(kind: SockType, address: SocketAddrV4) -> io::Result<OwnedFd> {
    let fd = socket(AddressFamily::Inet, kind, SockFlag::SOCK_CLOEXEC, None)?;
    setsockopt(&fd, ReuseAddr, &true)?;
    setsockopt(&fd, IpTransparent, &true)?;
    bind(fd.as_raw_fd(), &SockaddrIn::from(address))?;
    Ok(fd)
}
