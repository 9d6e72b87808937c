//! Packet sockets (AF_PACKET): what no library wraps of them, for the plane, for endpoints and for captures.

#![expect(unsafe_code, reason = "options and addresses of packet sockets")]

mod mapping;
mod offload;
mod ring;

use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::ptr;

use nix::errno::Errno;
use nix::net::if_::if_nametoindex;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
use windlull_units::Network;

pub use mapping::Mapping;
pub use offload::{Cut, Offload, Unfinished};
pub use ring::{Ring, Waiting};

/// A packet socket for one device. It receives nothing before [`PacketSocket::bind`], and never waits.
#[derive(Debug)]
pub struct PacketSocket {
    fd: OwnedFd,
    device: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// All that passes; what goes out is seen by such sockets alone.
    All,
    /// Packets of this version of IP.
    Ip(Network),
    /// Nothing: it only sends.
    Nothing,
}

/// Packets since the question before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All that the socket would have received.
    pub passed: u64,
    /// Those of them that found no room.
    pub dropped: u64,
}

impl PacketSocket {
    /// For this device of the calling thread's network namespace.
    ///
    /// # Errors
    /// `ENODEV` if there is no such device, `EPERM` if the process may not have packet sockets there.
    pub fn open(device: &str) -> io::Result<Self> {
        let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
        Ok(Self {
            device: if_nametoindex(device)?,
            // No protocol: nothing is kept before the socket is bound to its device.
            fd: socket(AddressFamily::Packet, SockType::Raw, flags, None)?,
        })
    }

    /// The same socket once more: an option set here is set there.
    ///
    /// # Errors
    /// If there are no more file descriptors.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Self {
            fd: self.fd.try_clone()?,
            device: self.device,
        })
    }

    /// Sets an option of packet sockets, `PACKET_*` of packet(7), to an integer or a structure of linux/if_packet.h.
    ///
    /// # Errors
    /// What the kernel says, which checks that the value is of the option's size.
    pub fn set<T: Copy>(&self, option: libc::c_int, value: &T) -> io::Result<()> {
        // SAFETY: the kernel reads so many octets of `value` and keeps no pointer.
        let answer = unsafe {
            libc::setsockopt(
                self.fd.as_raw_fd(),
                libc::SOL_PACKET,
                option,
                ptr::from_ref(value).cast(),
                size_of::<T>() as libc::socklen_t,
            )
        };
        Errno::result(answer)?;
        Ok(())
    }

    /// From now on it receives what passes the device, and sends there.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn bind(&self, protocol: Protocol) -> io::Result<()> {
        let protocol = match protocol {
            Protocol::All => libc::ETH_P_ALL,
            Protocol::Ip(Network::Ipv4) => libc::ETH_P_IP,
            Protocol::Ip(Network::Ipv6) => libc::ETH_P_IPV6,
            Protocol::Nothing => 0,
        };
        // SAFETY: of integers and arrays of them, all of which may be zero.
        let mut address: libc::sockaddr_ll = unsafe { zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = (protocol as u16).to_be();
        address.sll_ifindex = self.device as libc::c_int;
        // SAFETY: the kernel reads the address, of this length.
        let answer = unsafe {
            libc::bind(
                self.fd.as_raw_fd(),
                ptr::from_ref(&address).cast(),
                size_of::<libc::sockaddr_ll>() as libc::socklen_t,
            )
        };
        Errno::result(answer)?;
        Ok(())
    }

    /// What has passed since this was last asked.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn counts(&self) -> io::Result<Counts> {
        // SAFETY: of integers.
        let mut counts: libc::tpacket_stats = unsafe { zeroed() };
        let mut len = size_of::<libc::tpacket_stats>() as libc::socklen_t;
        // SAFETY: the kernel writes at most `len` octets to `counts`; what version 3 has more of stands behind these.
        let answer = unsafe {
            libc::getsockopt(
                self.fd.as_raw_fd(),
                libc::SOL_PACKET,
                libc::PACKET_STATISTICS,
                ptr::from_mut(&mut counts).cast(),
                &raw mut len,
            )
        };
        Errno::result(answer)?;
        Ok(Counts {
            passed: u64::from(counts.tp_packets),
            dropped: u64::from(counts.tp_drops),
        })
    }
}

impl AsFd for PacketSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
