//! Who is told of a connection of QUIC as of a TCP.

use windlull_capture::Observer;
use windlull_units::{Fate, Time};

/// Who follows a connection as that of a TCP.
pub(crate) trait Follower: Observer {
    /// The link is done with a further segment of a packet whose fate was told.
    fn further_fate(&mut self, fate: &Fate);

    /// The connection was closed in order, and the last acknowledgement of data arrived at this instant.
    fn closed_in_order(&mut self, at: Time);
}
