//! Writes `fates.csv`, whose form is [`windlull_fates`]'.

use std::io::Write;

use windlull_fates::{HEADER, push_row};
use windlull_units::Fate;

use crate::sink::Sink;

/// Writes `fates.csv`.
#[derive(Debug)]
pub struct FateWriter<W>(pub(crate) Sink<W>);

impl<W: Write> FateWriter<W> {
    /// Begins with the header row.
    pub fn new(out: W) -> Self {
        let mut sink = Sink::new(out);
        sink.buffer.extend_from_slice(HEADER.as_bytes());
        Self(sink)
    }

    /// Appends a row.
    pub fn write(&mut self, fate: &Fate) {
        push_row(&mut self.0.buffer, fate);
        self.0.spill();
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// The first error of the underlying writer.
    pub fn finish(self) -> std::io::Result<W> {
        self.0.finish()
    }
}
