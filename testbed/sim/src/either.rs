//! A connection of our own TCP or of a transport from elsewhere, for runs that have any of the latter.

use windlull_capture::Observer;
use windlull_link::SenderView;
use windlull_units::{Host, Network, PacketId, Seed, Time};
use windlull_wire::TransmitCause;

use crate::conversation::{Acted, Conversation, Over};
use crate::foreign::Foreign;
use crate::setup::{Ends, Flow};
use crate::tcp::Tcp;
use crate::unit::EitherUnit;

pub(crate) enum Either {
    Tcp(Box<Tcp>),
    Foreign(Box<Foreign>),
}

/// The same question to whichever it is.
macro_rules! whichever {
    ($either:expr, $is:ident => $answer:expr) => {
        match $either {
            Either::Tcp($is) => $answer,
            Either::Foreign($is) => $answer,
        }
    };
}

impl Conversation for Either {
    type Unit = EitherUnit;
    /// A transport from elsewhere does not say why it sends.
    type Cause = Option<TransmitCause>;

    const MAY_BE_AT_FAULT: bool = true;

    fn new(flow: &Flow<'_>, network: Network, seed: Seed, is_recorded: bool) -> Self {
        match flow.ends {
            Ends::Tcp(_) => Self::Tcp(Box::new(Tcp::new(flow, network, seed, is_recorded))),
            Ends::Foreign(..) => Self::Foreign(Box::new(Foreign::new(flow, network, seed, is_recorded))),
        }
    }

    fn has_begun(&self) -> bool {
        whichever!(self, it => it.has_begun())
    }

    fn acts_at(&self) -> Option<Time> {
        whichever!(self, it => it.acts_at())
    }

    fn act<O: Observer>(&mut self, now: Time, observer: &mut O) -> Option<Acted> {
        whichever!(self, it => it.act(now, observer))
    }

    fn poll_at(&self, host: Host) -> Option<Time> {
        whichever!(self, it => it.poll_at(host))
    }

    fn on_timer<O: Observer>(&mut self, now: Time, host: Host, observer: &mut O) {
        whichever!(self, it => it.on_timer(now, host, observer));
    }

    fn on_unit<O: Observer>(
        &mut self,
        now: Time,
        host: Host,
        id: PacketId,
        unit: &EitherUnit,
        observer: &mut O,
    ) -> bool {
        match (self, unit) {
            (Self::Tcp(tcp), EitherUnit::Segment(segment)) => tcp.on_unit(now, host, id, segment, observer),
            (Self::Foreign(foreign), unit) => foreign.on_unit(now, host, id, unit, observer),
            (Self::Tcp(_), EitherUnit::Datagram(_)) => false,
        }
    }

    fn poll_transmit<O: Observer>(
        &mut self,
        now: Time,
        host: Host,
        observer: &mut O,
    ) -> Option<(EitherUnit, Option<TransmitCause>)> {
        match self {
            Self::Tcp(tcp) => {
                let (segment, cause) = tcp.poll_transmit(now, host, observer)?;
                Some((EitherUnit::Segment(segment), Some(cause)))
            }
            Self::Foreign(foreign) => {
                let (unit, ()) = foreign.poll_transmit(now, host, observer)?;
                Some((unit, None))
            }
        }
    }

    fn tell_sent<O: Observer>(
        &mut self,
        now: Time,
        host: Host,
        id: PacketId,
        sent: (&EitherUnit, Option<TransmitCause>),
        observer: &mut O,
    ) {
        match (self, sent) {
            (Self::Tcp(tcp), (EitherUnit::Segment(segment), Some(cause))) => {
                tcp.tell_sent(now, host, id, (segment, cause), observer);
            }
            (Self::Foreign(foreign), (unit, _)) => foreign.tell_sent(now, host, id, (unit, ()), observer),
            (Self::Tcp(_), _) => {}
        }
    }

    fn over(&self, is_idle: bool) -> Over {
        whichever!(self, it => it.over(is_idle))
    }

    fn sender_view(&self) -> Option<SenderView> {
        whichever!(self, it => it.sender_view())
    }

    fn fault(&self) -> Option<&str> {
        whichever!(self, it => it.fault())
    }
}
