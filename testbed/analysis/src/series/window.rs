//! How much a host's window field means.

use windlull_units::Host;
use windlull_wire::{Flags, Options, Segment};

/// The receiver's window, as its acknowledgements tell.
#[derive(Debug, Default)]
pub(super) struct Window {
    offered: [Option<u8>; 2],
    pub(super) last: Option<(u64, u16)>,
}

impl Window {
    pub(super) fn seen(&mut self, host: Host, segment: &Segment) {
        if let (true, Options { window_scale, .. }) = (segment.flags.has(Flags::SYN), segment.options) {
            self.offered[host as usize] = window_scale;
        }
    }

    /// The shift of this host's windows: none unless both offered one (RFC 7323, section 2.2).
    pub(super) fn scale(&self, host: Host) -> u32 {
        match self.offered {
            // RFC 7323, section 2.3: at most 14.
            [Some(_), Some(_)] => u32::from(self.offered[host as usize].unwrap_or(0).min(14)),
            _ => 0,
        }
    }
}
