//! A file for rows that would need too much memory.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// What rows are written to and read back from.
pub trait ScratchFile: Read + Write + Seek + Send {}

impl<T: Read + Write + Seek + Send> ScratchFile for T {}

/// Makes the file. It is called once, when rows no longer fit into memory.
pub type MakeScratchFile = Box<dyn FnOnce() -> io::Result<Box<dyn ScratchFile>> + Send>;

/// A scratch file that is made when it is first written to. Clones share it.
#[derive(Clone)]
pub(crate) struct Scratch(Arc<Mutex<State>>);

/// Where values lie in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    offset: u64,
    bytes: u32,
    values: u32,
}

struct State {
    file: Option<Box<dyn ScratchFile>>,
    make: Option<MakeScratchFile>,
    end: u64,
    buffer: Vec<u8>,
}

impl Scratch {
    pub(crate) fn new(make: MakeScratchFile) -> Self {
        Self(Arc::new(Mutex::new(State {
            file: None,
            make: Some(make),
            end: 0,
            buffer: Vec::new(),
        })))
    }

    /// Writes values behind what was written before.
    pub(crate) fn append(&self, values: impl Iterator<Item = i64>) -> io::Result<Extent> {
        let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *guard;
        state.buffer.clear();
        let (mut last, mut count) = (0_i64, 0);
        for value in values {
            encode(value.wrapping_sub(last), &mut state.buffer);
            (last, count) = (value, count + 1);
        }
        if let Some(make) = state.make.take() {
            state.file = Some(make()?);
        }
        let file = state.file.as_mut().ok_or_else(unmade)?;
        file.write_all(&state.buffer)?;
        let extent = Extent {
            offset: state.end,
            bytes: u32::try_from(state.buffer.len()).map_err(io::Error::other)?,
            values: count,
        };
        state.end += u64::from(extent.bytes);
        Ok(extent)
    }

    /// Reads values that were written.
    pub(crate) fn read(&self, extent: Extent, values: &mut Vec<i64>) -> io::Result<()> {
        let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *guard;
        let file = state.file.as_mut().ok_or_else(unmade)?;
        file.seek(SeekFrom::Start(extent.offset))?;
        state
            .buffer
            .resize(usize::try_from(extent.bytes).map_err(io::Error::other)?, 0);
        let read = file.read_exact(&mut state.buffer);
        // Whatever is written next goes behind all, also where reading failed.
        file.seek(SeekFrom::Start(state.end))?;
        read?;
        values.clear();
        let (mut rest, mut last) = (state.buffer.as_slice(), 0_i64);
        for _ in 0..extent.values {
            last = last.wrapping_add(decode(&mut rest)?);
            values.push(last);
        }
        Ok(())
    }
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch").finish_non_exhaustive()
    }
}

fn unmade() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "the scratch file could not be made")
}

/// Seven bits an octet, the lowest first; the sign is the lowest bit of all, so that small numbers below zero are short.
fn encode(value: i64, octets: &mut Vec<u8>) {
    let mut rest = u64::from_ne_bytes(((value << 1) ^ (value >> 63)).to_ne_bytes());
    loop {
        let [low, ..] = rest.to_le_bytes();
        rest >>= 7;
        if rest == 0 {
            octets.push(low & 0x7f);
            return;
        }
        octets.push(low | 0x80);
    }
}

fn decode(octets: &mut &[u8]) -> io::Result<i64> {
    let (mut value, mut shift) = (0_u64, 0);
    while shift < u64::BITS {
        let Some((&octet, rest)) = octets.split_first() else {
            break;
        };
        *octets = rest;
        value |= u64::from(octet & 0x7f) << shift;
        if octet < 0x80 {
            let [magnitude, sign] = [value >> 1, value & 1].map(|bits| i64::from_ne_bytes(bits.to_ne_bytes()));
            return Ok(magnitude ^ -sign);
        }
        shift += 7;
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidData,
        "the scratch file was changed",
    ))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    fn in_memory() -> Scratch {
        Scratch::new(Box::new(|| Ok(Box::new(Cursor::new(Vec::new())))))
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(blocks in proptest::collection::vec(proptest::collection::vec(any::<i64>(), 0..50), 1..8)) {
            let scratch = in_memory();
            let mut extents = Vec::new();
            let mut values = Vec::new();
            for block in &blocks {
                extents.push(scratch.append(block.iter().copied()).expect("memory does not fail"));
                scratch.read(extents[0], &mut values).expect("it was written");
                prop_assert_eq!(&values, &blocks[0]);
            }
            for (extent, block) in extents.into_iter().zip(&blocks) {
                scratch.read(extent, &mut values).expect("it was written");
                prop_assert_eq!(&values, block);
            }
        }
    }

    #[test]
    fn a_file_that_cannot_be_made_is_an_error_each_time() {
        let scratch = Scratch::new(Box::new(|| Err(io::ErrorKind::PermissionDenied.into())));
        let first = scratch.append([1].into_iter()).expect_err("there is none");
        assert_eq!(first.kind(), io::ErrorKind::PermissionDenied);
        assert!(scratch.append([1].into_iter()).is_err());
    }
}
