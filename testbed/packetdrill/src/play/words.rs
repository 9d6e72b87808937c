//! Segments in the words of scripts.

use windlull_wire::{Flags, Segment};

use crate::options::written;
use crate::script::{ExpectedOptions, Packet};

/// A segment as scripts have it; its timestamps are its own.
pub(super) fn words(segment: &Segment) -> String {
    let ack = segment.flags.has(Flags::ACK).then_some(segment.ack.0);
    let packet = Packet {
        ip: None,
        flags: segment.flags,
        seq: segment.seq.0,
        payload_len: u16::try_from(segment.payload_len).unwrap_or(u16::MAX),
        ack,
        window: Some(segment.window),
        options: ExpectedOptions::These(written(&segment.options)),
    };
    packet.to_string()
}
