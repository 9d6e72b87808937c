//! From the link to the devices: what it releases gets its receiver's address, where that is ours to say, and is sent.

use std::thread::sleep;
use std::time::Duration;

use nix::errno::Errno;
use windlull_link::Delivery;
use windlull_units::{Direction, Span, Time};

use super::Worker;
use crate::model::PlaneError;
use crate::model::frame::{Frame, Refused};
use crate::model::gate;
use crate::model::sender::BATCH;

/// How long the kernel may refuse a packet for want of buffers before it counts as lost by the plane.
const PATIENCE: Span = Span::from_ms(20);
/// How long it is let alone before it is asked again. Who asks without a rest keeps a kernel of one processor from what
/// would make room: Linux before 6.4 has it done by a thread (ksoftirqd), which waits for its turn, and in virtual time no
/// time passes until everybody rests.
const REST: Duration = Duration::from_micros(10);
/// How long a packet waits for its neighbour's address, which is asked for every second, and how often that is looked at.
const PARKED_FOR: Span = Span::from_secs(3);
const LOOK_AT_PARKED: Span = Span::from_ms(250);
/// Packets that wait so at most.
const MOST_PARKED: usize = 256;

impl Worker {
    /// Gets a packet ready for the wire. If nobody knows yet where its receiver is it waits, `since` then.
    pub(super) fn hand_over(
        &mut self,
        now: Time,
        since: Time,
        mut delivery: Delivery<Frame>,
    ) -> Result<(), PlaneError> {
        let direction = delivery.direction;
        if let Some(gate) = &mut self.ports[direction.reverse() as usize].gate {
            let Some(to) = gate::destination(delivery.packet.packet()) else {
                return Ok(());
            };
            let Some(heading) = gate.heading(to) else {
                gate.ask(to, now);
                if self.parked.len() < MOST_PARKED && now.since(since) < PARKED_FOR {
                    self.look_at_parked = self.look_at_parked.min(now + LOOK_AT_PARKED);
                    self.parked.push((since, delivery));
                } else {
                    self.recorder.unreachable(direction);
                }
                return Ok(());
            };
            let Some(headed) = delivery.packet.headed(heading) else {
                self.recorder.refused(direction, Refused::Exhausted, true);
                return Ok(());
            };
            delivery.packet = headed;
        }
        self.outgoing[direction as usize].push(delivery);
        if self.outgoing[direction as usize].len() == BATCH {
            self.flush(direction)?;
        }
        Ok(())
    }

    /// Packets that wait for a neighbour's address go on, or are given up.
    pub(super) fn unpark(&mut self, now: Time) -> Result<(), PlaneError> {
        (self.learnt, self.look_at_parked) = (false, Time::NEVER);
        for (since, delivery) in std::mem::take(&mut self.parked) {
            self.hand_over(now, since, delivery)?;
        }
        Ok(())
    }

    /// Puts the outgoing packets of a direction on the wire.
    pub(super) fn flush(&mut self, direction: Direction) -> Result<(), PlaneError> {
        let outgoing = &mut self.outgoing[direction as usize];
        let port = &self.ports[direction.reverse() as usize];
        let recorder = &mut self.recorder;
        let mut rest = outgoing.as_slice();
        let mut refused_since = None;
        while let [first, ..] = rest {
            let before = self.clock.now();
            match self.sender.send(port.out(), rest.iter().map(|each| &each.packet)) {
                Ok(sent) => {
                    let actual = self.clock.now();
                    let sending = &mut recorder.log.accuracy.sending;
                    *sending = *sending + actual.since(before);
                    recorder.released(&rest[..sent], actual);
                    rest = &rest[sent..];
                    refused_since = None;
                }
                Err(Errno::EAGAIN | Errno::ENOBUFS | Errno::ENOMEM | Errno::EINTR) => {
                    let now = self.clock.now();
                    if now.since(*refused_since.get_or_insert(now)) > PATIENCE {
                        recorder.unsent(direction);
                        rest = &rest[1..];
                        refused_since = None;
                    } else {
                        sleep(REST);
                    }
                }
                Err(error @ (Errno::EMSGSIZE | Errno::EINVAL)) => {
                    debug_assert!(false, "{error} for {:?}", first.packet);
                    recorder.unsent(direction);
                    rest = &rest[1..];
                }
                Err(error) => return Err(port.failed(error)),
            }
        }
        outgoing.clear();
        Ok(())
    }
}
