//! A segment as the link carries it.

use windlull_link::{Packet, TcpView};
use windlull_units::{Bytes, Ecn};
use windlull_wire::{Flags, Segment};

/// An IPv4 packet with this segment in it; its payload's bytes follow from the stream offsets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carried(pub(crate) Segment);

impl Packet for Carried {
    fn size(&self) -> Bytes {
        Bytes::new(u64::from(self.0.ipv4_len()))
    }

    fn tcp(&self) -> Option<TcpView> {
        Some(TcpView {
            seq: self.0.seq.0,
            payload_len: self.0.payload_len,
            syn: self.0.flags.has(Flags::SYN),
        })
    }

    fn ecn(&self) -> Ecn {
        self.0.ecn
    }

    fn mark(&mut self) {
        self.0.ecn = Ecn::Ce;
    }
}
