//! A packet socket on one device: what arrives is read from a ring that the kernel fills, what is sent goes out at once.

#![expect(
    unsafe_code,
    reason = "packet sockets and their ring are reached by raw system calls and shared memory"
)]

use std::ffi::CString;
use std::io;
use std::mem;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, Ordering};

/// Octets of a ring's slot: an Ethernet frame of 1514 and the kernel's header before it.
const SLOT: usize = 2048;
/// Slots: a full window of 1500-octet packets that a link releases at once.
const SLOTS: usize = 4096;
/// Octets that the kernel allocates in one piece.
const BLOCK: usize = 1 << 16;

/// A packet socket bound to a device. It neither sees its own packets nor answers anything by itself.
#[derive(Debug)]
pub(super) struct FrameSocket {
    fd: OwnedFd,
    ring: NonNull<u8>,
    next: usize,
    missed: u64,
}

// SAFETY: the ring is memory of this socket alone; who has the socket is its only reader.
unsafe impl Send for FrameSocket {}

impl FrameSocket {
    /// On this device of the calling thread's network namespace; IPv4 alone.
    ///
    /// # Errors
    /// What the system calls say.
    pub(super) fn open(device: &str) -> io::Result<Self> {
        let name = CString::new(device)?;
        // SAFETY: plain system calls; the name is a C string, and a descriptor that is not negative is ours.
        let (index, fd) = unsafe {
            let index = libc::if_nametoindex(name.as_ptr());
            if index == 0 {
                return Err(io::Error::last_os_error());
            }
            // Protocol 0: nothing is queued before the socket is bound to its device.
            let fd = libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_CLOEXEC, 0);
            if fd < 0 {
                return Err(io::Error::last_os_error());
            }
            (index, OwnedFd::from_raw_fd(fd))
        };
        set(
            &fd,
            libc::PACKET_VERSION,
            &(libc::tpacket_versions::TPACKET_V2 as libc::c_int),
        )?;
        set(&fd, PACKET_IGNORE_OUTGOING, &1_i32)?;
        let request = libc::tpacket_req {
            tp_block_size: BLOCK as u32,
            tp_block_nr: (SLOT * SLOTS / BLOCK) as u32,
            tp_frame_size: SLOT as u32,
            tp_frame_nr: SLOTS as u32,
        };
        set(&fd, libc::PACKET_RX_RING, &request)?;
        // SAFETY: the kernel chooses the place; the length is that of the ring asked for above.
        let ring = unsafe {
            libc::mmap(
                ptr::null_mut(),
                SLOT * SLOTS,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                fd.as_raw_fd(),
                0,
            )
        };
        if ring == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let ring = NonNull::new(ring.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        let socket = Self {
            fd,
            ring,
            next: 0,
            missed: 0,
        };
        socket.bind(index)?;
        Ok(socket)
    }

    fn bind(&self, index: u32) -> io::Result<()> {
        // SAFETY: an all-zero `sockaddr_ll` is a valid value.
        let mut address: libc::sockaddr_ll = unsafe { mem::zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = (libc::ETH_P_IP as u16).to_be();
        address.sll_ifindex = index as libc::c_int;
        // SAFETY: the address is a `sockaddr_ll` of the length told.
        let failed = unsafe {
            libc::bind(
                self.fd.as_raw_fd(),
                ptr::from_ref(&address).cast(),
                size_of::<libc::sockaddr_ll>() as libc::socklen_t,
            )
        };
        if failed != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// Hands the next frame that has arrived to `take`, with its length on the wire; `None` if there is none.
    pub(super) fn next_frame<T>(&mut self, take: impl FnOnce(&[u8], usize) -> T) -> Option<T> {
        // SAFETY: slots lie within the ring and are aligned; the status word is shared with the kernel and only
        // touched atomically; the frame is ours from the moment the status says so until it is given back.
        unsafe {
            let slot = self.ring.as_ptr().add(self.next * SLOT);
            let status = AtomicU32::from_ptr(slot.cast());
            if status.load(Ordering::Acquire) & libc::TP_STATUS_USER == 0 {
                return None;
            }
            let header = slot.cast::<libc::tpacket2_hdr>();
            let at = usize::from((*header).tp_mac);
            let captured = ((*header).tp_snaplen as usize).min(SLOT.saturating_sub(at));
            let frame = std::slice::from_raw_parts(slot.add(at), captured);
            let taken = take(frame, (*header).tp_len as usize);
            status.store(libc::TP_STATUS_KERNEL, Ordering::Release);
            self.next = (self.next + 1) % SLOTS;
            Some(taken)
        }
    }

    /// Sends a frame.
    ///
    /// # Errors
    /// What the system call says; the frame is then lost.
    pub(super) fn send(&self, frame: &[u8]) -> io::Result<()> {
        // SAFETY: the buffer is readable for its length.
        let sent = unsafe { libc::send(self.fd.as_raw_fd(), frame.as_ptr().cast(), frame.len(), 0) };
        if sent < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// Frames that found the ring full, from the start.
    ///
    /// # Errors
    /// What the system call says.
    pub(super) fn missed(&mut self) -> io::Result<u64> {
        let mut counts = libc::tpacket_stats {
            tp_packets: 0,
            tp_drops: 0,
        };
        let mut len = size_of::<libc::tpacket_stats>() as libc::socklen_t;
        // SAFETY: the buffer is a `tpacket_stats` of the length told.
        let failed = unsafe {
            libc::getsockopt(
                self.fd.as_raw_fd(),
                libc::SOL_PACKET,
                libc::PACKET_STATISTICS,
                (&raw mut counts).cast(),
                &raw mut len,
            )
        };
        if failed != 0 {
            return Err(io::Error::last_os_error());
        }
        // The kernel counts from zero again after each question.
        self.missed += u64::from(counts.tp_drops);
        Ok(self.missed)
    }
}

impl AsFd for FrameSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Drop for FrameSocket {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `open` with this length; nobody has a reference into it any more.
        unsafe {
            libc::munmap(self.ring.as_ptr().cast(), SLOT * SLOTS);
        }
    }
}

/// `PACKET_IGNORE_OUTGOING` of linux/if_packet.h.
const PACKET_IGNORE_OUTGOING: libc::c_int = 23;

fn set<T>(fd: &OwnedFd, option: libc::c_int, value: &T) -> io::Result<()> {
    // SAFETY: the value is readable for its size; the kernel checks that it is the option's.
    let failed = unsafe {
        libc::setsockopt(
            fd.as_raw_fd(),
            libc::SOL_PACKET,
            option,
            ptr::from_ref(value).cast(),
            size_of::<T>() as libc::socklen_t,
        )
    };
    if failed != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
