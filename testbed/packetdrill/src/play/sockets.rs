//! What a script has opened.

use windlull_units::Time;

/// What the script has opened.
#[derive(Debug, Default)]
pub(super) struct Sockets {
    /// The descriptor that listens.
    pub(super) listening: Option<i64>,
    /// The descriptor of the connection.
    pub(super) connection: Option<i64>,
    /// `TCP_QUICKACK` is off: the last acknowledgement of the handshake waits for data, as Linux has it.
    pub(super) is_patient: bool,
    pub(super) receiving: Option<Receiving>,
}

/// A call that takes what arrives until it has enough.
#[derive(Clone, Copy, Debug)]
pub(super) struct Receiving {
    pub(super) line: usize,
    pub(super) left: u64,
    pub(super) returns: Time,
}
