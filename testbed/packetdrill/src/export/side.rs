//! The host under test.

/// Which end is the host under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The one that sends the data.
    Sender,
    Receiver,
}
