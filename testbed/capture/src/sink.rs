//! A buffer before a writer. An [`Observer`](crate::Observer) cannot fail, so the first error is kept for the end.

use std::io::{self, Write};

/// Octets are handed on when so many are gathered.
const FULL: usize = 1 << 16;

#[derive(Debug)]
pub(crate) struct Sink<W> {
    out: W,
    error: Option<io::Error>,
    /// What is to be written next; append here, then call [`Sink::spill`].
    pub(crate) buffer: Vec<u8>,
}

impl<W: Write> Sink<W> {
    pub(crate) fn new(out: W) -> Self {
        Self {
            out,
            error: None,
            buffer: Vec::with_capacity(FULL + (FULL >> 2)),
        }
    }

    /// Hands the buffer on if it is full.
    pub(crate) fn spill(&mut self) {
        if self.buffer.len() >= FULL {
            self.hand_on();
        }
    }

    /// Writing is over for good; what comes is thrown away.
    pub(crate) fn fail(&mut self, error: io::Error) {
        self.error.get_or_insert(error);
    }

    pub(crate) const fn error(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }

    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.hand_on();
        match self.error {
            Some(error) => Err(error),
            None => {
                self.out.flush()?;
                Ok(self.out)
            }
        }
    }

    fn hand_on(&mut self) {
        if self.error.is_none() {
            self.error = self.out.write_all(&self.buffer).err();
        }
        self.buffer.clear();
    }
}

/// Appends a decimal number.
pub(crate) fn push_number(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}
