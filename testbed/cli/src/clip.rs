//! `clip`: a part of a capture.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::PathBuf;

use clap::Args;
use windlull_capture::{ClipError, ReadError, clip as clip_file};
use windlull_units::Time;

use crate::failure::Failure;

/// The arguments of `clip`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A pcap or pcapng file.
    capture: PathBuf,
    /// The first nanosecond of the part: since the run's start, or since the first packet of a capture that is not ours.
    #[arg(long, value_name = "NS", default_value_t = 0)]
    from: u64,
    /// The last one; the file's end if not given.
    #[arg(long, value_name = "NS", default_value_t = u64::MAX)]
    to: u64,
}

/// Writes the part to standard output. If it fails, what was written is to be thrown away.
pub(crate) fn clip(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { capture, from, to } = arguments;
    if from > to {
        return Err(Failure::input(format!(
            "--from {from} is after --to {to}; the part ends where it begins, or later"
        )));
    }
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", capture.display());
    if capture.is_dir() {
        return Err(Failure::input(named(&"a directory; give a pcap or pcapng file")));
    }
    let file = File::open(capture).map_err(|error| Failure::input(named(&error)))?;
    let out = BufWriter::with_capacity(1 << 18, io::stdout().lock());
    let span = Time::from_ns(*from)..=Time::from_ns(*to);
    match clip_file(file, &span, out) {
        Ok(_) => Ok(()),
        Err(ClipError::Read(error @ ReadError::Io(_))) => Err(Failure::Machine(named(&error))),
        Err(ClipError::Read(error)) => Err(Failure::input(named(&error))),
        Err(ClipError::Write(error)) => Err(Failure::Machine(format!("cannot write to standard output: {error}"))),
    }
}
