//! A packet socket's ring (TPACKET_V3): the kernel fills blocks of frames, we read them without a copy.

#![expect(unsafe_code, reason = "memory that the kernel writes to")]

use std::io;
use std::mem::{offset_of, size_of};
use std::os::fd::{AsFd, BorrowedFd};
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use nix::sys::socket::{setsockopt, sockopt::ReceiveTimestampns};
use windlull_capture::Crossing;
use windlull_plane::packet_socket::{Counts, Mapping, PacketSocket, Protocol};

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
    pub(super) way: Crossing,
    /// Octets as it passed.
    pub(super) len: u32,
    pub(super) octets: &'a [u8],
}

/// A packet socket that sees all that passes a device, both ways.
#[derive(Debug)]
pub(super) struct Ring {
    socket: PacketSocket,
    mapping: Mapping,
    next: usize,
    counts: Counts,
}

impl Ring {
    /// On this device of the calling thread's network namespace.
    pub(super) fn open(device: &str) -> io::Result<Self> {
        let socket = PacketSocket::open(device)?;
        // Stamps are then taken when a packet enters the stack, and not when it gets to this socket.
        setsockopt(&socket, ReceiveTimestampns, &true)?;
        let version = libc::tpacket_versions::TPACKET_V3 as libc::c_int;
        socket.set(libc::PACKET_VERSION, &version)?;
        let request = libc::tpacket_req3 {
            tp_block_size: BLOCK as u32,
            tp_block_nr: BLOCKS as u32,
            tp_frame_size: NOMINAL_FRAME as u32,
            tp_frame_nr: (BLOCK / NOMINAL_FRAME * BLOCKS) as u32,
            tp_retire_blk_tov: HAND_OVER_MS,
            tp_sizeof_priv: 0,
            tp_feature_req_word: 0,
        };
        socket.set(libc::PACKET_RX_RING, &request)?;
        let mapping = Mapping::of(&socket, BLOCK * BLOCKS)?;
        socket.bind(Protocol::All)?;
        Ok(Self {
            socket,
            mapping,
            next: 0,
            counts: Counts::default(),
        })
    }

    /// Hands over all frames of the blocks that the kernel has finished, and gives the blocks back.
    pub(super) fn empty(&mut self, mut take: impl FnMut(&Frame<'_>) -> io::Result<()>) -> io::Result<()> {
        loop {
            // SAFETY: blocks lie within the mapping and are aligned to their size. The status word is shared with the
            // kernel and only touched atomically; the block is ours while it says so.
            let status = unsafe {
                let block = self.mapping.start().as_ptr().add(self.next * BLOCK);
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
            let block = self.mapping.start().as_ptr().add(self.next * BLOCK);
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
                    Crossing::Outbound
                } else {
                    Crossing::Inbound
                },
                len: frame.tp_len,
                octets,
            })?;
            at += frame.tp_next_offset as usize;
        }
        Ok(())
    }

    /// Packets that have passed the device from the start, and those of them that found the ring full.
    pub(super) fn counts(&mut self) -> io::Result<Counts> {
        let more = self.socket.counts()?;
        self.counts.passed += more.passed;
        self.counts.dropped += more.dropped;
        Ok(self.counts)
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
