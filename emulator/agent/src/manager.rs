//! Keeps the two devices: for the standing link, or lent to a run.
//!
//! ```text
//!              lend                     end
//!   Standing <------> Lent     any ----------> Ended
//!       |  give back    |
//!       +---> Failed <--+   a device no longer works
//! ```

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;
use thiserror::Error;
use windlull_link::ChangeId;
use windlull_link::model::Action;
use windlull_plane::lend::{Ended, LendError};
use windlull_plane::model::{Cause, Monitor, Pace, Reading, Visible};
use windlull_plane::netem::Devices;
use windlull_profile::Complaint;
use windlull_units::{Direction, PlaneKind, Seed};

use crate::answer::{LinkAnswer, Named, PlaneAnswer, WayAnswer};
use crate::changes::{ChangeAnswer, Kind, Wanted};
use crate::history::{History, HistoryAnswer};
use crate::kept::{Keeper, Kept, KeptChange};
use crate::logs;
use crate::opening::Opening;
use crate::plane::{NoPlane, Planes, StandError, Stands, Wish};
use crate::profile::Profile;

/// Changes that may be in force at once.
const MOST_CHANGES: usize = 1_000;

/// Plays the standing link on the devices, and lends them to runs.
pub(crate) struct DeviceManager {
    pub(crate) monitor: Arc<Monitor>,
    /// Made by hand, by [`Kind::ALL`].
    pub(crate) changed: [AtomicU64; Kind::ALL.len()],
    /// Runs that had the devices, by [`Ended::ALL`].
    pub(crate) runs: [AtomicU64; Ended::ALL.len()],
    pub(crate) devices: Devices,
    pub(crate) visible: Arc<Visible>,
    history: History,
    pace: Pace,
    planes: Planes,
    keeper: Keeper,
    start: Start,
    state: Mutex<State>,
}

/// How this process began.
struct Start {
    at: SystemTime,
    restored: bool,
    lost: Option<String>,
}

/// A manager that was opened, and the changes that were in force before a restart: [`DeviceManager::restore`] makes them again.
pub(crate) struct Opened {
    pub(crate) manager: Arc<DeviceManager>,
    pub(crate) changes: Vec<KeptChange>,
}

struct State {
    link: Profile,
    seed: Seed,
    plane: PlaneKind,
    holder: Holder,
    since: SystemTime,
    /// Counts when the link began to stand, or the run to have the devices.
    before: [Reading; 2],
    changes: Vec<InForce>,
    /// Changes by hand that wait for the end of a run.
    waiting: Vec<KeptChange>,
    changes_made: u64,
    parts_made: u64,
}

/// Who has the devices.
enum Holder {
    Standing(Stands),
    Lent { run: String },
    Failed { why: String },
    Ended,
}

/// A change by hand, and what the link was told for it.
struct InForce {
    answer: ChangeAnswer,
    until: Option<SystemTime>,
    parts: Vec<ChangeId>,
}

