//! What transports from elsewhere, and ours beside them, hand to each other.

use std::rc::Rc;

use windlull_link::{PureAck, TcpView};
use windlull_units::Ecn;
use windlull_wire::Segment;
use windlull_wire::packet::UDP_LEN;

use crate::conversation::Unit;

/// A UDP datagram under way.
#[derive(Clone, Debug)]
pub(crate) struct UdpDatagram {
    pub(crate) octets: Rc<Vec<u8>>,
    pub(crate) ecn: Ecn,
    pub(crate) ip_id: u16,
}

impl Unit for UdpDatagram {
    fn transport_len(&self) -> u64 {
        (UDP_LEN + self.octets.len()) as u64
    }

    fn tcp(&self) -> Option<TcpView> {
        None
    }

    fn pure_ack(&self) -> Option<PureAck> {
        None
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

/// A segment or a datagram.
#[derive(Clone, Debug)]
pub(crate) enum EitherUnit {
    Segment(Segment),
    Datagram(UdpDatagram),
}

/// The same question to whichever it is.
macro_rules! whichever {
    ($unit:expr, $is:ident => $answer:expr) => {
        match $unit {
            EitherUnit::Segment($is) => $answer,
            EitherUnit::Datagram($is) => $answer,
        }
    };
}

impl Unit for EitherUnit {
    fn transport_len(&self) -> u64 {
        whichever!(self, it => it.transport_len())
    }

    fn tcp(&self) -> Option<TcpView> {
        whichever!(self, it => it.tcp())
    }

    fn pure_ack(&self) -> Option<PureAck> {
        whichever!(self, it => it.pure_ack())
    }

    fn ecn(&self) -> Ecn {
        whichever!(self, it => Unit::ecn(it))
    }

    fn mark(&mut self) {
        whichever!(self, it => it.mark());
    }
}
