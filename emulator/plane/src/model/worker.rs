//! The thread that plays the model: what arrives is taken in, what is due is sent.
//!
//! One thread serves both directions. They share the link's state and script, and the way back of a direction's link
//! layer is the other direction; a lock would be taken once a packet by two threads that both hardly wait. See
//! docs/decisions/0008-model-plane.md for what was measured.

mod intake;
mod outlet;

use std::hint::spin_loop;
use std::os::fd::AsFd;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use windlull_link::model::Rebinding;
use windlull_link::{Delivery, Link};
use windlull_units::{ConstantRate, Direction, Network, Pace, Span, Time};

use super::chain::{Access, Chain};
use super::crossing::Source;
use super::frame::{Frame, Pool};
use super::orders::Order;
use super::rebind::Rebinder;
use super::recorder::Recorder;
use super::sender::{BATCH, Sender};
use super::timekeeper::Timekeeper;
use super::{Keeps, PlaneError, Port, Shared};
use crate::WallClock;

/// A sleeping thread wakes late, 99 of 100 times by less than this. So much before something is due, and so long after
/// something happened, a precise plane looks at the clock instead of sleeping.
const SPIN: Span = Span::from_us(300);
/// How often the wall clock is compared with the run's, and a thread that sleeps looks after all.
const COMPARE_CLOCKS: Span = Span::from_ms(200);
/// Frames that the model may hold in a run: a gigabyte.
const POOL: usize = 1 << 19;
/// The same of a standing link, beside which others live.
const STANDING_POOL: usize = 1 << 17;

/// What is to stand between the devices.
pub(super) struct Links {
    pub(super) link: Link<Frame>,
    /// Of the NAT before it, if there is one.
    pub(super) rebinding: Option<Rebinding>,
    pub(super) access: Vec<Access>,
    pub(super) crossing: Vec<ConstantRate>,
    /// The version of IP of the hosts' packets.
    pub(super) network: Network,
}

impl Links {
    fn chain(self, pool: &Rc<Pool>) -> Chain {
        let streams = self.crossing.into_iter().enumerate();
        // Those that no frame holds were refused before.
        let sources = streams.filter_map(|(place, stream)| Source::new(stream, place, pool));
        Chain::new(self.link, self.access, sources.collect())
    }
}

