//! The ring into which the kernel writes what arrives at a device (packet_mmap, version 2).
//!
//! Version 2 shows every packet as soon as it is there. Version 3 hands over blocks, when they are full or a timer of
//! milliseconds fires; `recvmmsg` keeps so little for an ordinary user that a tenth of a millisecond's absence loses
//! packets. See docs/decisions/0008-model-plane.md.

#![expect(unsafe_code, reason = "memory that the kernel writes to")]

use std::io;
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::{AtomicU32, Ordering};

use super::offload::{self, Offload};
use super::{Mapping, PacketSocket};

/// How a ring's memory is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    /// Octets of a place for a packet and what the kernel says of it.
    place: usize,
    places: usize,
    /// The kernel wants memory in blocks of whole pages, and no place in two of them.
    block: usize,
    /// Whether the kernel says what is still to be done to a frame.
    offloads: bool,
}

/// Frames of MTU 1500: half a second of 100 Mbit/s, and more than a connection has in flight; blocks so small that they
/// are always to be had.
const PLAIN: Shape = Shape {
    place: 2_048,
    places: 4_096,
    block: 1 << 16,
    offloads: false,
};

/// Frames of up to 64 KiB, as hosts send them that leave the cutting to a device: 17 pages each, 15 of them a block.
const LARGE: Shape = Shape {
    place: 17 << 12,
    places: 15 * 32,
    block: 15 * (17 << 12),
    offloads: true,
};

#[derive(Debug)]
pub struct Ring {
    mapping: Mapping,
    shape: Shape,
    next: usize,
}

/// A packet that waits in the ring.
#[derive(Debug)]
pub struct Waiting<'a> {
    /// When the kernel saw it, by the wall clock, ns since 1970.
    pub stamp_ns: u64,
    /// Octets it had, be they all here or not.
    pub len: usize,
    /// The frame, as much as fits.
    pub octets: &'a [u8],
    /// Whether the kernel left its checksum to a device that does not exist: an offload is on.
    pub unfinished: bool,
    /// What else it left to it, in a ring for large frames; nothing in others.
    pub offload: Offload,
}

impl Ring {
    /// Asks the kernel for a ring of this socket, which is not bound yet.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn of(socket: &PacketSocket) -> io::Result<Self> {
        Self::shaped(socket, PLAIN)
    }

    /// The same for frames that are larger than any wire carries, with what is still to be done to them. What such a
    /// socket sends would need the same said before it: it is for receiving alone.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn of_large(socket: &PacketSocket) -> io::Result<Self> {
        Self::shaped(socket, LARGE)
    }

    fn shaped(socket: &PacketSocket, shape: Shape) -> io::Result<Self> {
        if shape.offloads {
            socket.set(libc::PACKET_VNET_HDR, &1_i32)?;
        }
        let size = shape.place * shape.places;
        let version = libc::tpacket_versions::TPACKET_V2 as libc::c_int;
        socket.set(libc::PACKET_VERSION, &version)?;
        let request = libc::tpacket_req {
            tp_block_size: shape.block as u32,
            tp_block_nr: (size / shape.block) as u32,
            tp_frame_size: shape.place as u32,
            tp_frame_nr: shape.places as u32,
        };
        socket.set(libc::PACKET_RX_RING, &request)?;
        Ok(Self {
            mapping: Mapping::of(socket, size)?,
            shape,
            next: 0,
        })
    }

    /// The packet that has waited longest.
    #[inline]
    pub fn first(&self) -> Option<Waiting<'_>> {
        let place = self.place();
        if self.status().load(Ordering::Acquire) & libc::TP_STATUS_USER == 0 {
            return None;
        }
        // SAFETY: the place starts with this header, aligned to its size; the status, read with acquire, says that the
        // kernel has written it and will not again before `give_back`.
        let header = unsafe { place.cast::<libc::tpacket2_hdr>().read() };
        let start = usize::from(header.tp_mac).min(self.shape.place);
        let len = (header.tp_snaplen as usize).min(self.shape.place - start);
        let offload = match start.checked_sub(offload::HEADER) {
            Some(said) if self.shape.offloads => {
                // SAFETY: before the frame and within the place, of octets.
                Offload::parse(unsafe { place.add(said).cast().read_unaligned() })
            }
            _ => Offload::default(),
        };
        Some(Waiting {
            stamp_ns: u64::from(header.tp_sec) * 1_000_000_000 + u64::from(header.tp_nsec),
            len: header.tp_len as usize,
            // SAFETY: within the place by the bounds above, and not written to before `give_back`, which needs the
            // ring for itself.
            octets: unsafe { slice::from_raw_parts(place.add(start).as_ptr(), len) },
            unfinished: header.tp_status & libc::TP_STATUS_CSUMNOTREADY != 0,
            offload,
        })
    }

    /// Gives the place of the first packet back to the kernel.
    #[inline]
    pub fn give_back(&mut self) {
        self.status().store(libc::TP_STATUS_KERNEL, Ordering::Release);
        self.next = (self.next + 1) % self.shape.places;
    }

    #[inline]
    const fn place(&self) -> NonNull<u8> {
        // SAFETY: `next` is below the number of places, so this is within the mapping.
        unsafe { self.mapping.start().add(self.next * self.shape.place) }
    }

    #[inline]
    fn status(&self) -> &AtomicU32 {
        // SAFETY: every place starts with the status, aligned; both sides touch it as one word; the mapping lives as
        // long as `self`.
        unsafe { self.place().cast::<AtomicU32>().as_ref() }
    }
}
