//! A packet socket's ring (TPACKET_V3): the kernel fills blocks of frames, we read them without a copy.

#![expect(
    unsafe_code,
    reason = "packet sockets and their ring are reached by raw system calls and shared memory"
)]

use std::ffi::CString;
use std::io;
use std::mem::{offset_of, size_of, zeroed};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, Ordering};

use nix::sys::socket::{setsockopt, sockopt::ReceiveTimestampns};
use windlull_capture::Way;

/// Octets of a block, and how many there are: half a second of a gigabit per second.
const BLOCK: usize = 1 << 20;
const BLOCKS: usize = 64;
/// The kernel wants one; frames of a V3 ring are as long as they are.
const NOMINAL_FRAME: usize = 1 << 11;
/// After so many milliseconds a block that is not full is handed over: seldom, so that the reader disturbs nobody.
const HAND_OVER_MS: u32 = 50;
/// Where a frame's `sockaddr_ll` stands behind its header: `TPACKET_ALIGN(sizeof(struct tpacket3_hdr))`.
const ADDRESS_AT: usize = size_of::<libc::tpacket3_hdr>().next_multiple_of(16);

/// A frame in the ring.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'a> {
    /// The kernel's stamp, ns since 1970.
    pub(super) wall_ns: u64,
    /// Which way it passed the device.
    pub(super) way: Way,
    /// Octets as it passed.
    pub(super) len: u32,
    /// Those captured.
    pub(super) octets: &'a [u8],
}

/// A packet socket that sees all that passes a device, both ways.
#[derive(Debug)]
pub(super) struct Ring {
    socket: OwnedFd,
    memory: NonNull<u8>,
    next: usize,
    passed: u64,
    dropped: u64,
}

// SAFETY: the memory is this ring's alone, apart from the kernel.
unsafe impl Send for Ring {}