/// All the thread needs.
pub(super) struct Worker {
    clock: Arc<Timekeeper>,
    pace: Pace,
    shared: Arc<Shared>,
    /// To the server, to the client: where packets of the direction of the same number come from.
    ports: [Port; 2],
    rebinder: Option<Rebinder>,
    link: Chain,
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
        clock: Timekeeper,
        pace: Pace,
        shared: Arc<Shared>,
        ports: [Port; 2],
        links: Links,
        keeps: Keeps,
    ) -> Self {
        let pool = match keeps {
            Keeps::Story(_) => POOL,
            Keeps::Counts(_) | Keeps::Packets(..) => STANDING_POOL,
        };
        let pool = Pool::new(pool, links.network);
        let clock = Arc::new(clock);
        let wall = clock.wall_clock();
        let compare_at = match pace {
            Pace::Precise | Pace::Frugal => clock.now() + COMPARE_CLOCKS,
            // Nobody sets the wall clock there.
            Pace::Virtual => Time::NEVER,
        };
        Self {
            clock: Arc::clone(&clock),
            pace,
            shared,
            ports,
            rebinder: links.rebinding.map(Rebinder::new),
            link: links.chain(&pool),
            played: Time::ZERO,
            wall,
            compare_at,
            pool,
            arrived: Vec::new(),
            parked: Vec::new(),
            learnt: false,
            look_at_parked: Time::NEVER,
            outgoing: [(); 2].map(|()| Vec::with_capacity(BATCH)),
            sender: Sender::new(),
            recorder: Recorder::new(clock, keeps),
        }
    }

    /// Plays the link until it is told to stop.
    pub(super) fn run(mut self) -> Result<Recorder, PlaneError> {
        self.link.advance(Time::ZERO, &mut self.recorder);
        self.look();
        let mut active = self.clock.now();
        while !self.shared.stop.load(Ordering::Relaxed) {
            let now = self.clock.now();
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

    /// Sends what is due. False if nothing was.
    ///
    /// The model is played event by event and no further, so that a packet that is seen a little later than its stamp
    /// seldom finds the model beyond it.
    fn release(&mut self, now: Time) -> Result<bool, PlaneError> {
        let mut busy = false;
        let due = self.clock.due(now);
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
                Some(at) if at <= due => {
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

    /// Does what it was told. False if that was nothing.
    fn obey(&mut self, now: Time) -> bool {
        let mut obeyed = false;
        while let Some(order) = self.shared.orders.take() {
            obeyed = true;
            let at = now.max(self.played);
            self.played = at;
            // Who ordered sees what it did; but may have gone.
            match order {
                Order::Change { id, change, reply } => {
                    self.link.change(at, id, change, &mut self.recorder);
                    self.look();
                    let _ = reply.send(at);
                }
                Order::TakeBack { id, reply } => {
                    let was_on = self.link.take_back(at, id, &mut self.recorder);
                    self.look();
                    let _ = reply.send(was_on);
                }
                Order::Trigger { entry, at: due } => {
                    self.link.trigger(at, entry, due, &mut self.recorder);
                    self.look();
                }
            }
        }
        obeyed
    }

    /// Shows how the link is, if anybody looks.
    fn look(&self) {
        if self.recorder.monitor().is_some() {
            for direction in Direction::ALL {
                self.recorder.look(direction, &self.link.condition(direction));
            }
        }
    }

    /// There is nothing to do now; waits until there may be.
    fn rest(&mut self, now: Time, active: Time) -> Result<(), PlaneError> {
        if now >= self.compare_at {
            self.wall = self.clock.wall_clock();
            self.compare_at = now + COMPARE_CLOCKS;
            if self.recorder.monitor().is_some() {
                self.count_overruns()?;
            }
            return Ok(());
        }
        let next = self.link.poll_at().unwrap_or(Time::NEVER).min(self.look_at_parked);
        let margin = match self.pace {
            Pace::Precise => SPIN,
            Pace::Frugal | Pace::Virtual => Span::ZERO,
        };
        let left = next.since(self.clock.due(now)).saturating_sub(margin);
        if left.is_zero() || now.since(active) < margin {
            spin_loop();
            return Ok(());
        }
        if self.clock.is_near(left) {
            self.clock.linger();
            return Ok(());
        }
        self.sleep(next, left.min(COMPARE_CLOCKS))
    }

    /// Sleeps so long, or until then where the clock has an alarm, or until a packet comes or the plane is to stop.
    fn sleep(&self, until: Time, span: Span) -> Result<(), PlaneError> {
        let [to_server, to_client] = self.ports.each_ref().map(Port::as_fd);
        let alarm = self
            .clock
            .alarm_at(until)
            .map_err(|error| self.ports[0].failed(error))?;
        let timeout = match alarm {
            Some(_) => None,
            None => Some(TimeSpec::from_duration(std::time::Duration::from_nanos(span.as_ns()))),
        };
        let wake = self.shared.wake.as_fd();
        let mut wakers =
            [to_server, to_client, wake, alarm.unwrap_or(wake)].map(|fd| PollFd::new(fd, PollFlags::POLLIN));
        match ppoll(&mut wakers, timeout, None) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(self.ports[0].failed(error)),
        }
        for (waker, port) in wakers.iter().zip(&self.ports) {
            let broken = PollFlags::POLLERR | PollFlags::POLLHUP | PollFlags::POLLNVAL;
            if waker.revents().is_some_and(|events| events.intersects(broken)) {
                return Err(port.failed(Errno::ENETDOWN));
            }
        }
        if wakers[2].any() == Some(true) {
            // What woke it is looked at after this. Left as it is, the counter would end every sleep to come at once.
            let _ = self.shared.wake.read();
        }
        Ok(())
    }

    /// What has come until now is still taken in, what is due until now still sent.
    fn finish(mut self) -> Result<Recorder, PlaneError> {
        let now = self.clock.now();
        self.take_in(now);
        let end = now.max(self.played);
        self.release(end)?;
        self.recorder.log.until = end;
        self.recorder.log.replayed = self.link.replayed();
        self.recorder.log.unmet = self.link.unmet();
        self.count_overruns()?;
        if let Some(monitor) = self.recorder.monitor() {
            monitor.still();
        }
        Ok(self.recorder)
    }

    /// Counts what the kernel had no place for since this was last asked.
    fn count_overruns(&mut self) -> Result<(), PlaneError> {
        for direction in Direction::ALL {
            let port = &self.ports[direction as usize];
            let drops = port.drops().map_err(|source| port.failed(source))?;
            self.recorder.overrun(direction, drops);
        }
        Ok(())
    }
}
