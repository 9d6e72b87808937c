//! What a batch leaves.

use windlull_units::Time;

/// A packet whose service is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Served {
    pub(crate) order: u64,
    /// When its last bit was sent for the first time.
    pub(crate) sent: Time,
    /// Whether it met the channel; if not, it is lost.
    pub(crate) got_through: bool,
}
