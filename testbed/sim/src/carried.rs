//! Packets as a link carries them.

use windlull_link::{Packet, PureAck, TcpView};
use windlull_units::{Bytes, Ecn};
use windlull_wire::{Flags, Options, Segment};

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

    fn pure_ack(&self) -> Option<PureAck> {
        let Self::Segment(segment, _) = self else { return None };
        let Options {
            mss: None,
            window_scale: None,
            sack_permitted: false,
            sack,
            timestamps: _,
        } = &segment.options
        else {
            return None;
        };
        let bare = segment.payload_len == 0 && sack.is_empty() && segment.ecn != Ecn::Ce;
        PureAck::of(segment.flags.0, segment.ack.0).filter(|_| bare)
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

#[cfg(test)]
mod tests {
    use windlull_wire::{SackBlock, SeqNumber, Timestamps};

    use super::*;

    #[test]
    fn a_segment_that_only_acknowledges_is_known() {
        let bare = Segment {
            ack: SeqNumber(7),
            flags: Flags::ACK,
            ..Segment::default()
        };
        let found = |segment: Segment| Carried::segment(segment, 0).pure_ack();
        assert_eq!(found(bare), Some(PureAck { number: 7, echoes: 0 }));
        let mut stamped = bare;
        stamped.options.timestamps = Some(Timestamps { value: 1, echo: 2 });
        assert_eq!(found(stamped), found(bare));
        let flags = Flags::ACK.with(Flags::ECE);
        let echoing = found(Segment { flags, ..bare });
        assert_eq!(
            echoing,
            Some(PureAck {
                number: 7,
                echoes: 0x40
            })
        );
        for flag in [Flags::FIN, Flags::SYN, Flags::RST, Flags::PSH, Flags::URG] {
            let flags = Flags::ACK.with(flag);
            assert_eq!(found(Segment { flags, ..bare }), None);
        }
        assert_eq!(found(Segment { payload_len: 1, ..bare }), None);
        assert_eq!(found(Segment { ecn: Ecn::Ce, ..bare }), None);
        let mut selective = bare;
        assert!(selective.options.sack.push(SackBlock::default()));
        assert_eq!(found(selective), None);
        assert_eq!(Carried::Crossing(Bytes::new(40), 0).pure_ack(), None);
    }
}
