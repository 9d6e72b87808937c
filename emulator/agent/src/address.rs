//! Addresses of a device, given and taken back by ioctl (netdevice(7)): a process with the capability needs no program
//! that has it too.

#![expect(unsafe_code, reason = "a device's addresses are set by ioctl")]

use std::io;
use std::mem::zeroed;
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};

/// An address that this process has given to a device. Dropped, it is taken back.
#[derive(Debug)]
pub(crate) struct Given {
    control: OwnedFd,
    label: String,
}

impl Given {
    /// Gives a device of the calling thread's network namespace an address of its own label, beside those it has.
    pub(crate) fn to(device: &str, address: Ipv4Addr, mask: Ipv4Addr) -> io::Result<Self> {
        let given = Self {
            control: socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)?,
            label: format!("{device}:wl"),
        };
        given.set(libc::SIOCSIFADDR, address)?;
        given.set(libc::SIOCSIFNETMASK, mask)?;
        Ok(given)
    }

    fn set(&self, request: libc::c_ulong, address: Ipv4Addr) -> io::Result<()> {
        let mut asked = self.asked()?;
        let address = libc::sockaddr_in {
            sin_family: libc::AF_INET as u16,
            sin_port: 0,
            sin_addr: libc::in_addr {
                s_addr: u32::from_ne_bytes(address.octets()),
            },
            sin_zero: [0; 8],
        };
        // SAFETY: both structures have sixteen octets, and any octets are a `sockaddr`.
        asked.ifr_ifru.ifru_addr = unsafe { std::mem::transmute::<libc::sockaddr_in, libc::sockaddr>(address) };
        self.ask(request, &mut asked)
    }

    fn asked(&self) -> io::Result<libc::ifreq> {
        // SAFETY: of integers and arrays of them, all of which may be zero.
        let mut asked: libc::ifreq = unsafe { zeroed() };
        if self.label.len() >= asked.ifr_name.len() {
            let why = format!("the device's name is too long for the label {}", self.label);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        for (to, from) in asked.ifr_name.iter_mut().zip(self.label.bytes()) {
            *to = from as libc::c_char;
        }
        Ok(asked)
    }

    fn ask(&self, request: libc::c_ulong, asked: &mut libc::ifreq) -> io::Result<()> {
        // SAFETY: the kernel reads and writes one `ifreq`, which is ours.
        let answer = unsafe { libc::ioctl(self.control.as_raw_fd(), request as _, asked) };
        Errno::result(answer)?;
        Ok(())
    }
}

impl Drop for Given {
    fn drop(&mut self) {
        // A label that is no longer up is gone, with its address. If the device went before, so did they.
        if let Ok(mut asked) = self.asked() {
            let _ = self.ask(libc::SIOCSIFFLAGS, &mut asked);
        }
    }
}
