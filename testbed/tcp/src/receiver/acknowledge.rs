//! When an acknowledgement is owed (RFC 5681, section 4.2; RFC 9293, section 3.8.6.3).

use windlull_units::Time;

use crate::variant::DelayedAck;

use super::linux::Wait;

/// RFC 9293, section 3.7.1: the segment size of a host that has not said another. Smaller segments are not taken for full ones.
const LEAST_FULL_SIZE: u64 = 536;

/// What a full-sized segment of the peer's is: what it has sent at most, as its own limits may be below what we have offered to take
/// (RFC 5681, section 4.2). Octets that SACK blocks take of a segment count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FullSize {
    octets: u64,
    negotiated: u64,
}

impl FullSize {
    /// The handshake allows segments of so many octets.
    pub(crate) const fn new(negotiated: u64) -> Self {
        let octets = if negotiated < LEAST_FULL_SIZE {
            negotiated
        } else {
            LEAST_FULL_SIZE
        };
        Self { octets, negotiated }
    }

    pub(crate) const fn octets(&self) -> u64 {
        self.octets
    }

    /// A segment of so many octets arrived.
    #[inline]
    pub(crate) fn on_segment(&mut self, octets: u64) {
        self.octets = self.octets.max(octets.min(self.negotiated));
    }
}

/// Data that arrived in order and filled no gap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InOrder {
    /// Its octets, and those that SACK blocks took beside it.
    pub(crate) octets: u64,
    /// What a full-sized segment has.
    pub(crate) full: FullSize,
    /// Octets that are not acknowledged, these included.
    pub(crate) unacknowledged: u64,
    /// The largest window offered.
    pub(crate) window: u64,
    /// Whether the segment ends what the peer's application wrote (RFC 9293, section 3.9.1.2).
    pub(crate) pushed: bool,
    /// What Linux makes of it, where it acknowledges as Linux does.
    pub(crate) linux: Option<Wait>,
}

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
        /// Octets of the segments that wait.
        octets: u64,
    },
    /// An acknowledgement, with data or without.
    Now,
    /// An acknowledgement without data, so that the peer can count it as a duplicate (RFC 5681, section 2).
    Bare,
}

impl Owed {
    /// Data arrived in order and filled no gap.
    #[inline]
    pub(crate) fn on_in_order(&mut self, now: Time, policy: DelayedAck, data: &InOrder) {
        let before = match *self {
            Self::Delayed { octets, .. } => octets,
            Self::Nothing | Self::Now | Self::Bare => 0,
        };
        let octets = before + data.octets;
        let (due, is_enough) = match policy {
            DelayedAck::None => return self.at_once(),
            // RFC 9293, section 3.8.6.3: for every second full-sized segment, or twice its octets.
            DelayedAck::EverySecond { timer } => (now + timer, octets >= 2 * data.full.octets),
            DelayedAck::EverySecondSegment { timer } => (now + timer, *self != Self::Nothing),
            DelayedAck::EverySecondWithin { earliest, latest } => {
                let interval = latest.as_ns() - earliest.as_ns();
                (next_tick(now + earliest, interval), *self != Self::Nothing)
            }
            DelayedAck::AtTicks { clock } => (next_tick(now, clock.as_ns()), false),
            DelayedAck::WindowPart { timer } => {
                let part = data.window * WINDOW_PART_PERCENT;
                (now + timer, data.unacknowledged * 100 >= part)
            }
            DelayedAck::Linux => {
                let wait = data.linux.expect("there is one where it acknowledges so");
                // `__tcp_ack_snd_check`: more than one full-sized segment. `tcp_cleanup_rbuf`: a short one that is pushed, once
                // the application has read it, which it does at once.
                let more = data.unacknowledged > data.full.octets;
                let short = data.pushed && data.octets < data.full.octets;
                (now + wait.delay, wait.quick || more || short)
            }
        };
        match *self {
            Self::Nothing if !is_enough => *self = Self::Delayed { due, octets },
            Self::Delayed { due, .. } if !is_enough => *self = Self::Delayed { due, octets },
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
            Self::Delayed { due, .. } => Some(due),
            Self::Nothing | Self::Now | Self::Bare => None,
        }
    }
}
