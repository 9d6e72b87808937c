//! When an acknowledgement is owed (RFC 5681, section 4.2; RFC 9293, section 3.8.6.3).

use windlull_units::Time;

use crate::variant::DelayedAck;

/// jacobson1988, figure 9: what 4.3BSD's receivers waited for.
const WINDOW_PART_PERCENT: u64 = 35;

/// The first tick at or after `at` of a clock that ticks every `interval`.
const fn next_tick(at: Time, interval_ns: u64) -> Time {
    Time::from_ns(at.as_ns().div_ceil(interval_ns) * interval_ns)
}

/// What the receiver owes its peer.
///
/// ```text
///            in order, policy waits                enough for the policy, or the timer
///   Nothing -----------------------> Delayed ------------------------------------> Now
///      ^ \_______ out of order, gap filled, duplicate, FIN, window opened __________^ |
///      +---------------------- any segment with an acknowledgement goes out ----------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owed {
    /// All is acknowledged.
    Nothing,
    /// What arrived waits for more.
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
    /// Data arrived in order and filled no gap: `waiting` octets are not acknowledged, of a window of `window`.
    #[inline]
    pub(crate) fn on_in_order(&mut self, now: Time, policy: DelayedAck, waiting: u64, window: u64) {
        let (due, is_enough) = match policy {
            DelayedAck::None => return self.at_once(),
            DelayedAck::EverySecond { timer } => (now + timer, *self != Self::Nothing),
            DelayedAck::EverySecondWithin { earliest, latest } => {
                let interval = latest.as_ns() - earliest.as_ns();
                (next_tick(now + earliest, interval), *self != Self::Nothing)
            }
            DelayedAck::AtTicks { clock } => (next_tick(now, clock.as_ns()), false),
            DelayedAck::WindowPart { timer } => (now + timer, waiting * 100 >= window * WINDOW_PART_PERCENT),
        };
        match *self {
            Self::Nothing if !is_enough => *self = Self::Delayed { due },
            Self::Delayed { .. } if !is_enough => {}
            _ => self.at_once(),
        }
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