/// Why a link cannot be replaced or changed.
#[derive(Debug, Error)]
pub(crate) enum ManagerError {
    #[error("run {run} uses the devices; wait until it has released them")]
    Lent { run: String },
    #[error("there is no change {id} in force")]
    NoChange { id: u64 },
    #[error("{MOST_CHANGES} changes are in force; take some back first")]
    TooMany,
    #[error(transparent)]
    Plane(#[from] NoPlane),
    #[error("{why}")]
    CannotChange { key: &'static str, why: String },
    #[error("the link is not set up: {why}")]
    Down { why: String },
    #[error("done, but it will not survive a restart: cannot save the link's state: {source}")]
    NotKept { source: io::Error },
}

/// What the metrics tell of the manager.
pub(crate) struct Glance {
    pub(crate) link: String,
    pub(crate) plane: PlaneKind,
    pub(crate) lent: bool,
    /// When the process began, in seconds since 1970.
    pub(crate) started_s: f64,
    /// Whether what stood before the last restart could not be restored.
    pub(crate) lost: bool,
}

impl DeviceManager {
    /// Opens the devices, and lets the link stand on them.
    pub(crate) fn open(devices: Devices, opening: Opening, pace: Pace) -> Result<Opened, StandError> {
        let monitor = Arc::new(Monitor::default());
        let visible = Arc::new(Visible::default());
        let wish = Wish {
            plane: opening.plane,
            link: &opening.link.model,
            seed: opening.seed,
            pace,
        };
        let standing = Stands::on(&devices, wish, &monitor, &visible)?;
        let now = SystemTime::now();
        let manager = Arc::new(Self {
            monitor,
            changed: Default::default(),
            runs: Default::default(),
            devices,
            visible,
            history: History::default(),
            pace,
            planes: opening.planes,
            keeper: opening.keeper,
            start: Start {
                at: now,
                restored: opening.restored,
                lost: opening.lost,
            },
            state: Mutex::new(State {
                link: opening.link,
                seed: opening.seed,
                plane: opening.plane,
                holder: Holder::Standing(standing),
                since: now,
                before: [Reading::default(); 2],
                changes: Vec::new(),
                waiting: Vec::new(),
                changes_made: 0,
                parts_made: 0,
            }),
        });
        Ok(Opened {
            manager,
            changes: opening.changes,
        })
    }

    /// Makes changes again that were in force before a restart. One that is no longer understood is told; the others
    /// are in force.
    pub(crate) fn restore(&self, changes: &[KeptChange]) {
        self.make_again(&mut self.state(), changes);
    }

    fn make_again(&self, state: &mut State, changes: &[KeptChange]) {
        let now = SystemTime::now();
        for asked in changes.iter().filter_map(|change| change.at(now)) {
            let done = match asked.understood() {
                Ok(wanted) => self.apply(state, &wanted).map(drop).map_err(|error| error.to_string()),
                Err(complaints) => Err(complaints.iter().map(Complaint::text).collect::<Vec<_>>().join("; ")),
            };
            if let Err(why) = done {
                logs::say("error", "change-lost", json!({ "why": why }));
            }
        }
        self.keep_or_say(state);
    }

    pub(crate) fn show(&self) -> LinkAnswer {
        let mut state = self.state();
        state.forget_what_is_over();
        let causes = match &state.holder {
            Holder::Standing(standing) => {
                standing.count();
                standing.causes()
            }
            _ => &Cause::ALL,
        };
        let ways = self.readings();
        let way =
            |direction: Direction| WayAnswer::of(&ways[direction as usize], &state.before[direction as usize], causes);
        LinkAnswer {
            link: Named {
                name: state.link.name.clone(),
                title: state.link.title.clone(),
            },
            seed: state.seed,
            plane: state.plane,
            planes: PlaneAnswer::all(self.planes.without_netem.as_deref()),
            since: logs::rfc3339(state.since),
            started: logs::rfc3339(self.start.at),
            restored: self.start.restored,
            lost: self.start.lost.clone(),
            state: state.holder.name(),
            run: match &state.holder {
                Holder::Lent { run } => Some(run.clone()),
                _ => None,
            },
            changes: state.changes.iter().map(|change| change.answer.clone()).collect(),
            down: way(Direction::Down),
            up: way(Direction::Up),
        }
    }

    /// Adds how the link is now to its history.
    pub(crate) fn sample(&self) {
        self.history.sample(SystemTime::now(), &self.readings());
    }

    /// The history's samples later than so many milliseconds after 1970, and its marks.
    pub(crate) fn history(&self, after_ms: u64) -> HistoryAnswer {
        self.history.since(after_ms, self.start.at)
    }

    pub(crate) fn glance(&self) -> Glance {
        let state = self.state();
        Glance {
            link: state.link.name.clone(),
            plane: state.plane,
            lent: matches!(state.holder, Holder::Lent { .. }),
            started_s: self
                .start
                .at
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default()
                .as_secs_f64(),
            lost: self.start.lost.is_some(),
        }
    }

    /// Lets the monitor know what the plane has counted.
    pub(crate) fn count(&self) {
        if let Holder::Standing(standing) = &self.state().holder {
            standing.count();
        }
    }

    /// Lets another link stand; where nobody says on which plane, on the usual one. What is inside the one that stood is
    /// lost, and so are the changes by hand.
    pub(crate) fn replace(&self, link: Profile, seed: Seed, plane: Option<PlaneKind>) -> Result<(), ManagerError> {
        let mut state = self.state();
        state.standing()?;
        let plane = plane.unwrap_or_else(|| self.planes.usual_here());
        self.planes.can_play(plane, &link.model)?;
        logs::info(
            "link",
            json!({ "link": link.name, "title": link.title, "seed": seed, "plane": plane.name() }),
        );
        (state.link, state.seed, state.plane) = (link, seed, plane);
        self.stop(&mut state);
        self.stand_again(&mut state);
        state.standing()?;
        self.keep(&state)
    }

    /// Changes the link that stands.
    pub(crate) fn change(&self, wanted: &Wanted) -> Result<ChangeAnswer, ManagerError> {
        let mut state = self.state();
        let answer = self.apply(&mut state, wanted)?;
        self.keep(&state)?;
        Ok(answer)
    }

    fn apply(&self, state: &mut State, wanted: &Wanted) -> Result<ChangeAnswer, ManagerError> {
        state.forget_what_is_over();
        state.standing()?;
        if state.changes.len() >= MOST_CHANGES {
            return Err(ManagerError::TooMany);
        }
        for part in &wanted.parts {
            state
                .standing()?
                .can(part)
                .map_err(|cannot| ManagerError::CannotChange {
                    key: match part.action {
                        Action::SetRate(_) => "set.rate",
                        Action::SetDelay(_) => "set.delay",
                        _ => "kind",
                    },
                    why: cannot.to_string(),
                })?;
        }
        let mut parts = Vec::new();
        for part in &wanted.parts {
            state.parts_made += 1;
            let id = ChangeId(state.parts_made);
            state
                .standing()?
                .change(id, part.clone())
                .ok_or_else(ManagerError::gone)?;
            parts.push(id);
        }
        let since = SystemTime::now();
        let until = wanted.lasts.map(|lasts| since + Duration::from_nanos(lasts.as_ns()));
        state.changes_made += 1;
        let answer = ChangeAnswer::new(state.changes_made, wanted, since, until);
        self.history.changed(&answer, since, until);
        state.changes.push(InForce {
            answer: answer.clone(),
            until,
            parts,
        });
        self.changed[wanted.kind as usize].fetch_add(1, Ordering::Relaxed);
        logs::info("change", json!({ "change": answer }));
        Ok(answer)
    }

    pub(crate) fn take_back(&self, id: u64) -> Result<(), ManagerError> {
        let mut state = self.state();
        state.forget_what_is_over();
        state.standing()?;
        let place = state.changes.iter().position(|change| change.answer.id == id);
        let place = place.ok_or(ManagerError::NoChange { id })?;
        state.take_back(place, &self.history)?;
        self.keep(&state)
    }

    /// Takes all changes back, the last one first.
    pub(crate) fn take_all_back(&self) -> Result<(), ManagerError> {
        let mut state = self.state();
        state.standing()?;
        while let Some(last) = state.changes.len().checked_sub(1) {
            state.take_back(last, &self.history)?;
        }
        self.keep(&state)
    }

    /// Whether everything works; if not, why.
    pub(crate) fn check(&self) -> Result<(), String> {
        let mut state = self.state();
        if matches!(&state.holder, Holder::Standing(standing) if !standing.is_alive()) {
            self.stop(&mut state);
        }
        match &state.holder {
            Holder::Failed { why } => Err(why.clone()),
            _ => Ok(()),
        }
    }

    /// Stops the link that stands. Nothing is lent any more.
    pub(crate) fn end(&self) {
        let mut state = self.state();
        self.stop(&mut state);
        state.holder = Holder::Ended;
    }

    /// Stops the link that stands; the devices are the run's. What was changed by hand waits until they are given back.
    pub(crate) fn lend(&self, run: &str) -> Result<(), LendError> {
        let mut state = self.state();
        match &state.holder {
            Holder::Lent { run } => return Err(LendError::Lent { run: run.clone() }),
            Holder::Ended => return Err(LendError::Ending),
            Holder::Standing(_) | Holder::Failed { .. } => {}
        }
        state.forget_what_is_over();
        let changes = state.kept_changes();
        self.stop(&mut state);
        if let Holder::Failed { why } = &state.holder {
            return Err(LendError::Down { why: why.clone() });
        }
        state.waiting = changes;
        logs::info("run-began", json!({ "run": run }));
        state.since = SystemTime::now();
        state.before = self.readings();
        self.history.link(state.since, &state.link.name, Some(run));
        state.holder = Holder::Lent { run: run.to_owned() };
        self.keep_or_say(&state);
        Ok(())
    }

    /// The devices are nobody's any more; the link stands again.
    pub(crate) fn give_back(&self, ended: Ended) {
        let mut state = self.state();
        if let Holder::Lent { run } = &state.holder {
            logs::info("run-ended", json!({ "run": run, "outcome": ended.name() }));
            self.runs[ended as usize].fetch_add(1, Ordering::Relaxed);
            self.stand_again(&mut state);
            let changes = std::mem::take(&mut state.waiting);
            self.make_again(&mut state, &changes);
        }
    }

    /// Stops the link that stands, if one does; nobody has the devices then.
    fn stop(&self, state: &mut State) {
        state.changes.clear();
        if !matches!(state.holder, Holder::Standing(_)) {
            return;
        }
        if let Holder::Standing(standing) = std::mem::replace(&mut state.holder, Holder::Ended) {
            if let Err(error) = standing.stop() {
                state.fail(&error);
            }
        }
    }

    fn stand_again(&self, state: &mut State) {
        if matches!(state.holder, Holder::Failed { .. }) {
            return;
        }
        state.since = SystemTime::now();
        state.before = self.readings();
        self.history.link(state.since, &state.link.name, None);
        let wish = Wish {
            plane: state.plane,
            link: &state.link.model,
            seed: state.seed,
            pace: self.pace,
        };
        match Stands::on(&self.devices, wish, &self.monitor, &self.visible) {
            Ok(standing) => state.holder = Holder::Standing(standing),
            Err(error) => state.fail(&error),
        }
    }

    /// Writes down what stands, where nobody waits for it.
    fn keep_or_say(&self, state: &State) {
        if let Err(error) = self.keep(state) {
            logs::say("error", "link-not-kept", json!({ "why": error.to_string() }));
        }
    }

    /// Writes down what stands.
    fn keep(&self, state: &State) -> Result<(), ManagerError> {
        let mut changes = state.kept_changes();
        changes.extend(state.waiting.iter().cloned());
        let kept = Kept::new(state.link.source.clone(), state.seed, state.plane, changes);
        self.keeper
            .keep(&kept)
            .map_err(|source| ManagerError::NotKept { source })
    }

    fn readings(&self) -> [Reading; 2] {
        Direction::ALL.map(|direction| self.monitor.read(direction))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn standing(&self) -> Result<&Stands, ManagerError> {
        match &self.holder {
            Holder::Standing(standing) => Ok(standing),
            Holder::Lent { run } => Err(ManagerError::Lent { run: run.clone() }),
            Holder::Failed { why } => Err(ManagerError::Down { why: why.clone() }),
            Holder::Ended => Err(ManagerError::Down {
                why: "the emulator is shutting down".to_owned(),
            }),
        }
    }

    fn take_back(&mut self, place: usize, history: &History) -> Result<(), ManagerError> {
        let change = self.changes.remove(place);
        history.taken_back(change.answer.id, SystemTime::now());
        for part in change.parts {
            self.standing()?.take_back(part).ok_or_else(ManagerError::gone)?;
        }
        logs::info("change-taken-back", json!({ "id": change.answer.id }));
        Ok(())
    }

    fn kept_changes(&self) -> Vec<KeptChange> {
        let kept = |InForce { answer, until, .. }: &InForce| {
            KeptChange::new(answer.kind, answer.direction, answer.set.clone(), *until)
        };
        self.changes.iter().map(kept).collect()
    }

    fn forget_what_is_over(&mut self) {
        let now = SystemTime::now();
        self.changes
            .retain(|change| change.until.is_none_or(|until| until > now));
    }

    fn fail(&mut self, error: &StandError) {
        let why = error.to_string();
        logs::say("error", "link-failed", json!({ "why": why }));
        self.holder = Holder::Failed { why };
    }
}

impl Holder {
    const fn name(&self) -> &'static str {
        match self {
            Self::Standing(_) => "standing",
            Self::Lent { .. } => "lent",
            Self::Failed { .. } => "failed",
            Self::Ended => "ended",
        }
    }
}

impl ManagerError {
    fn gone() -> Self {
        Self::Down {
            why: "it has just stopped".to_owned(),
        }
    }
}
