//! The columns of a diagram, as a file. Those of a million packets are some ten megabytes: they go out as they are made.

use std::io::{self, BufWriter, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use windlull_analysis::Series;

/// Many small writes cost a file, or the encoder, more than all else.
const BUFFER: usize = 1 << 18;

/// Writes them as JSON.
///
/// # Errors
/// What `file` answers to writing.
pub fn write_series(file: &mut dyn Write, series: &Series) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(BUFFER, file);
    serde_json::to_writer(&mut file, series)?;
    file.flush()
}

/// Writes them as JSON, compressed by gzip, without a time or a name in its header: the same series gives the same octets.
///
/// # Errors
/// What `file` answers to writing.
pub fn write_compressed(file: &mut dyn Write, series: &Series) -> io::Result<()> {
    let mut gzip = GzEncoder::new(file, Compression::new(6));
    write_series(&mut gzip, series)?;
    gzip.finish()?.flush()
}
