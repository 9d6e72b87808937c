//! Packets as a link carries them.

use windlull_link::{Packet, TcpView};
use windlull_units::{Bytes, Ecn};
use windlull_wire::{Flags, Segment};

/// Tells the streams that cross from the flows.
const CROSSING: u64 = 1 << 32;

/// An IPv4 packet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Carried {
    /// With a segment in it, and its flow's number; its payload's bytes follow from the stream offsets.
    Segment(Segment, u32),
    /// Of those that cross, of so many octets, and its stream's number.
    Crossing(Bytes, u32),
}

impl Carried {
    pub(crate) fn segment(segment: Segment, flow: usize) -> Self {
        Self::Segment(segment, u32::try_from(flow).unwrap_or(u32::MAX))
    }
}

impl Packet for Carried {
    fn size(&self) -> Bytes {
        match self {
            Self::Segment(segment, _) => Bytes::new(u64::from(segment.ipv4_len())),
            Self::Crossing(size, _) => *size,
        }
    }

    fn tcp(&self) -> Option<TcpView> {
        match self {
            Self::Segment(segment, _) => Some(TcpView {
                seq: segment.seq.0,
                payload_len: segment.payload_len,
                syn: segment.flags.has(Flags::SYN),
            }),
            Self::Crossing(..) => None,
        }
    }

    fn flow(&self) -> u64 {
        match self {
            Self::Segment(_, flow) => u64::from(*flow),
            Self::Crossing(_, stream) => u64::from(*stream) | CROSSING,
        }
    }

    fn ecn(&self) -> Ecn {
        match self {
            Self::Segment(segment, _) => segment.ecn,
            Self::Crossing(..) => Ecn::NotEct,
        }
    }

    fn mark(&mut self) {
        if let Self::Segment(segment, _) = self {
            segment.ecn = Ecn::Ce;
        }
    }
}
