//! A link by the kernel's own means that stands for days between two networks, whose hosts have it for their router.
//!
//! ```text
//!   in -nft-> [cut] -nft-> [queue] -nft-> [bits] -nft: outages, losses-> [delay, holds] -nft: to whom it is for-> out
//! ```
//!
//! Every stage is there from the start, so that a hand may change rate, delay, loss, hold and outage at any time. A
//! thread plays the model's own [`Link`] without packets: what happens to it, by its impairments, its script or a hand,
//! is done to the kernel's link by commands.

mod player;
mod shared;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::{self, JoinHandle};

use thiserror::Error;
use windlull_link::model::{Action, LinkModel};
use windlull_link::{ChangeId, Link, LiveChange};
use windlull_units::{Direction, Seed, Span};

use self::player::{Made, Player, Tables};
pub use self::shared::StandingError;
use self::shared::{CAUSES, Command, NAME, Shared};

use super::layout::Layout;
use super::path::{Order, PathPlan};
use super::plan::plan_by_hand;
use super::refusal::{LEAST_RATE_BPS, LONGEST, Reason};
use super::state::State;
use super::statistics::Counts;
use super::{Devices, Schedule, Tools, Unsupported, set_up, stages, tear_down};
use crate::Epoch;
use crate::gateway::Side;
use crate::model::{Cause, Monitor};

/// What the kernel counts is asked for no more often than this: each question is two processes.
const ASK_EVERY: Span = Span::from_ms(100);

/// A standing link by `tc` and `nft`. It is removed when it is dropped.
pub struct Standing {
    shared: Arc<Shared>,
    /// There until it stops.
    at_work: Option<AtWork>,
}

struct AtWork {
    orders: Sender<Command>,
    player: JoinHandle<Result<(), StandingError>>,
}

/// A change by hand that `tc` and `nft` cannot make.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{0}; the model plane can do it")]
pub struct CannotChange(pub Reason);

/// Whether the plane can play this link where a hand may change it.
///
/// # Errors
/// All parts that it cannot express, by name.
pub fn can_stand(model: &LinkModel) -> Result<(), Unsupported> {
    plan_by_hand(model).map(drop)
}

/// Lets a link stand on two devices of the calling thread's network namespace, as a gateway that hosts on either side
/// have for their router; `monitor` counts on from where it is. What a killed process left of the plane is removed.
///
/// # Errors
/// [`StandingError`]; nothing is left then.
pub fn stand(
    model: &LinkModel,
    seed: Seed,
    devices: &Devices,
    monitor: &Arc<Monitor>,
) -> Result<Standing, StandingError> {
    let side = |device: &String| {
        Side::of(device).map_err(|source| StandingError::Gateway {
            device: device.clone(),
            source,
        })
    };
    let sides = [side(&devices.to_server)?, side(&devices.to_client)?];
    let paths = plan_by_hand(model)?;
    let states = Direction::ALL.map(|direction| State::new(model, direction));
    let layout = Layout::gateway(devices, &sides);
    let schedule = schedule(&paths, &states, layout, seed);
    let tables = Tables::new()?;
    let tools = Tools::ready(&schedule, &tables.0)?;
    tear_down(&schedule, |step| tools.run(step));
    set_up(&schedule, |step| tools.run(step))?;
    let epoch = Epoch::begin();
    let shared = Arc::new(Shared {
        paths: paths.clone(),
        alive: AtomicBool::new(true),
        asked: RwLock::new(None),
        epoch,
    });
    let player = Player {
        made: Made {
            schedule,
            tools,
            _tables: tables,
        },
        link: Link::by_hand(model, seed),
        delays: [model.down.delay.clone(), model.up.delay.clone()],
        paths,
        states,
        devices: devices.clone(),
        sides,
        seed,
        turn: 0,
        counted: [Counts::default(); 2],
        monitor: Arc::clone(monitor),
        shared: Arc::clone(&shared),
    };
    let (orders, taken) = channel();
    let player = thread::Builder::new().name(NAME.to_owned()).spawn(move || {
        // Timers as exact as they come; without, changes are late by some more microseconds.
        let _ = nix::sys::prctl::set_timerslack(1);
        player.run(&taken)
    })?;
    Ok(Standing {
        shared,
        at_work: Some(AtWork { orders, player }),
    })
}

/// The commands that make a link that a hand may change, and remove it.
pub(crate) fn schedule(paths: &[PathPlan; 2], states: &[State; 2], layout: Layout<'_>, seed: Seed) -> Schedule {
    Schedule {
        tables: paths.iter().filter_map(|path| path.delay.table().cloned()).collect(),
        setup: stages::set_up(paths, states, layout, seed),
        timeline: Vec::new(),
        teardown: stages::tear_down(paths, layout),
        notes: Vec::new(),
        approximations: Vec::new(),
    }
}

impl Standing {
    /// Whether the plane can make this change.
    ///
    /// # Errors
    /// Why not.
    pub fn can(&self, change: &LiveChange) -> Result<(), CannotChange> {
        Direction::ALL
            .iter()
            .filter(|&&direction| change.direction.is_none_or(|only| only == direction))
            .try_for_each(|&direction| can_change(&self.shared.paths[direction as usize], &change.action))
            .map_err(CannotChange)
    }

