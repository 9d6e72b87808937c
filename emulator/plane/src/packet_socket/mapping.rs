//! The memory of a ring, shared with the kernel.

#![expect(unsafe_code, reason = "memory that the kernel writes to")]

use std::io;
use std::num::NonZeroUsize;
use std::os::fd::AsFd;
use std::ptr::NonNull;

use nix::sys::mman::{MapFlags, MmapAdvise, ProtFlags, madvise, mmap, munmap};

/// So much memory of a socket's ring. Unmapped when dropped. Programs that are started meanwhile do not get it.
#[derive(Debug)]
pub struct Mapping {
    memory: NonNull<u8>,
    len: usize,
}

// SAFETY: the memory is mapped for the whole process and reached through this value alone.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps a ring that was asked for before.
    ///
    /// # Errors
    /// What the kernel says.
    ///
    /// # Panics
    /// If `len` is zero.
    pub fn of(socket: impl AsFd, len: usize) -> io::Result<Self> {
        let size = NonZeroUsize::new(len).expect("a ring has places");
        // SAFETY: a fresh mapping of the kernel's choice of place touches no memory of ours.
        let memory = unsafe {
            mmap(
                None,
                size,
                ProtFlags::PROT_READ | ProtFlags::PROT_WRITE,
                MapFlags::MAP_SHARED | MapFlags::MAP_POPULATE,
                socket,
                0,
            )
        }?;
        let mapping = Self {
            memory: memory.cast(),
            len,
        };
        // SAFETY: the mapping's own range; a forked child does without it.
        unsafe { madvise(memory, len, MmapAdvise::MADV_DONTFORK) }?;
        Ok(mapping)
    }

    /// Where it begins.
    pub const fn start(&self) -> NonNull<u8> {
        self.memory
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped in `of` with this length, and nothing borrowed from it outlives `self`.
        let unmapped = unsafe { munmap(self.memory.cast(), self.len) };
        debug_assert!(unmapped.is_ok(), "the ring was mapped: {unmapped:?}");
    }
}
