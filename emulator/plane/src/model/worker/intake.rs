//! From the devices into the link: what waits in the rings, in order of time, as packets that a wire would carry.

use windlull_link::Packet as _;
use windlull_units::{Direction, Time};

use super::Worker;
use crate::fingerprint;
use crate::model::frame::{Frame, Refused};
use crate::model::log::Entered;
use crate::model::{Port, cut};

/// Packets taken in before what is due is looked at again.
const INTAKE: usize = 64;

impl Worker {
    /// Takes in, in order of their stamps, packets that wait at the devices. False if there was none.
    pub(super) fn take_in(&mut self, now: Time) -> bool {
        let mut took = false;
        for _ in 0..INTAKE {
            let stamp = |port: &Port| port.ring.first().map(|waiting| waiting.stamp_ns);
            let direction = match self.ports.each_ref().map(stamp) {
                [None, None] => break,
                [Some(down), Some(up)] if up < down => Direction::Up,
                [Some(_), _] => Direction::Down,
                [None, Some(_)] => Direction::Up,
            };
            self.take_first(now, direction);
            self.ports[direction as usize].ring.give_back();
            took = true;
        }
        took
    }

    fn take_first(&mut self, now: Time, direction: Direction) {
        let [to_server, to_client] = &mut self.ports;
        let (near, far) = match direction {
            Direction::Down => (to_server, to_client),
            Direction::Up => (to_client, to_server),
        };
        let Some(waiting) = near.ring.first() else {
            return;
        };
        let mut stamp = self.wall.to_run(waiting.stamp_ns);
        if stamp > now {
            // It came while we were at work; but if somebody has set the wall clock, not in the future.
            stamp = stamp.min(self.clock.now());
        }
        // What is too long may have been cut: it is known by its length, not by its octets.
        let whole = waiting.octets.len() == waiting.len;
        let (pool, arrived) = (&self.pool, &mut self.arrived);
        let mut frame = |octets: &[u8]| {
            arrived.push(pool.frame(octets)?);
            Ok(())
        };
        let taken = match (&mut near.gate, &mut far.gate) {
            (Some(near), Some(far)) => {
                self.learnt |= near.learn(waiting.octets);
                let target = near.takes(waiting.octets).filter(|&target| far.reaches(target));
                let Some(target) = target else { return };
                far.ask(target, now);
                match whole {
                    true => cut::frames(waiting.octets, waiting.offload, frame),
                    false => Err(Refused::TooLong),
                }
            }
            _ => {
                self.recorder.log.accuracy.unfinished_checksums += u64::from(waiting.unfinished);
                match frame(waiting.octets) {
                    Ok(()) if !whole => {
                        self.arrived.clear();
                        Err(Refused::TooLong)
                    }
                    taken => taken,
                }
            }
        };
        if let Err(refused) = taken {
            self.recorder.refused(direction, refused, whole);
        }
        let mut arrived = std::mem::take(&mut self.arrived);
        for frame in arrived.drain(..) {
            self.enter(stamp, direction, frame);
        }
        self.arrived = arrived;
    }

    /// The link takes a packet in that came at `stamp`.
    fn enter(&mut self, stamp: Time, direction: Direction, frame: Frame) {
        // Time never goes back: what the model has gone beyond comes late.
        let at = stamp.max(self.played);
        if at > stamp {
            self.recorder.late_entry(at - stamp);
        }
        let passed = match &mut self.rebinder {
            Some(rebinder) => rebinder.pass(at, direction, frame),
            None => Some(frame),
        };
        let Some(frame) = passed else {
            self.recorder.unreachable(direction);
            return;
        };
        let (fingerprint, size) = (fingerprint(frame.packet()), frame.size());
        let id = self.link.send(at, direction, frame, &mut self.recorder);
        self.played = at;
        self.recorder.took(Entered {
            id,
            direction,
            at,
            fingerprint,
            size,
        });
    }
}
