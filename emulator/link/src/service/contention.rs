//! Wi-Fi: contention for the channel by random back-off, and aggregates of packets that arrive together.
//!
//! Everybody else always has something to send (Bianchi 2000, section IV: saturation), so that all until this station's next
//! transmission is known as soon as it wants to send. The others play on while it has nothing to send.

use std::collections::VecDeque;

use windlull_units::{Rng, Seed, Span, Time};

use super::served::Served;
use crate::draw::{self, PacketDraws};
use crate::model::ContentionModel;

/// After a longer silence of this station the others' play before it is left out: it has no memory so long.
const LONGEST_CATCH_UP: Span = Span::from_secs(1);

/// A station's next attempt: after how many slots, and out of which window.
#[derive(Clone, Copy, Debug)]
struct BackOff {
    slots: u64,
    window: u32,
}

/// A packet of a transmission.
#[derive(Clone, Copy, Debug)]
struct OnAir {
    order: u64,
    /// When its first transmission was over.
    sent: Time,
    /// How often it was lost without a collision.
    losses: u32,
}

/// When this station's next transmission begins, and whether others collide with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Access {
    at: Time,
    collides: bool,
}

/// The channel as one direction sees it.
#[derive(Clone, Debug)]
pub(crate) struct Contention {
    model: ContentionModel,
    /// When the channel became idle after the last transmission.
    idle_from: Time,
    window: u32,
    others: Vec<BackOff>,
    ours: Rng,
    theirs: Rng,
    next: Option<Access>,
    /// Packets to send again.
    again: VecDeque<OnAir>,
    current: Vec<OnAir>,
    collided: bool,
    errors: Option<PacketDraws>,
}

impl Contention {
    pub(crate) fn new(model: &ContentionModel, seed: Seed, direction: &str) -> Self {
        let mut theirs = seed.stream(&format!("{direction}/contenders"));
        let other = |_| BackOff {
            slots: draw_slots(&mut theirs, model.cw_min),
            window: model.cw_min,
        };
        let others = (0..model.contenders).map(other).collect();
        let name = format!("{direction}/service");
        Self {
            model: *model,
            idle_from: Time::ZERO,
            window: model.cw_min,
            others,
            ours: seed.stream(&name),
            theirs,
            next: None,
            again: VecDeque::new(),
            current: Vec::new(),
            collided: false,
            errors: (model.error > 0.0).then(|| PacketDraws::new(seed, &format!("{name}/error"))),
        }
    }

    /// As [`super::Service::begins`].
    pub(super) fn begins(&mut self, now: Time, waiting: bool) -> Time {
        if let Some(access) = self.next {
            return access.at;
        }
        if !waiting && self.again.is_empty() {
            return Time::NEVER;
        }
        let access = self.contend(now);
        self.next = Some(access);
        access.at
    }

    /// Plays the others until this station, which wants to send from `now` on, may do so.
    fn contend(&mut self, now: Time) -> Access {
        let mut left = draw_slots(&mut self.ours, self.window);
        let earliest = now.as_ns().saturating_sub(LONGEST_CATCH_UP.as_ns());
        self.idle_from = self.idle_from.max(Time::from_ns(earliest));
        loop {
            let begin = self.idle_from + self.model.spacing;
            // It counts from the first slot that begins when it wants to send.
            let joins = now.max(begin).since(begin).as_ns().div_ceil(self.model.slot.as_ns());
            let mine = joins + left;
            let theirs = self.others.iter().map(|other| other.slots).min().unwrap_or(u64::MAX);
            let first = mine.min(theirs);
            let at = begin + self.model.slot.saturating_mul(first);
            let senders = self.others.iter().filter(|other| other.slots == first).count();
            let (sends, collides) = (mine == first, senders + usize::from(mine == first) > 1);
            self.pass(first, collides);
            if sends {
                return Access { at, collides };
            }
            self.idle_from = at + self.model.contender_airtime;
            // Bianchi 2000, section IV.A: a slot in which somebody sends is a slot.
            left -= (first + 1).saturating_sub(joins);
        }
    }

    /// Slots go by for the others; those of them that send in the last one draw again.
    fn pass(&mut self, last: u64, collides: bool) {
        let (least, most) = (self.model.cw_min, self.model.cw_max);
        for other in &mut self.others {
            if other.slots == last {
                other.window = if collides { doubled(other.window, most) } else { least };
                other.slots = draw_slots(&mut self.theirs, other.window);
            } else {
                other.slots -= last + 1;
            }
        }
    }

    /// Begins a transmission.
    pub(crate) fn open(&mut self) {
        self.collided = self.next.take().is_some_and(|access| access.collides);
        self.current.clear();
    }

    /// How many packets may be sent together, and for how long.
    pub(crate) const fn limits(&self) -> (usize, Span) {
        (self.model.aggregate as usize, self.model.airtime)
    }

