//! The thread that plays the model: what arrives is taken in, what is due is sent.
//!
//! One thread serves both directions. They share the link's weather and script, and the way back of a direction's link
//! layer is the other direction; a lock would be taken once a packet by two threads that both hardly wait. See
//! docs/decisions/0008-model-plane.md for what was measured.

use std::hint::spin_loop;
use std::os::fd::AsFd;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use windlull_link::{Delivery, Link, Packet};
use windlull_units::{Direction, Span, Time};

use super::frame::{Frame, Pool, Refused};
use super::gate;
use super::log::{Entered, Recorder};
use super::sender::{BATCH, Sender};
use super::standing::Order;
use super::{Keeps, Pace, PlaneError, Port, Shared, cut};
use crate::{Epoch, WallClock, fingerprint};

/// A sleeping thread wakes late, 99 of 100 times by less than this. So much before something is due, and so long after
/// something happened, a precise plane looks at the clock instead of sleeping.
const SPIN: Span = Span::from_us(300);
/// How often the wall clock is compared with the run's.
const COMPARE_CLOCKS: Span = Span::from_ms(200);
/// Packets taken in before what is due is looked at again.
const INTAKE: usize = 64;
/// How long the kernel may refuse a packet for want of buffers before it counts as lost by the plane.
const PATIENCE: Span = Span::from_ms(20);
/// Frames that the model may hold in a run: a gigabyte.
const POOL: usize = 1 << 19;
/// The same of a standing link, beside which others live.
const STANDING_POOL: usize = 1 << 17;
/// How long a packet waits for its neighbour's address, which is asked for every second, and how often that is looked at.
const PARKED_FOR: Span = Span::from_secs(3);
const LOOK_AT_PARKED: Span = Span::from_ms(250);
/// Packets that wait so at most.
const MOST_PARKED: usize = 256;

/// All the thread needs.
pub(super) struct Worker {
    epoch: Epoch,
    pace: Pace,
    shared: Arc<Shared>,
    /// To the server, to the client: where packets of the direction of the same number come from.
    ports: [Port; 2],
    link: Link<Frame>,
    /// How far the model was played.
    played: Time,
    wall: WallClock,
    compare_at: Time,
    pool: Rc<Pool>,
    /// What has just come, cut into packets.
    arrived: Vec<Frame>,
    /// Released by the link, but to a neighbour that is not known yet; since when.
    parked: Vec<(Time, Delivery<Frame>)>,
    /// Whether a neighbour was learnt since they were last looked at, and when else they are.
    learnt: bool,
    look_at_parked: Time,
    /// By direction, what is to be sent at once.
    outgoing: [Vec<Delivery<Frame>>; 2],
    sender: Sender,
    recorder: Recorder,
}

impl Worker {
    pub(super) fn new(
        epoch: Epoch,
        pace: Pace,
        shared: Arc<Shared>,
        ports: [Port; 2],
        link: Link<Frame>,
        keeps: Keeps,
    ) -> Self {
        let pool = match keeps {
            Keeps::Everything => POOL,
            Keeps::Counts(_) => STANDING_POOL,
        };
        Self {
            epoch,
            pace,
            shared,
            ports,
            link,
            played: Time::ZERO,
            wall: epoch.wall_clock(),
            compare_at: epoch.now() + COMPARE_CLOCKS,
            pool: Pool::new(pool),
            arrived: Vec::new(),
            parked: Vec::new(),
            learnt: false,
            look_at_parked: Time::NEVER,
            outgoing: [(); 2].map(|()| Vec::with_capacity(BATCH)),
            sender: Sender::new(),
            recorder: Recorder::new(epoch, keeps),
        }
    }

    /// Plays the link until it is told to stop.
    pub(super) fn run(mut self) -> Result<Recorder, PlaneError> {
        self.link.advance(Time::ZERO, &mut self.recorder);
        self.look();
        let mut active = self.epoch.now();
        while !self.shared.stop.load(Ordering::Relaxed) {
            let now = self.epoch.now();
            let ordered = self.obey(now);
            let took = self.take_in(now);
            let released = self.release(now)?;
            if ordered || took || released {
                active = now;
                self.look();
                // In this order: who sees the second sees a first that is not older.
                self.shared.inside.store(self.recorder.inside(), Ordering::Release);
                self.shared.entered.store(self.recorder.entered(), Ordering::Release);
            } else {
                self.rest(now, active)?;
            }
        }
        self.finish()
    }

