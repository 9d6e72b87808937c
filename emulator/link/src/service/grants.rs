//! Service in units, as in LTE and 5G: a request, a grant, and units that are sent again while later ones pass.
//!
//! ```text
//!             a packet comes: asks at the next request opportunity
//!   no grant ------------------------------------------------------> granted from then on, after `grant_delay`
//!       ^                                                                   |
//!       +-------------------------------------------------------------------+
//!                        a unit has taken the last octet that waited
//! ```
//!
//! A unit that fails (hybrid ARQ, 3GPP TS 36.321, sections 5.3.2 and 5.4.2) takes the place of a new one when its round trip
//! is over, so that it costs capacity as well as time.

use std::collections::VecDeque;

use windlull_units::{Bytes, Seed, Span, Time};

use super::served::Served;
use crate::draw::{self, PacketDraws};
use crate::model::GrantsModel;

/// The units of one direction, and the packets in them.
#[derive(Clone, Debug)]
pub(crate) struct Grants {
    model: GrantsModel,
    /// From when on units may carry what waits; `None`: it has not asked.
    granted_from: Option<Time>,
    /// What the rate gave beyond whole octets, in bit-nanoseconds.
    carry: u64,
    /// The packet of which a part was sent, and what is left of it.
    partial: Option<(u64, Bytes)>,
    current: Option<Unit>,
    /// Units that failed, and when each is sent again; in order of time, as all take one round trip.
    again: VecDeque<(Time, Unit)>,
    /// Packets in more than one unit, of which one is not over.
    split: Vec<Split>,
    draws: Option<PacketDraws>,
}

/// A unit that is sent, or will be sent again.
#[derive(Clone, Debug)]
struct Unit {
    /// Orders of packets that are in it as a whole.
    whole: Vec<u64>,
    /// Orders of packets of which a part is in it.
    parts: Vec<u64>,
    /// When its first transmission was over.
    sent: Time,
    begun: Time,
    /// How often it was sent.
    transmissions: u32,
}

/// A packet that is in several units.
#[derive(Clone, Copy, Debug)]
struct Split {
    order: u64,
    /// In how many units that are not over.
    out: u32,
    /// When its last octet is first sent, once that is in a unit.
    sent: Option<Time>,
    lost: bool,
}

impl Grants {
    pub(crate) fn new(model: &GrantsModel, seed: Seed, direction: &str) -> Self {
        Self {
            model: *model,
            granted_from: None,
            carry: 0,
            partial: None,
            current: None,
            again: VecDeque::new(),
            split: Vec::new(),
            draws: (model.error > 0.0).then(|| PacketDraws::new(seed, &format!("{direction}/service"))),
        }
    }

    /// As [`super::Service::begins`].
    pub(super) fn begins(&mut self, now: Time, waiting: bool) -> Time {
        let again = self.again.front().map_or(Time::NEVER, |&(due, _)| due);
        let new = if waiting || self.partial.is_some() {
            let (period, delay) = (self.model.sr_period, self.model.grant_delay);
            *self.granted_from.get_or_insert_with(|| multiple(now, period) + delay)
        } else {
            Time::NEVER
        };
        let ready = again.min(new);
        if ready == Time::NEVER {
            return Time::NEVER;
        }
        multiple(ready.max(now), self.model.cycle)
    }

    /// How long a unit is.
    pub(crate) const fn cycle(&self) -> Span {
        self.model.cycle
    }

    /// Sends a failed unit again, if it is one's turn; whether it is.
    pub(crate) fn repeat(&mut self, now: Time) -> bool {
        let Some((_, mut unit)) = self
            .again
            .front()
            .is_some_and(|&(due, _)| due <= now)
            .then(|| self.again.pop_front())
            .flatten()
        else {
            return false;
        };
        unit.begun = now;
        unit.transmissions += 1;
        self.current = Some(unit);
        true
    }

    /// Begins a new unit and says how many octets it takes; `work` is what the rate does in a cycle, in bit-nanoseconds.
    pub(crate) fn open(&mut self, now: Time, work: u128) -> Bytes {
        const OCTET: u128 = 8_000_000_000;
        let work = work + u128::from(self.carry);
        self.carry = u64::try_from(work % OCTET).unwrap_or(0);
        self.current = Some(Unit {
            whole: Vec::new(),
            parts: Vec::new(),
            sent: now + self.model.cycle,
            begun: now,
            transmissions: 1,
        });
        Bytes::new(u64::try_from(work / OCTET).unwrap_or(u64::MAX))
    }

    /// The packet that goes on in this unit, and what is left of it.
    pub(crate) const fn take_partial(&mut self) -> Option<(u64, Bytes)> {
        self.partial.take()
    }

    /// Puts what fits into `room` of a packet into the unit, and says how much room is left. `left` is what is still to be sent
    /// of it, and `fresh` whether that is all of it.
    pub(crate) fn put(&mut self, order: u64, left: Bytes, fresh: bool, room: Bytes) -> Bytes {
        let Some(unit) = &mut self.current else {
            return Bytes::ZERO;
        };
        let fits = left <= room;
        if fresh && fits {
            unit.whole.push(order);
            return room - left;
        }
        let sent = unit.sent;
        unit.parts.push(order);
        let split = match self.split.iter_mut().find(|split| split.order == order) {
            Some(split) => split,
            None => {
                self.split.push(Split {
                    order,
                    out: 0,
                    sent: None,
                    lost: false,
                });
                let last = self.split.len() - 1;
                &mut self.split[last]
            }
        };
        split.out += 1;
        if fits {
            split.sent = Some(sent);
            return room - left;
        }
        self.partial = Some((order, left - room));
        Bytes::ZERO
    }

    /// The unit is full, or has all that waited; whether something is in it. `waiting`: whether a packet still waits.
    pub(crate) fn close(&mut self, waiting: bool) -> bool {
        if !waiting && self.partial.is_none() {
            (self.granted_from, self.carry) = (None, 0);
        }
        let filled = self
            .current
            .as_ref()
            .is_some_and(|unit| !unit.whole.is_empty() || !unit.parts.is_empty());
        if !filled {
            self.current = None;
        }
        filled
    }

    /// As [`super::Service::end`].
    pub(super) fn end(&mut self, _: Time) -> Vec<Served> {
        let Some(unit) = self.current.take() else {
            return Vec::new();
        };
        let again = unit.transmissions > 1;
        let fails = match &mut self.draws {
            Some(draws) => draw::happens(draws.of(again), self.model.error),
            None => false,
        };
        if fails && unit.transmissions < self.model.attempts {
            self.again.push_back((unit.begun + self.model.round_trip, unit));
            return Vec::new();
        }
        let (sent, got_through) = (unit.sent, !fails);
        let whole = unit.whole.into_iter().map(|order| Served {
            order,
            sent,
            got_through,
        });
        let mut served: Vec<Served> = whole.collect();
        for order in unit.parts {
            let Some(place) = self.split.iter().position(|split| split.order == order) else {
                continue;
            };
            let split = &mut self.split[place];
            split.out -= 1;
            split.lost |= fails;
            if let (0, Some(sent)) = (split.out, split.sent) {
                served.push(Served {
                    order,
                    sent,
                    got_through: !split.lost,
                });
                self.split.swap_remove(place);
            }
        }
        served
    }
}

/// The first multiple of `step` at or after `time`; without a step `time` itself.
const fn multiple(time: Time, step: Span) -> Time {
    if step.is_zero() {
        return time;
    }
    Time::from_ns(time.as_ns().div_ceil(step.as_ns()).saturating_mul(step.as_ns()))
}
