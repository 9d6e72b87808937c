//! A kernel that says nothing: of a connection that is over at once, whatever is under way, and of one that is not its own.
//! Nothing is closed or refused, as both send packets.

#![expect(unsafe_code, reason = "a socket option that takes a pointer")]

use std::io;
use std::net::TcpStream;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;

use nix::errno::Errno;
use nix::sys::socket::sockopt::TcpUserTimeout;
use nix::sys::socket::{Backlog, listen, setsockopt};
use windlull_netns::Site;

use super::socket::bound;

/// Milliseconds after which the kernel gives a connection up that nobody answers: none, but zero stands for its own.
const GIVES_UP: u32 = 1;

/// From now on the socket hears nothing, and so answers nothing. What it has sent and nobody acknowledges, the kernel sends
/// again once, when its timer fires; then it gives the connection up.
pub(super) fn silence(stream: &TcpStream) -> io::Result<()> {
    setsockopt(stream, TcpUserTimeout, &GIVES_UP)?;
    drop_all(stream)
}

/// Keeps a host's kernel from resetting the connection with this number, from 0, of which it knows nothing, for as long as
/// what is returned lives. A socket that listens gets all segments to its port, and this one drops each unheard.
pub fn silence_port(site: &Site, number: u16) -> io::Result<OwnedFd> {
    let bound = || -> io::Result<OwnedFd> {
        let socket = bound(site.network(), number, site.host)?;
        drop_all(&socket)?;
        listen(&socket, Backlog::new(1)?)?;
        Ok(socket)
    };
    site.namespace.run(bound)?
}

/// A filter that lets no packet through to the socket (socket(7), `SO_ATTACH_FILTER`).
fn drop_all(socket: &impl AsRawFd) -> io::Result<()> {
    // "Return 0": so many octets are kept of a packet.
    let mut program = [libc::sock_filter {
        code: (libc::BPF_RET | libc::BPF_K) as u16,
        jt: 0,
        jf: 0,
        k: 0,
    }];
    let program = libc::sock_fprog {
        len: 1,
        filter: program.as_mut_ptr(),
    };
    // SAFETY: the kernel reads the option and the one instruction that it points to, both alive, and keeps no pointer.
    let answer = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_ATTACH_FILTER,
            ptr::from_ref(&program).cast(),
            size_of::<libc::sock_fprog>() as libc::socklen_t,
        )
    };
    Errno::result(answer)?;
    Ok(())
}
