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

use super::{Mapping, PacketSocket};

/// Octets of a place for a packet: a frame of MTU 1500 and what the kernel says of it.
const PLACE: usize = 2_048;
/// Places: half a second of 100 Mbit/s, and more than a connection has in flight.
const PLACES: usize = 4_096;
/// The kernel wants memory in blocks of whole pages; small ones are always to be had.
const BLOCK: usize = 1 << 16;

/// The ring of one socket.
#[derive(Debug)]
pub struct Ring {
    mapping: Mapping,
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
}

impl Ring {
    /// Asks the kernel for a ring of this socket, which is not bound yet.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn of(socket: &PacketSocket) -> io::Result<Self> {
        let version = libc::tpacket_versions::TPACKET_V2 as libc::c_int;
        socket.set(libc::PACKET_VERSION, &version)?;
        let request = libc::tpacket_req {
            tp_block_size: BLOCK as u32,
            tp_block_nr: (PLACE * PLACES / BLOCK) as u32,
            tp_frame_size: PLACE as u32,
            tp_frame_nr: PLACES as u32,
        };
        socket.set(libc::PACKET_RX_RING, &request)?;
        Ok(Self {
            mapping: Mapping::of(socket, PLACE * PLACES)?,
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
        let start = usize::from(header.tp_mac).min(PLACE);
        let len = (header.tp_snaplen as usize).min(PLACE - start);
        Some(Waiting {
            stamp_ns: u64::from(header.tp_sec) * 1_000_000_000 + u64::from(header.tp_nsec),
            len: header.tp_len as usize,
            // SAFETY: within the place by the bounds above, and not written to before `give_back`, which needs the
            // ring for itself.
            octets: unsafe { slice::from_raw_parts(place.add(start).as_ptr(), len) },
            unfinished: header.tp_status & libc::TP_STATUS_CSUMNOTREADY != 0,
        })
    }

    /// Gives the place of the first packet back to the kernel.
    #[inline]
    pub fn give_back(&mut self) {
        self.status().store(libc::TP_STATUS_KERNEL, Ordering::Release);
        self.next = (self.next + 1) % PLACES;
    }

    #[inline]
    const fn place(&self) -> NonNull<u8> {
        // SAFETY: `next` is below PLACES, so this is within the mapping.
        unsafe { self.mapping.start().add(self.next * PLACE) }
    }

    #[inline]
    fn status(&self) -> &AtomicU32 {
        // SAFETY: every place starts with the status, aligned; both sides touch it as one word; the mapping lives as
        // long as `self`.
        unsafe { self.place().cast::<AtomicU32>().as_ref() }
    }
}