    /// Changes the link now; `None` if it no longer stands. The number must not be in use, and the plane must be able
    /// to ([`Self::can`]).
    pub fn change(&self, id: ChangeId, change: LiveChange) -> Option<()> {
        let (reply, answer) = sync_channel(1);
        self.give(Command::Change { id, change, reply }, &answer)
    }

    /// Takes a change back now. Whether it was still in force; `None` if the link no longer stands.
    pub fn take_back(&self, id: ChangeId) -> Option<bool> {
        let (reply, answer) = sync_channel(1);
        self.give(Command::TakeBack { id, reply }, &answer)
    }

    /// Asks the kernel for its counts, so that the monitor has them, unless that was done a moment ago.
    pub fn count(&self) {
        let asked = *self.shared.asked.read().unwrap_or_else(PoisonError::into_inner);
        if asked.is_none_or(|asked| self.shared.epoch.now() >= asked + ASK_EVERY) {
            let (reply, answer) = sync_channel(1);
            // If it no longer stands, nobody counts.
            let _ = self.give(Command::Count { reply }, &answer);
        }
    }

    /// Whether it still stands; if not, [`Standing::stop`] says why.
    pub fn is_alive(&self) -> bool {
        self.shared.alive.load(Ordering::Acquire)
    }

    /// Removes it. What is inside is lost.
    ///
    /// # Errors
    /// If it had ended before, because a command failed.
    pub fn stop(mut self) -> Result<(), StandingError> {
        self.end()
    }

    fn end(&mut self) -> Result<(), StandingError> {
        let Some(AtWork { orders, player }) = self.at_work.take() else {
            return Ok(());
        };
        // Who has ended takes none.
        let _ = orders.send(Command::Stop);
        player.join().unwrap_or(Err(StandingError::Panicked))
    }

    fn give<T>(&self, order: Command, answer: &Receiver<T>) -> Option<T> {
        self.at_work.as_ref()?.orders.send(order).ok()?;
        // The thread answers, or drops the order when it ends.
        answer.recv().ok()
    }
}

impl Drop for Standing {
    fn drop(&mut self) {
        // Who drops it without a word does not ask how it went.
        let _ = self.end();
    }
}

fn can_change(path: &PathPlan, action: &Action) -> Result<(), Reason> {
    match action {
        Action::SetRate(rate) if rate.as_bps() < LEAST_RATE_BPS => Err(Reason::SlowRate(*rate)),
        Action::SetDelay(_) if path.order == Order::ByTime => Err(Reason::OvertakingRandomDelay),
        Action::SetDelay(delay) if *delay > LONGEST => Err(Reason::LongDelay(*delay)),
        _ => Ok(()),
    }
}

impl Standing {
    /// The causes of losses that this plane can tell.
    pub const CAUSES: [Cause; 4] = [CAUSES[0].0, CAUSES[1].0, CAUSES[2].0, CAUSES[3].0];
}

#[cfg(test)]
mod tests {
    use windlull_link::model::{Distribution, Impairment, ImpairmentKind, PathModel, Scope};

    use windlull_units::BitRate;

    use super::*;

    fn link() -> LinkModel {
        LinkModel::symmetric(PathModel::plain(None, Span::from_ms(20)))
    }

    fn paths(model: &LinkModel) -> [PathPlan; 2] {
        plan_by_hand(model).expect("it can be expressed")
    }

    #[test]
    fn what_tc_cannot_do_by_hand_is_refused_with_the_reason() {
        let [down, _] = paths(&link());
        let slow = BitRate::from_bps(500).expect("a rate");
        let cannot = |action| can_change(&down, &action).map_err(|reason| CannotChange(reason).to_string());
        assert_eq!(cannot(Action::Hold), Ok(()));
        assert_eq!(cannot(Action::SetLoss(0.5)), Ok(()));
        assert_eq!(cannot(Action::SetDelay(Span::from_secs(100))), Ok(()));
        let said = cannot(Action::SetRate(slow)).expect_err("HTB cannot");
        assert!(
            said.contains("1 kbit/s") && said.ends_with("the model plane can do it"),
            "{said}"
        );
        let said = cannot(Action::SetDelay(Span::from_secs(200))).expect_err("tc cannot");
        assert!(said.contains("137"), "{said}");
    }

    #[test]
    fn a_delay_cannot_be_set_where_packets_overtake_each_other() {
        let mut model = link();
        model.impairments.push(Impairment {
            name: "late".to_owned(),
            scope: Scope::Each,
            kind: ImpairmentKind::Reorder {
                probability: 0.1,
                by: Distribution::Constant(Span::from_ms(5)),
            },
        });
        let [down, _] = paths(&model);
        assert_eq!(
            can_change(&down, &Action::SetDelay(Span::from_ms(1))),
            Err(Reason::OvertakingRandomDelay)
        );
        assert_eq!(can_change(&down, &Action::SetLoss(0.1)), Ok(()));
    }
}
