//! Whose the network is that this process is in.

#![expect(unsafe_code, reason = "the owner of a namespace is asked for by ioctl")]

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::MetadataExt;

use caps::{CapSet, Capability};
use nix::errno::Errno;

/// `linux/nsfs.h`: `_IO(0xb7, 0x1)`.
const NS_GET_USERNS: libc::c_ulong = 0xb701;
/// The machine's own user namespace (`PROC_USER_INIT_INO`, `include/linux/proc_ns.h`).
const FIRST_USER_NAMESPACE: u64 = 0xEFFF_FFFD;

/// Whether the calling thread is in a network of its own user namespace and may change it, as a program in a [`crate::Stub`]
/// is. False in the machine's own network, for root too: what is not a namespace's own would stay after us.
pub fn owns_network() -> bool {
    let has = |right| caps::has_cap(None, CapSet::Effective, right).unwrap_or(false);
    let may = [Capability::CAP_NET_ADMIN, Capability::CAP_SYS_ADMIN];
    may.into_iter().all(has) && network_is_of_user_namespace().unwrap_or(false)
}

fn network_is_of_user_namespace() -> io::Result<bool> {
    let own = fs::metadata("/proc/thread-self/ns/user")?;
    if own.ino() == FIRST_USER_NAMESPACE {
        return Ok(false);
    }
    let network = File::open("/proc/thread-self/ns/net")?;
    // SAFETY: the request has no argument; it answers with a new file descriptor.
    let owner = unsafe { libc::ioctl(network.as_raw_fd(), NS_GET_USERNS) };
    // The kernel refuses (`EPERM`) where the owner is beyond our own namespace.
    let owner = Errno::result(owner)?;
    // SAFETY: it was just opened for us, and nobody else knows it.
    let owner = unsafe { File::from_raw_fd(owner) }.metadata()?;
    Ok((owner.dev(), owner.ino()) == (own.dev(), own.ino()))
}