impl Ring {
    /// On this device of the calling thread's network namespace.
    pub(super) fn open(device: &str) -> io::Result<Self> {
        let name = CString::new(device)?;
        // SAFETY: plain system calls; the name is a C string, and a descriptor that is not negative is ours.
        let (index, socket) = unsafe {
            let index = libc::if_nametoindex(name.as_ptr());
            // Protocol 0: nothing is captured before the socket is bound to its device.
            let socket = libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_CLOEXEC, 0);
            if socket < 0 {
                return Err(io::Error::last_os_error());
            }
            let socket = OwnedFd::from_raw_fd(socket);
            if index == 0 {
                return Err(io::ErrorKind::NotFound.into());
            }
            (index, socket)
        };
        // Stamps are then taken when a packet enters the stack, and not when it gets to this socket.
        setsockopt(&socket, ReceiveTimestampns, &true)?;
        set(
            &socket,
            libc::PACKET_VERSION,
            &(libc::tpacket_versions::TPACKET_V3 as libc::c_int),
        )?;
        let request = libc::tpacket_req3 {
            tp_block_size: BLOCK as u32,
            tp_block_nr: BLOCKS as u32,
            tp_frame_size: NOMINAL_FRAME as u32,
            tp_frame_nr: (BLOCK / NOMINAL_FRAME * BLOCKS) as u32,
            tp_retire_blk_tov: HAND_OVER_MS,
            tp_sizeof_priv: 0,
            tp_feature_req_word: 0,
        };
        set(&socket, libc::PACKET_RX_RING, &request)?;
        // SAFETY: the kernel chooses the place; the length is that of the ring asked for above.
        let memory = unsafe {
            libc::mmap(
                ptr::null_mut(),
                BLOCK * BLOCKS,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                socket.as_raw_fd(),
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let ring = Self {
            memory: NonNull::new(memory.cast()).ok_or(io::ErrorKind::OutOfMemory)?,
            socket,
            next: 0,
            passed: 0,
            dropped: 0,
        };
        ring.bind(index)?;
        Ok(ring)
    }

    fn bind(&self, index: u32) -> io::Result<()> {
        // SAFETY: an all-zero `sockaddr_ll` is a valid value.
        let mut address: libc::sockaddr_ll = unsafe { zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        // What goes out is seen by sockets for all protocols alone.
        address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
        address.sll_ifindex = index as libc::c_int;
        // SAFETY: the address is a `sockaddr_ll` of the length told.
        let failed = unsafe {
            libc::bind(
                self.socket.as_raw_fd(),
                ptr::from_ref(&address).cast(),
                size_of::<libc::sockaddr_ll>() as libc::socklen_t,
            )
        };
        if failed == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }

    /// Hands over all frames of the blocks that the kernel has finished, and gives the blocks back.
    pub(super) fn empty(&mut self, mut take: impl FnMut(&Frame<'_>) -> io::Result<()>) -> io::Result<()> {
        loop {
            // SAFETY: blocks lie within the mapping and are aligned to their size. The status word is shared with the
            // kernel and only touched atomically; the block is ours while it says so.
            let status = unsafe {
                let block = self.memory.as_ptr().add(self.next * BLOCK);
                AtomicU32::from_ptr(block.add(BLOCK_STATUS_AT).cast())
            };
            if status.load(Ordering::Acquire) & libc::TP_STATUS_USER == 0 {
                return Ok(());
            }
            let result = self.each_frame(&mut take);
            status.store(libc::TP_STATUS_KERNEL, Ordering::Release);
            self.next = (self.next + 1) % BLOCKS;
            result?;
        }
    }

    /// Hands over the frames of the next block, which must be ours.
    fn each_frame(&self, take: &mut impl FnMut(&Frame<'_>) -> io::Result<()>) -> io::Result<()> {
        // SAFETY: the caller has seen that the block is ours; the kernel has written its descriptor at its start.
        let (block, header) = unsafe {
            let block = self.memory.as_ptr().add(self.next * BLOCK);
            (
                block,
                ptr::read(block.add(BLOCK_HEADER_AT).cast::<libc::tpacket_hdr_v1>()),
            )
        };
        let mut at = header.offset_to_first_pkt as usize;
        for _ in 0..header.num_pkts {
            assert!(
                at + ADDRESS_AT + size_of::<libc::sockaddr_ll>() <= BLOCK,
                "a frame lies in its block"
            );
            // SAFETY: the frame's header and address lie within the block by the assertion, aligned by the kernel, and
            // nobody writes there while the block is ours.
            let (frame, address) = unsafe {
                (
                    ptr::read(block.add(at).cast::<libc::tpacket3_hdr>()),
                    ptr::read(block.add(at + ADDRESS_AT).cast::<libc::sockaddr_ll>()),
                )
            };
            let (from, captured) = (at + usize::from(frame.tp_mac), frame.tp_snaplen as usize);
            assert!(from + captured <= BLOCK, "a frame's octets lie in its block");
            // SAFETY: within the block by the assertion; nobody writes there while the block is ours.
            let octets = unsafe { std::slice::from_raw_parts(block.add(from), captured) };
            take(&Frame {
                wall_ns: u64::from(frame.tp_sec) * 1_000_000_000 + u64::from(frame.tp_nsec),
                way: if address.sll_pkttype == libc::PACKET_OUTGOING {
                    Way::Outbound
                } else {
                    Way::Inbound
                },
                len: frame.tp_len,
                octets,
            })?;
            at += frame.tp_next_offset as usize;
        }
        Ok(())
    }

    /// Packets that have passed the device from the start, and those of them that found the ring full.
    pub(super) fn statistics(&mut self) -> io::Result<(u64, u64)> {
        let mut counts = libc::tpacket_stats_v3 {
            tp_packets: 0,
            tp_drops: 0,
            tp_freeze_q_cnt: 0,
        };
        let mut len = size_of::<libc::tpacket_stats_v3>() as libc::socklen_t;
        // SAFETY: the buffer is a `tpacket_stats_v3` of the length told.
        let failed = unsafe {
            libc::getsockopt(
                self.socket.as_raw_fd(),
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
        self.passed += u64::from(counts.tp_packets);
        self.dropped += u64::from(counts.tp_drops);
        Ok((self.passed, self.dropped))
    }
}

/// Where in a block its header and its status stand: `struct tpacket_block_desc` of linux/if_packet.h.
const BLOCK_HEADER_AT: usize = offset_of!(libc::tpacket_block_desc, hdr);
const BLOCK_STATUS_AT: usize = BLOCK_HEADER_AT + offset_of!(libc::tpacket_hdr_v1, block_status);

impl AsFd for Ring {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `open` with this length; nobody has a reference into it any more.
        unsafe {
            libc::munmap(self.memory.as_ptr().cast(), BLOCK * BLOCKS);
        }
    }
}

fn set<T>(socket: &OwnedFd, option: libc::c_int, value: &T) -> io::Result<()> {
    // SAFETY: the value is readable for its size; the kernel checks that it is the option's.
    let failed = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_PACKET,
            option,
            ptr::from_ref(value).cast(),
            size_of::<T>() as libc::socklen_t,
        )
    };
    if failed == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}
