//! What is told of a packet while a link carries it.

use windlull_units::{Bytes, Direction, Fate, Time};

/// What happens to a packet at the link, in the link's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// It was taken in. One that the link loses at once has ended before.
    Arrived {
        direction: Direction,
        at: Time,
        /// Octets of the IP packet.
        size: Bytes,
    },
    /// It has reached the other side, or was lost.
    Ended(Fate),
}
