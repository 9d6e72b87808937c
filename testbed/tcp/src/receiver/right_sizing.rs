//! A receive window that grows with what a round trip brings: Fisk and Feng, Dynamic Right-Sizing in TCP, 2001, in the form
//! that Linux gives it (`tcp_rcv_space_adjust`).
//!
//! Once a round trip the receiver looks how much the application took in it. If that is more than the last time, the window
//! becomes twice as much and sixteen segments, and more by twice the rate of growth: a sender in slow start is never held up.

use windlull_units::{Span, Time};

/// Linux's `TCP_INIT_CWND`: what a round trip is expected to bring at first, in segments.
const FIRST_SEGMENTS: u64 = 10;
/// Room for a burst while an acknowledgement is on its way, in segments.
const SPARE_SEGMENTS: u64 = 16;

/// What the receiver measures to find its window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RightSizing {
    /// What the window may become.
    largest: u64,
    /// Octets of payload in a full segment.
    segment: u64,
    round_trip: Option<Span>,
    /// When a whole window of data began to arrive, and the octet that ends it.
    window: Option<(Time, u64)>,
    /// The last timestamp echoed that was measured: one counts once.
    echo: Option<u32>,
    /// When the application's last round trip began, and how much it had taken by then.
    since: Time,
    taken: u64,
    /// What it took in the largest round trip so far.
    space: u64,
}

impl RightSizing {
    pub(crate) const fn new(largest: u64) -> Self {
        Self {
            largest,
            segment: 1,
            round_trip: None,
            window: None,
            echo: None,
            since: Time::ZERO,
            taken: 0,
            space: 1,
        }
    }

    /// The handshake is over: full segments have so many octets of payload, and the window has this capacity.
    pub(crate) fn establish(&mut self, now: Time, segment: u64, capacity: u64) {
        self.segment = segment;
        self.since = now;
        self.space = capacity.min(FIRST_SEGMENTS * segment).max(1);
    }

    /// A segment's payload arrived, with a timestamp of ours echoed that long ago (RFC 7323, section 4): what the round trip
    /// is. An echo beside a part of a segment may have waited for an acknowledgement that was delayed.
    pub(crate) fn on_echo(&mut self, payload: u64, echo: u32, trip: Option<Span>) {
        if payload < self.segment || self.echo == Some(echo) {
            return;
        }
        self.echo = Some(echo);
        if let Some(trip) = trip {
            self.round_trip = Some(Span::smoothed(self.round_trip, trip));
        }
    }

    /// Data in order arrived up to `next`, of a window that ends at `edge`: the time in which a whole window arrives is a
    /// round trip at least.
    pub(crate) fn on_data(&mut self, now: Time, next: u64, edge: u64) {
        if let Some((began, end)) = self.window {
            if next < end {
                return;
            }
            let trip = now.since(began);
            self.round_trip = Some(self.round_trip.map_or(trip, |known| known.min(trip)));
        }
        self.window = Some((now, edge));
    }

    /// The application has taken so many octets in all: the capacity that the window should have now, if it is to grow.
    pub(crate) fn on_read(&mut self, now: Time, taken: u64) -> Option<u64> {
        if now.since(self.since) < self.round_trip? {
            return None;
        }
        let brought = taken - self.taken;
        (self.since, self.taken) = (now, taken);
        if brought <= self.space {
            return None;
        }
        let window = 2 * brought + SPARE_SEGMENTS * self.segment;
        let growth = u128::from(window) * u128::from(brought - self.space) / u128::from(self.space);
        self.space = brought;
        let growth = u64::try_from(growth).unwrap_or(u64::MAX);
        Some(window.saturating_add(growth.saturating_mul(2)).min(self.largest))
    }
}
