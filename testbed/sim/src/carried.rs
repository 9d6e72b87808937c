//! Packets as a link carries them.

use windlull_link::{Packet, TcpView};
use windlull_units::{Bytes, Ecn};
use windlull_wire::{Flags, Segment};

/// An IPv4 packet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Carried {
    /// With a segment of a flow in it; its payload's bytes follow from the stream offsets.
    Segment(Segment),
    /// Of those that cross, of so many octets.
    Crossing(Bytes),
}

impl Packet for Carried {
    fn size(&self) -> Bytes {
        match self {
            Self::Segment(segment) => Bytes::new(u64::from(segment.ipv4_len())),
            Self::Crossing(size) => *size,
        }
    }

    fn tcp(&self) -> Option<TcpView> {
        match self {
            Self::Segment(segment) => Some(TcpView {
                seq: segment.seq.0,
                payload_len: segment.payload_len,
                syn: segment.flags.has(Flags::SYN),
            }),
            Self::Crossing(_) => None,
        }
    }

    fn ecn(&self) -> Ecn {
        match self {
            Self::Segment(segment) => segment.ecn,
            Self::Crossing(_) => Ecn::NotEct,
        }
    }

    fn mark(&mut self) {
        if let Self::Segment(segment) = self {
            segment.ecn = Ecn::Ce;
        }
    }
}
