//! What captures packets for the emulator's process: whoever starts the process brings it.

use std::io;
use std::path::Path;

use windlull_plane::netem::Devices;
use windlull_units::LinkCaptureCounts;

/// Captures what passes two devices into a file.
pub trait Capturer: Send + Sync {
    /// Begins a capture. When this returns, nothing is missed any more.
    ///
    /// # Errors
    /// If a device is not there, no packet socket is to be had, or the file cannot be made.
    fn start(&self, order: &CaptureOrder<'_>) -> io::Result<Box<dyn Capturing>>;
}

#[derive(Clone, Copy, Debug)]
pub struct CaptureOrder<'a> {
    pub devices: &'a Devices,
    /// Octets kept of each frame; `None`: all.
    pub snaplen: Option<u32>,
    /// Octets that the file may have; it ends by itself there, and is whole.
    pub limit_bytes: u64,
    /// Says in the file where it comes from.
    pub comment: &'a str,
    /// The new file: pcapng with an interface for each device.
    pub path: &'a Path,
}

/// A capture at work.
pub trait Capturing: Send {
    /// How far it is.
    fn counts(&self) -> LinkCaptureCounts;

    /// Whether it has ended by itself.
    fn is_over(&self) -> bool;

    /// Ends it, if it has not ended by itself; the file is whole then.
    ///
    /// # Errors
    /// If the file could not be written.
    fn stop(self: Box<Self>) -> io::Result<LinkCaptureCounts>;
}