    /// Takes in, in order of their stamps, packets that wait at the devices. False if there was none.
    fn take_in(&mut self, now: Time) -> bool {
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
            stamp = stamp.min(self.epoch.now());
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
        let (fingerprint, size) = (fingerprint(frame.packet()), frame.size());
        // Copies that are made until then have earlier numbers, whenever this thread woke up.
        self.link.advance(at, &mut self.recorder);
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

    /// Sends what is due. False if nothing was.
    ///
    /// The model is played event by event and no further, so that a packet that is seen a little later than its stamp
    /// seldom finds the model beyond it.
    fn release(&mut self, now: Time) -> Result<bool, PlaneError> {
        let mut busy = false;
        if self.learnt || now >= self.look_at_parked {
            self.unpark(now)?;
        }
        loop {
            while let Some(mut delivery) = self.link.pop_delivery() {
                busy = true;
                if delivery.corrupted {
                    if let Some(wrong) = delivery.packet.corrupted() {
                        delivery.packet = wrong;
                    }
                }
                self.hand_over(now, now, delivery)?;
            }
            match self.link.poll_at() {
                Some(at) if at <= now => {
                    self.link.advance(at, &mut self.recorder);
                    self.played = at;
                    busy = true;
                }
                _ => break,
            }
        }
        self.flush(Direction::Down)?;
        self.flush(Direction::Up)?;
        Ok(busy)
    }

    /// Gets a packet ready for the wire. If nobody knows yet where its receiver is it waits, `since` then.
    fn hand_over(&mut self, now: Time, since: Time, mut delivery: Delivery<Frame>) -> Result<(), PlaneError> {
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
    fn unpark(&mut self, now: Time) -> Result<(), PlaneError> {
        (self.learnt, self.look_at_parked) = (false, Time::NEVER);
        for (since, delivery) in std::mem::take(&mut self.parked) {
            self.hand_over(now, since, delivery)?;
        }
        Ok(())
    }

    /// Does what a hand has ordered. False if that was nothing.
    fn obey(&mut self, now: Time) -> bool {
        let mut obeyed = false;
        while let Some(order) = self.shared.orders.take() {
            obeyed = true;
            let at = now.max(self.played);
            self.played = at;
            // Who ordered sees what it did; but may have gone.
            match order {
                Order::Change { id, change, told } => {
                    self.link.change(at, id, change, &mut self.recorder);
                    self.look();
                    let _ = told.send(at);
                }
                Order::TakeBack { id, told } => {
                    let was_on = self.link.take_back(at, id, &mut self.recorder);
                    self.look();
                    let _ = told.send(was_on);
                }
            }
        }
        obeyed
    }

    /// Shows how the link is, if anybody looks.
    fn look(&self) {
        if self.recorder.monitor().is_some() {
            for direction in [Direction::Down, Direction::Up] {
                self.recorder.look(direction, &self.link.condition(direction));
            }
        }
    }

    /// Puts the outgoing packets of a direction on the wire.
    fn flush(&mut self, direction: Direction) -> Result<(), PlaneError> {
        let outgoing = &mut self.outgoing[direction as usize];
        let port = &self.ports[direction.reverse() as usize];
        let recorder = &mut self.recorder;
        let mut rest = outgoing.as_slice();
        let mut refused_since = None;
        while let [first, ..] = rest {
            let before = self.epoch.now();
            match self.sender.send(port.out(), rest.iter().map(|each| &each.packet)) {
                Ok(sent) => {
                    let actual = self.epoch.now();
                    let sending = &mut recorder.log.accuracy.sending;
                    *sending = *sending + actual.since(before);
                    recorder.released(&rest[..sent], actual);
                    rest = &rest[sent..];
                    refused_since = None;
                }
                Err(Errno::EAGAIN | Errno::ENOBUFS | Errno::ENOMEM | Errno::EINTR) => {
                    let now = self.epoch.now();
                    if now.since(*refused_since.get_or_insert(now)) > PATIENCE {
                        recorder.unsent(direction);
                        rest = &rest[1..];
                        refused_since = None;
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

    /// There is nothing to do now; waits until there may be.
    fn rest(&mut self, now: Time, active: Time) -> Result<(), PlaneError> {
        if now >= self.compare_at {
            self.wall = self.epoch.wall_clock();
            self.compare_at = now + COMPARE_CLOCKS;
            if self.recorder.monitor().is_some() {
                self.count_overruns()?;
            }
            return Ok(());
        }
        let next = self.link.poll_at().unwrap_or(Time::NEVER);
        let margin = match self.pace {
            Pace::Precise => SPIN,
            Pace::Frugal => Span::ZERO,
        };
        let left = next.since(now).saturating_sub(margin);
        if left.is_zero() || now.since(active) < margin {
            spin_loop();
            return Ok(());
        }
        self.sleep(left.min(COMPARE_CLOCKS))
    }

    /// Sleeps so long, or until a packet comes or the plane is to stop.
    fn sleep(&self, span: Span) -> Result<(), PlaneError> {
        let [to_server, to_client] = self.ports.each_ref().map(Port::as_fd);
        let mut wakers = [to_server, to_client, self.shared.wake.as_fd()].map(|fd| PollFd::new(fd, PollFlags::POLLIN));
        let timeout = TimeSpec::from_duration(std::time::Duration::from_nanos(span.as_ns()));
        match ppoll(&mut wakers, Some(timeout), None) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(self.ports[0].failed(error)),
        }
        for (waker, port) in wakers.iter().zip(&self.ports) {
            let broken = PollFlags::POLLERR | PollFlags::POLLHUP | PollFlags::POLLNVAL;
            if waker.revents().is_some_and(|events| events.intersects(broken)) {
                return Err(port.failed(Errno::ENETDOWN));
            }
        }
        Ok(())
    }

    /// What has come until now is still taken in, what is due until now still sent.
    fn finish(mut self) -> Result<Recorder, PlaneError> {
        let now = self.epoch.now();
        self.take_in(now);
        let end = now.max(self.played);
        self.release(end)?;
        self.recorder.log.until = end;
        self.count_overruns()?;
        if let Some(monitor) = self.recorder.monitor() {
            monitor.still();
        }
        Ok(self.recorder)
    }

    /// Counts what the kernel had no place for since this was last asked.
    fn count_overruns(&mut self) -> Result<(), PlaneError> {
        for direction in [Direction::Down, Direction::Up] {
            let port = &self.ports[direction as usize];
            let drops = port.drops().map_err(|source| port.failed(source))?;
            self.recorder.overrun(direction, drops);
        }
        Ok(())
    }
}
