//! The columns of a diagram, as a file. Those of a million packets are some ten megabytes: they go out as they are made.

use std::io::{self, BufWriter, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize as _;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};
use windlull_analysis::Series;

/// Many small writes cost a file, or the encoder, more than all else.
const BUFFER: usize = 1 << 18;

/// How hard the compression tries: 6, the usual level, makes files that are a tenth smaller, and takes three times as long.
const LEVEL: u32 = 4;

/// Writes them as JSON.
///
/// # Errors
/// What `file` answers to writing.
pub fn write_series(file: &mut dyn Write, series: &Series) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(BUFFER, file);
    series.serialize(&mut Serializer::with_formatter(&mut file, Digits))?;
    file.flush()
}

/// Writes them as JSON, compressed by gzip, without a time or a name in its header: the same series gives the same octets.
///
/// # Errors
/// What `file` answers to writing.
pub fn write_compressed(file: &mut dyn Write, series: &Series) -> io::Result<()> {
    let mut gzip = GzEncoder::new(file, Compression::new(LEVEL));
    write_series(&mut gzip, series)?;
    gzip.finish()?.flush()
}

/// JSON as serde_json writes it. Two thirds of the numbers in columns have one digit, which needs no division.
struct Digits;

impl Formatter for Digits {
    fn write_i64<W: ?Sized + Write>(&mut self, writer: &mut W, value: i64) -> io::Result<()> {
        match u8::try_from(value) {
            Ok(digit @ 0..=9) => writer.write_all(&[b'0' + digit]),
            _ => CompactFormatter.write_i64(writer, value),
        }
    }
}
