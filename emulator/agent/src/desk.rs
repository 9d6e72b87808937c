//! Who has the two devices: the standing link, or a run.
//!
//! ```text
//!              lend                     end
//!   Standing <------> Lent     any ----------> Ended
//!       |  give back    |
//!       +---> Failed <--+   a device no longer works
//! ```

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use serde_json::json;
use thiserror::Error;
use windlull_link::ChangeId;
use windlull_plane::Epoch;
use windlull_plane::lend::{Ended, LendError};
use windlull_plane::model::{self, Monitor, Pace, PlaneError, Port, Reading, Standing};
use windlull_plane::netem::Devices;
use windlull_units::{Direction, Seed};

use crate::answer::{LinkAnswer, Named, WayAnswer};
use crate::changes::{Kind, Told, Wanted};
use crate::logs;
use crate::profile::Profile;

/// Changes that may be in force at once.
const MOST_CHANGES: usize = 1_000;

/// Keeps the devices.
pub(crate) struct Desk {
    pub(crate) monitor: Arc<Monitor>,
    /// Made by hand, by [`Kind::ALL`].
    pub(crate) changed: [AtomicU64; Kind::ALL.len()],
    /// Runs that had the devices, by [`Ended::ALL`].
    pub(crate) runs: [AtomicU64; Ended::ALL.len()],
    pub(crate) devices: Devices,
    pace: Pace,
    state: Mutex<State>,
}

struct State {
    link: Profile,
    seed: Seed,
    holder: Holder,
    since: SystemTime,
    /// Counts when the link began to stand, or the run to have the devices.
    before: [Reading; 2],
    changes: Vec<InForce>,
    changes_made: u64,
    parts_made: u64,
}

/// Who has the devices.
enum Holder {
    Standing(Standing),
    Lent { run: String },
    Failed { why: String },
    Ended,
}

/// A change by hand, and what the link was told for it.
struct InForce {
    told: Told,
    until: Option<SystemTime>,
    parts: Vec<ChangeId>,
}

/// Why a link cannot be replaced or changed.
#[derive(Debug, Error)]
pub(crate) enum DeskError {
    #[error("run {run} has the devices; wait until it has given them back")]
    Lent { run: String },
    #[error("there is no change {id} in force")]
    NoChange { id: u64 },
    #[error("{MOST_CHANGES} changes are in force; take some back first")]
    TooMany,
    #[error("the link does not stand: {why}")]
    Down { why: String },
}

/// What the metrics tell of the desk.
pub(crate) struct Glance {
    pub(crate) link: String,
    pub(crate) lent: bool,
}

impl Desk {
    /// Opens the devices, and lets the link stand on them.
    pub(crate) fn open(devices: Devices, link: Profile, seed: Seed, pace: Pace) -> Result<Arc<Self>, PlaneError> {
        let monitor = Arc::new(Monitor::default());
        let standing = stand(&devices, &link, seed, pace, &monitor)?;
        Ok(Arc::new(Self {
            monitor,
            changed: Default::default(),
            runs: Default::default(),
            devices,
            pace,
            state: Mutex::new(State {
                link,
                seed,
                holder: Holder::Standing(standing),
                since: SystemTime::now(),
                before: [Reading::default(); 2],
                changes: Vec::new(),
                changes_made: 0,
                parts_made: 0,
            }),
        }))
    }

    /// How the link is.
    pub(crate) fn show(&self) -> LinkAnswer {
        let mut state = self.state();
        state.forget_what_is_over();
        let ways = self.readings();
        let way = |direction: Direction| WayAnswer::of(&ways[direction as usize], &state.before[direction as usize]);
        LinkAnswer {
            link: Named {
                name: state.link.name.clone(),
                title: state.link.title.clone(),
            },
            seed: state.seed,
            plane: "model",
            since: logs::rfc3339(state.since),
            state: state.holder.name(),
            run: match &state.holder {
                Holder::Lent { run } => Some(run.clone()),
                _ => None,
            },
            changes: state.changes.iter().map(|change| change.told.clone()).collect(),
            down: way(Direction::Down),
            up: way(Direction::Up),
        }
    }

    pub(crate) fn glance(&self) -> Glance {
        let state = self.state();
        Glance {
            link: state.link.name.clone(),
            lent: matches!(state.holder, Holder::Lent { .. }),
        }
    }

    /// Lets another link stand. What is inside the one that stood is lost, and so are the changes by hand.
    pub(crate) fn replace(&self, link: Profile, seed: Seed) -> Result<(), DeskError> {
        let mut state = self.state();
        state.standing()?;
        logs::info("link", json!({ "link": link.name, "title": link.title, "seed": seed }));
        (state.link, state.seed) = (link, seed);
        self.stop(&mut state);
        self.stand_again(&mut state);
        state.standing().map(drop)
    }

