//! Octets and numbers of the file, and where it ends too soon.

use std::io::{ErrorKind, Read};

use super::{Order, PacketReader, ReadError, malformed};

/// Octets asked of the file at a time.
const CHUNK: usize = 256 << 10;

impl<R: Read> PacketReader<R> {
    /// Reads `len` octets; false at the end of the file before the first of them.
    pub(super) fn begin(&mut self, what: &'static str, len: usize) -> Result<bool, ReadError> {
        let offset = self.offset;
        self.record = self.next;
        match self.fill(len)? {
            0 => Ok(false),
            there if there == len => Ok(true),
            there => Err(truncated(what, offset, len, there)),
        }
    }

    /// Reads `len` octets of what began at `start`.
    pub(super) fn need(&mut self, what: &'static str, start: u64, len: usize) -> Result<(), ReadError> {
        let before = usize::try_from(self.offset - start).unwrap_or(usize::MAX);
        let there = self.fill(len)?;
        if there == len {
            Ok(())
        } else {
            Err(truncated(
                what,
                start,
                before.saturating_add(len),
                before.saturating_add(there),
            ))
        }
    }

    /// Makes the next `len` octets the block, or as many as there are.
    pub(super) fn fill(&mut self, len: usize) -> Result<usize, ReadError> {
        if self.buffer.len() - self.next < len {
            self.read_ahead(len)?;
        }
        let there = len.min(self.buffer.len() - self.next);
        self.block = self.next..self.next + there;
        self.next += there;
        self.offset += there as u64;
        Ok(there)
    }

    /// Reads on until `len` octets wait, or the file ends. Memory grows with what is there, not with what is claimed; the record that
    /// was begun stays.
    fn read_ahead(&mut self, len: usize) -> Result<(), ReadError> {
        self.buffer.drain(..self.record);
        self.next -= self.record;
        self.record = 0;
        while self.buffer.len() - self.next < len {
            let there = self.buffer.len();
            self.buffer.resize(there + CHUNK.max(there), 0);
            let read = self.input.read(&mut self.buffer[there..]);
            self.buffer.truncate(there + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// All of the record that was read last, as it stands in the file; of a file just begun its header.
    pub(crate) fn record(&self) -> &[u8] {
        &self.buffer[self.record..self.next]
    }

    /// The octets that were read last.
    pub(super) fn block(&self) -> &[u8] {
        &self.buffer[self.block.clone()]
    }

    pub(super) fn at_least(&self, start: u64, len: usize) -> Result<(), ReadError> {
        if self.block().len() < len {
            return Err(malformed("a block that is too short for its kind", start));
        }
        Ok(())
    }

    pub(super) fn u16_at(&self, at: usize) -> u16 {
        let block = self.block();
        let octets = [block[at], block[at + 1]];
        match self.order {
            Order::Little => u16::from_le_bytes(octets),
            Order::Big => u16::from_be_bytes(octets),
        }
    }

    pub(super) fn u32_at(&self, at: usize) -> u32 {
        self.number(&self.block()[at..at + 4])
    }

    /// The number in these four octets.
    pub(super) fn number(&self, octets: &[u8]) -> u32 {
        let mut four = [0; 4];
        four.copy_from_slice(octets);
        match self.order {
            Order::Little => u32::from_le_bytes(four),
            Order::Big => u32::from_be_bytes(four),
        }
    }

    /// The number in these eight octets.
    pub(super) fn long_number(&self, octets: &[u8]) -> u64 {
        let mut eight = [0; 8];
        eight.copy_from_slice(octets);
        match self.order {
            Order::Little => u64::from_le_bytes(eight),
            Order::Big => u64::from_be_bytes(eight),
        }
    }
}

fn truncated(what: &'static str, offset: u64, needed: usize, there: usize) -> ReadError {
    ReadError::Truncated {
        what,
        offset,
        needed: needed as u64,
        there: there as u64,
    }
}
