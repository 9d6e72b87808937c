//! Packets as a link carries them.

use windlull_link::{Packet, PureAck, TcpView};
use windlull_units::{Bytes, Ecn};

use crate::conversation::Unit;

/// Tells the streams that cross from the flows.
const CROSSING: u64 = 1 << 32;

/// An IPv4 packet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Carried<U> {
    /// With something of a flow in it, and the flow's number.
    Of(U, u32),
    /// Of those that cross, of so many octets, and its stream's number.
    Crossing(Bytes, u32),
}

impl<U> Carried<U> {
    pub(crate) fn of(unit: U, flow: usize) -> Self {
        Self::Of(unit, u32::try_from(flow).unwrap_or(u32::MAX))
    }
}

impl<U: Unit> Packet for Carried<U> {
    fn size(&self) -> Bytes {
        match self {
            Self::Of(unit, _) => unit.ipv4_len(),
            Self::Crossing(size, _) => *size,
        }
    }

    fn tcp(&self) -> Option<TcpView> {
        match self {
            Self::Of(unit, _) => unit.tcp(),
            Self::Crossing(..) => None,
        }
    }

    fn flow(&self) -> u64 {
        match self {
            Self::Of(_, flow) => u64::from(*flow),
            Self::Crossing(_, stream) => u64::from(*stream) | CROSSING,
        }
    }

    fn pure_ack(&self) -> Option<PureAck> {
        match self {
            Self::Of(unit, _) => unit.pure_ack(),
            Self::Crossing(..) => None,
        }
    }

    fn ecn(&self) -> Ecn {
        match self {
            Self::Of(unit, _) => unit.ecn(),
            Self::Crossing(..) => Ecn::NotEct,
        }
    }

    fn mark(&mut self) {
        if let Self::Of(unit, _) = self {
            unit.mark();
        }
    }
}
