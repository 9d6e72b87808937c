//! What the driver asks of a connection, whatever speaks at its ends.

use windlull_capture::Observer;
use windlull_link::{PureAck, SenderView, TcpView};
use windlull_units::{Ecn, Host, Network, PacketId, Seed, Time};

use crate::setup;

/// Whether a flow is over, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// Somebody still wants something.
    No,
    /// Both ends closed in order.
    Closed,
    Reset,
    /// Nothing answered one of the ends any more.
    GaveUp,
    /// Nobody wants anything, unless a packet still arrives.
    Idle,
    /// Its time is up.
    Elapsed,
    /// A stack from elsewhere is at fault.
    Broken,
}

/// What an application did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Acted {
    /// It wrote or read at one or both ends.
    Touched,
    /// Its time is up.
    Stopped,
}

/// What one end hands to the other.
pub(crate) trait Unit: Clone {
    /// Octets that stand above the IP header in the packet that carries it.
    fn transport_len(&self) -> u64;
    fn tcp(&self) -> Option<TcpView>;
    fn pure_ack(&self) -> Option<PureAck>;
    fn ecn(&self) -> Ecn;
    fn mark(&mut self);
}

/// Two ends and the application above them.
pub(crate) trait Conversation: Sized {
    type Unit: Unit;
    /// Why a unit was sent.
    type Cause: Copy;

    /// Whether a stack from elsewhere speaks in it.
    const MAY_BE_AT_FAULT: bool = false;

    /// Before anything has happened; each end's random numbers come from streams under this seed. `is_recorded`: somebody writes
    /// down all that the ends say of themselves.
    fn new(flow: &setup::Flow<'_>, network: Network, seed: Seed, is_recorded: bool) -> Self;

    /// Whether the application has opened the connection.
    fn has_begun(&self) -> bool;

    /// When the application does something next.
    fn acts_at(&self) -> Option<Time>;

    /// The application does what is due.
    fn act<O: Observer>(&mut self, now: Time, observer: &mut O) -> Option<Acted>;

    /// When an end wants to be woken.
    fn poll_at(&self, host: Host) -> Option<Time>;

    /// That instant has come.
    fn on_timer<O: Observer>(&mut self, now: Time, host: Host, observer: &mut O);

    /// A unit reaches a host, which the observer is told first. Whether its application touched the other end as well.
    fn on_unit<O: Observer>(
        &mut self,
        now: Time,
        host: Host,
        id: PacketId,
        unit: &Self::Unit,
        observer: &mut O,
    ) -> bool;

    /// The next unit that an end has to send now.
    fn poll_transmit<O: Observer>(
        &mut self,
        now: Time,
        host: Host,
        observer: &mut O,
    ) -> Option<(Self::Unit, Self::Cause)>;

    /// Tells the observer what is being sent.
    fn tell_sent<O: Observer>(
        &mut self,
        now: Time,
        host: Host,
        id: PacketId,
        sent: (&Self::Unit, Self::Cause),
        observer: &mut O,
    );

    /// Whether it is over; `is_idle` if nothing of either end or the application is due.
    fn over(&self, is_idle: bool) -> Over;

    /// The state of the data sender; `None` if it has not begun, is over, or does not tell.
    fn sender_view(&self) -> Option<SenderView> {
        None
    }

    /// What a stack from elsewhere did that ends the run.
    fn fault(&self) -> Option<&str> {
        None
    }
}
