//! Packets as a link carries them.

use windlull_link::{Packet, PureAck, TcpView};
use windlull_units::{Bytes, Ecn, Network};

use crate::conversation::Unit;

/// Tells the streams that cross from the flows.
const CROSSING: u64 = 1 << 32;

/// An IP packet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Carried<U> {
    /// Of this version, with something of a flow in it, and the flow's number.
    Of(U, u32, Network),
    /// Of those that cross, of so many octets, and its stream's number.
    Crossing(Bytes, u32),
}

impl<U> Carried<U> {
    #[inline]
    pub(crate) fn of(unit: U, flow: usize, network: Network) -> Self {
        Self::Of(unit, u32::try_from(flow).unwrap_or(u32::MAX), network)
    }
}

impl<U: Unit> Packet for Carried<U> {
    fn size(&self) -> Bytes {
        match self {
            Self::Of(unit, _, network) => Bytes::new(u64::from(network.header_len()) + unit.transport_len()),
            Self::Crossing(size, _) => *size,
        }
    }

    fn tcp(&self) -> Option<TcpView> {
        match self {
            Self::Of(unit, ..) => unit.tcp(),
            Self::Crossing(..) => None,
        }
    }

    fn flow(&self) -> u64 {
        match self {
            Self::Of(_, flow, _) => u64::from(*flow),
            Self::Crossing(_, stream) => u64::from(*stream) | CROSSING,
        }
    }

    fn pure_ack(&self) -> Option<PureAck> {
        match self {
            Self::Of(unit, ..) => unit.pure_ack(),
            Self::Crossing(..) => None,
        }
    }

    fn ecn(&self) -> Ecn {
        match self {
            Self::Of(unit, ..) => unit.ecn(),
            Self::Crossing(..) => Ecn::NotEct,
        }
    }

    fn mark(&mut self) {
        if let Self::Of(unit, ..) = self {
            unit.mark();
        }
    }
}
