//! The thread of a standing link: it plays the link without packets, and has commands done for what happens to it.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use std::{env, fs, io};

use windlull_link::model::Distribution;
use windlull_link::{Link, NoPacket};
use windlull_units::{Bytes, Direction, LinkEvent, Seed, Span};

use super::super::layout::Layout;
use super::super::path::PathPlan;
use super::super::state::{self, Seen, State};
use super::super::statistics::{self, Counts};
use super::super::{Devices, PlayError, Schedule, Step, ToolError, Tools, stages, tear_down};
use super::{CAUSES, Command, Shared, StandingError};
use crate::gateway::Side;
use crate::model::Monitor;

pub(super) struct Player {
    pub(super) made: Made,
    pub(super) link: Link<NoPacket>,
    /// The model's own, down and up.
    pub(super) delays: [Distribution<Span>; 2],
    pub(super) paths: [PathPlan; 2],
    pub(super) states: [State; 2],
    pub(super) devices: Devices,
    pub(super) sides: [Side; 2],
    pub(super) seed: Seed,
    /// How many changes were made.
    pub(super) turn: usize,
    pub(super) counted: [Counts; 2],
    pub(super) monitor: Arc<Monitor>,
    pub(super) shared: Arc<Shared>,
}

impl Player {
    pub(super) fn run(mut self, orders: &Receiver<Command>) -> Result<(), StandingError> {
        let ended = self.play(orders);
        // How much it carried at last, if that can still be read.
        let _ = self.count();
        self.monitor.still();
        self.shared.alive.store(false, Ordering::Release);
        ended
    }

    fn play(&mut self, orders: &Receiver<Command>) -> Result<(), StandingError> {
        loop {
            self.turn_to_now()?;
            let order = match self.link.poll_at() {
                None => orders.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(next) => {
                    let left = next.since(self.shared.epoch.now());
                    orders.recv_timeout(Duration::from_nanos(left.as_ns()))
                }
            };
            match order {
                Ok(Command::Change { id, change, reply }) => {
                    let mut seen = Seen::default();
                    self.link.change(self.shared.epoch.now(), id, change, &mut seen);
                    self.follow(&seen)?;
                    let _ = reply.send(());
                }
                Ok(Command::TakeBack { id, reply }) => {
                    let mut seen = Seen::default();
                    let was_on = self.link.take_back(self.shared.epoch.now(), id, &mut seen);
                    self.follow(&seen)?;
                    let _ = reply.send(was_on);
                }
                Ok(Command::Count { reply }) => {
                    // What cannot be read now is read later; the link goes on.
                    let _ = self.count();
                    let _ = reply.send(());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Ok(Command::Stop) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }

    fn turn_to_now(&mut self) -> Result<(), StandingError> {
        let mut seen = Seen::default();
        self.link.advance(self.shared.epoch.now(), &mut seen);
        self.follow(&seen)
    }

    /// Does to the kernel's link what has happened to the played one.
    fn follow(&mut self, seen: &Seen) -> Result<(), StandingError> {
        let mut after = self.states.clone();
        state::follow(&mut after, seen, &self.link, &self.delays);
        for event in &seen.0 {
            if let LinkEvent::HoldBegan { direction, .. } = event {
                self.monitor.hold_began(*direction);
            }
        }
        if after != self.states {
            self.turn += 1;
            let layout = Layout::gateway(&self.devices, &self.sides);
            for path in &self.paths {
                let way = path.direction as usize;
                let seed = stages::seed_of(self.seed, path.direction, self.turn);
                for step in stages::change(path, &self.states[way], &after[way], layout, seed) {
                    done(&self.made.tools, &step)?;
                }
            }
            self.states = after;
        }
        self.look();
        Ok(())
    }

    /// Shows how the link is, with what waited in it when the kernel was last asked.
    fn look(&self) {
        for direction in Direction::ALL {
            let counted = &self.counted[direction as usize];
            let mut condition = self.link.condition(direction);
            condition.queued_packets = counted.queued_packets;
            condition.queued_octets = Bytes::new(counted.queued_octets);
            self.monitor.look(direction, &condition, counted.inside);
        }
    }

    fn count(&mut self) -> Result<(), ToolError> {
        let now = statistics::read(&self.made.tools)?;
        for direction in Direction::ALL {
            let (now, before) = (&now[direction as usize], &self.counted[direction as usize]);
            let since = |of: fn(&Counts) -> u64| of(now).saturating_sub(of(before));
            self.monitor
                .carried(direction, since(|it| it.packets), since(|it| it.octets));
            for (cause, of) in CAUSES {
                self.monitor.dropped(direction, cause, since(of));
            }
        }
        self.counted = now;
        self.look();
        let mut asked = self.shared.asked.write().unwrap_or_else(PoisonError::into_inner);
        *asked = Some(self.shared.epoch.now());
        Ok(())
    }
}

fn done(tools: &Tools, step: &Step) -> Result<(), StandingError> {
    tools.run(step).map_err(|source| {
        StandingError::Step(PlayError {
            step: step.clone(),
            source,
        })
    })
}

/// A directory for the tables of delays.
pub(super) struct Tables(pub(super) PathBuf);

impl Tables {
    pub(super) fn new() -> io::Result<Self> {
        let place = env::temp_dir().join(format!("windlull-netem-link-{}", std::process::id()));
        fs::create_dir_all(&place)?;
        Ok(Self(place))
    }
}

impl Drop for Tables {
    fn drop(&mut self) {
        // One that stays does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What is there in the kernel. Dropped, it is removed.
pub(super) struct Made {
    pub(super) schedule: Schedule,
    pub(super) tools: Tools,
    /// Read again with each change.
    pub(super) _tables: Tables,
}

impl Drop for Made {
    fn drop(&mut self) {
        tear_down(&self.schedule, |step| self.tools.run(step));
    }
}