    /// Changes the link that stands.
    pub(crate) fn change(&self, wanted: &Wanted) -> Result<Told, DeskError> {
        let mut state = self.state();
        state.forget_what_is_over();
        state.standing()?;
        if state.changes.len() >= MOST_CHANGES {
            return Err(DeskError::TooMany);
        }
        let mut parts = Vec::new();
        for part in &wanted.parts {
            state.parts_made += 1;
            let id = ChangeId(state.parts_made);
            state.standing()?.change(id, part.clone()).ok_or_else(DeskError::gone)?;
            parts.push(id);
        }
        let since = SystemTime::now();
        let until = wanted.lasts.map(|lasts| since + Duration::from_nanos(lasts.as_ns()));
        state.changes_made += 1;
        let told = Told::new(state.changes_made, wanted, since, until);
        state.changes.push(InForce {
            told: told.clone(),
            until,
            parts,
        });
        self.changed[wanted.kind as usize].fetch_add(1, Ordering::Relaxed);
        logs::info("change", json!({ "change": told }));
        Ok(told)
    }

    /// Takes a change back.
    pub(crate) fn take_back(&self, id: u64) -> Result<(), DeskError> {
        let mut state = self.state();
        state.forget_what_is_over();
        state.standing()?;
        let place = state.changes.iter().position(|change| change.told.id == id);
        let place = place.ok_or(DeskError::NoChange { id })?;
        state.take_back(place)
    }

    /// Takes all changes back, the last one first.
    pub(crate) fn take_all_back(&self) -> Result<(), DeskError> {
        let mut state = self.state();
        state.standing()?;
        while let Some(last) = state.changes.len().checked_sub(1) {
            state.take_back(last)?;
        }
        Ok(())
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

    /// Stops the link that stands; the devices are the run's.
    pub(crate) fn lend(&self, run: &str) -> Result<(), LendError> {
        let mut state = self.state();
        match &state.holder {
            Holder::Lent { run } => return Err(LendError::Lent { run: run.clone() }),
            Holder::Ended => return Err(LendError::Ending),
            Holder::Standing(_) | Holder::Failed { .. } => {}
        }
        self.stop(&mut state);
        if let Holder::Failed { why } = &state.holder {
            return Err(LendError::Down { why: why.clone() });
        }
        logs::info("run-began", json!({ "run": run }));
        state.since = SystemTime::now();
        state.before = self.readings();
        state.holder = Holder::Lent { run: run.to_owned() };
        Ok(())
    }

    /// The devices are nobody's any more; the link stands again.
    pub(crate) fn give_back(&self, ended: Ended) {
        let mut state = self.state();
        if let Holder::Lent { run } = &state.holder {
            logs::info("run-ended", json!({ "run": run, "outcome": ended.name() }));
            self.runs[ended as usize].fetch_add(1, Ordering::Relaxed);
            self.stand_again(&mut state);
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
        match stand(&self.devices, &state.link, state.seed, self.pace, &self.monitor) {
            Ok(standing) => state.holder = Holder::Standing(standing),
            Err(error) => state.fail(&error),
        }
    }

    fn readings(&self) -> [Reading; 2] {
        [Direction::Down, Direction::Up].map(|direction| self.monitor.read(direction))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens the devices and starts the link on them.
fn stand(
    devices: &Devices,
    link: &Profile,
    seed: Seed,
    pace: Pace,
    monitor: &Arc<Monitor>,
) -> Result<Standing, PlaneError> {
    let [to_server, to_client] = ports(devices)?;
    let setup = model::Setup {
        link: &link.model,
        seed,
        epoch: Epoch::begin(),
        pace,
    };
    model::stand(setup, to_server, to_client, monitor)
}

/// A gateway's port on either device.
pub(crate) fn ports(devices: &Devices) -> Result<[Port; 2], PlaneError> {
    Ok([Port::gateway(&devices.to_server)?, Port::gateway(&devices.to_client)?])
}

impl State {
    fn standing(&self) -> Result<&Standing, DeskError> {
        match &self.holder {
            Holder::Standing(standing) => Ok(standing),
            Holder::Lent { run } => Err(DeskError::Lent { run: run.clone() }),
            Holder::Failed { why } => Err(DeskError::Down { why: why.clone() }),
            Holder::Ended => Err(DeskError::Down {
                why: "the emulator ends".to_owned(),
            }),
        }
    }

    fn take_back(&mut self, place: usize) -> Result<(), DeskError> {
        let change = self.changes.remove(place);
        for part in change.parts {
            self.standing()?.take_back(part).ok_or_else(DeskError::gone)?;
        }
        logs::info("change-taken-back", json!({ "id": change.told.id }));
        Ok(())
    }

    fn forget_what_is_over(&mut self) {
        let now = SystemTime::now();
        self.changes
            .retain(|change| change.until.is_none_or(|until| until > now));
    }

    fn fail(&mut self, error: &PlaneError) {
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

impl DeskError {
    fn gone() -> Self {
        Self::Down {
            why: "it has just stopped".to_owned(),
        }
    }
}