    /// The packet that is sent again next.
    pub(crate) fn front_again(&self) -> Option<u64> {
        self.again.front().map(|packet| packet.order)
    }

    /// Puts that one into the transmission.
    pub(crate) fn put_again(&mut self) {
        self.current.extend(self.again.pop_front());
    }

    /// Puts a packet into the transmission.
    pub(crate) fn put(&mut self, order: u64) {
        self.current.push(OnAir {
            order,
            sent: Time::NEVER,
            losses: 0,
        });
    }

    /// The transmission has all that it takes; how long it occupies the channel if its octets take `airtime`. `None` if nothing
    /// is in it.
    pub(crate) fn close(&self, airtime: Span) -> Option<Span> {
        let own = airtime + self.model.overhead;
        let all = if self.collided {
            own.max(self.model.contender_airtime)
        } else {
            own
        };
        (!self.current.is_empty()).then_some(all)
    }

    /// As [`super::Service::end`].
    pub(super) fn end(&mut self, now: Time) -> Vec<Served> {
        self.idle_from = now;
        let mut transmission = std::mem::take(&mut self.current);
        for packet in &mut transmission {
            packet.sent = packet.sent.min(now);
        }
        let mut served = Vec::new();
        if self.collided {
            self.window = doubled(self.window, self.model.cw_max);
        } else {
            self.window = self.model.cw_min;
            let (errors, model) = (&mut self.errors, &self.model);
            transmission.retain_mut(|packet| {
                let fails = errors
                    .as_mut()
                    .is_some_and(|draws| draw::happens(draws.of(packet.losses > 0), model.error));
                packet.losses += u32::from(fails);
                let over = !fails || packet.losses >= model.attempts;
                if over {
                    served.push(Served {
                        order: packet.order,
                        sent: packet.sent,
                        got_through: !fails,
                    });
                }
                !over
            });
        }
        // They go before those that had no room in this transmission.
        for packet in transmission.into_iter().rev() {
            self.again.push_front(packet);
        }
        served
    }
}

/// From 0 to `window`, alike.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "below a window of 32 bits, and not below zero"
)]
fn draw_slots(rng: &mut Rng, window: u32) -> u64 {
    (draw::unit(rng) * (f64::from(window) + 1.0)) as u64
}

/// The window after a collision: 15, 31, 63 and so on.
const fn doubled(window: u32, most: u32) -> u32 {
    let doubled = window.saturating_mul(2).saturating_add(1);
    if doubled < most { doubled } else { most }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probability of a collision, by Bianchi 2000, equations 7 and 9: the window is `least` at first, and doubled up to
    /// `stages` times.
    fn bianchi(stations: i32, least: f64, stages: i32) -> f64 {
        let sends = |p: f64| {
            let twice = 1.0 - 2.0 * p;
            2.0 * twice / (twice * (least + 1.0) + p * least * (1.0 - (2.0 * p).powi(stages)))
        };
        let (mut low, mut high) = (0.0, 0.499);
        for _ in 0..60 {
            let p = f64::midpoint(low, high);
            let met = 1.0 - (1.0 - sends(p)).powi(stations - 1);
            if met > p {
                low = p;
            } else {
                high = p;
            }
        }
        low
    }

    #[test]
    fn stations_collide_as_often_as_bianchi_says() {
        for contenders in [1, 4, 9] {
            let model = ContentionModel {
                contenders,
                contender_airtime: Span::from_ms(1),
                slot: Span::from_us(9),
                spacing: Span::from_us(34),
                cw_min: 15,
                cw_max: 1023,
                aggregate: 1,
                airtime: Span::ZERO,
                overhead: Span::from_ms(1),
                error: 0.0,
                attempts: 7,
            };
            let mut contention = Contention::new(&model, Seed::new(1), "down");
            let (mut now, mut collisions, attempts) = (Time::ZERO, 0, 100_000);
            for _ in 0..attempts {
                now = contention.begins(now, true);
                contention.open();
                contention.put(0);
                collisions += u32::from(contention.collided);
                now += contention.close(Span::ZERO).expect("a packet");
                contention.end(now);
                contention.again.clear();
            }
            let (seen, said) = (
                f64::from(collisions) / f64::from(attempts),
                bianchi(i32::try_from(contenders + 1).expect("few"), 16.0, 6),
            );
            assert!(
                (seen - said).abs() < 0.01,
                "{contenders} contenders: {seen}, not {said}"
            );
        }
    }

    #[test]
    fn a_window_doubles_up_to_the_largest() {
        let windows: Vec<u32> = std::iter::successors(Some(15), |&window| Some(doubled(window, 1023)))
            .take(8)
            .collect();
        assert_eq!(windows, [15, 31, 63, 127, 255, 511, 1023, 1023]);
    }
}
