//! Who is told of a connection of QUIC as of a TCP.

use windlull_capture::Observer;
use windlull_transport::{LossTrigger, Space};
use windlull_units::{Fate, Time};

/// A packet that was declared lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Declared {
    /// Its place among all of the connection.
    pub(crate) place: usize,
    pub(crate) space: Space,
    pub(crate) number: u64,
    pub(crate) trigger: LossTrigger,
}

/// Who follows a connection as that of a TCP.
pub(crate) trait Follower: Observer {
    /// The link is done with a further segment of a packet whose fate was told.
    fn further_fate(&mut self, fate: &Fate);

    /// The data sender declared a packet lost.
    fn declared_lost(&mut self, now: Time, lost: Declared);

    /// The connection was closed in order, and the last acknowledgement of data arrived at this instant.
    fn closed_in_order(&mut self, at: Time);
}
