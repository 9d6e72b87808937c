//! When an acknowledgement is owed (RFC 5681, section 4.2; RFC 9293, section 3.8.6.3).

use windlull_units::Time;

use crate::variant::DelayedAck;

/// What the receiver owes its peer.
///
/// ```text
///            in order, policy waits                second segment, or the timer
///   Nothing -----------------------> Delayed ------------------------------------> Now
///      ^ \_______ out of order, gap filled, duplicate, FIN, window opened __________^ |
///      +---------------------- any segment with an acknowledgement goes out ----------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owed {
    /// All is acknowledged.
    Nothing,
    /// One segment waits for a second.
    Delayed {
        /// When it will have waited long enough.
        due: Time,
    },
    /// An acknowledgement, with data or without.
    Now,
    /// An acknowledgement without data, so that the peer can count it as a duplicate (RFC 5681, section 2).
    Bare,
}

impl Owed {
    /// Data arrived in order and filled no gap.
    #[inline]
    pub(crate) fn on_in_order(&mut self, now: Time, policy: DelayedAck) {
        *self = match (*self, policy) {
            (Self::Nothing, DelayedAck::EverySecond { timer }) => Self::Delayed { due: now + timer },
            (Self::Bare, _) => Self::Bare,
            _ => Self::Now,
        };
    }

    /// Something that must be answered at once.
    pub(crate) const fn at_once(&mut self) {
        if !matches!(self, Self::Bare) {
            *self = Self::Now;
        }
    }

    /// The delayed acknowledgement's timer.
    pub(crate) const fn due(self) -> Option<Time> {
        match self {
            Self::Delayed { due } => Some(due),
            Self::Nothing | Self::Now | Self::Bare => None,
        }
    }
}
