//! What carries the packets of a run, made ready, at work, and what it leaves.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::{io, panic};

use serde::{Deserialize, Serialize};
use windlull_netns::{Namespace, RouterKind};
use windlull_plane::Epoch;
use windlull_plane::model::{self, Accuracy, Log, Monitor, Port};
use windlull_plane::netem::{self, Applied, Devices, PlayError, Schedule, ToolError, Tools};

use crate::part::LinkTask;
use crate::{LiveError, PlaneKind};

/// A plane whose sockets are open, or whose queueing disciplines are there.
pub(crate) enum Prepared {
    /// To the server, to the client.
    Model(Box<[Port; 2]>),
    Netem(Box<Netem>),
}

/// The kernel's own link.
pub(crate) struct Netem {
    schedule: Schedule,
    tools: Tools,
    router: Namespace,
}

/// A plane at work.
pub(crate) enum Plane {
    Model(model::Running),
    Netem {
        player: JoinHandle<io::Result<Result<Vec<Applied>, PlayError<ToolError>>>>,
        stop: Arc<AtomicBool>,
    },
}

/// What a plane leaves.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Played {
    /// The model's whole story.
    Model(Box<Log>),
    /// What was done to the kernel's link, and when.
    Netem(Vec<Applied>),
}

impl Played {
    /// How exactly it was played, where the plane knows.
    pub(crate) fn accuracy(&self) -> Option<&Accuracy> {
        match self {
            Self::Model(log) => Some(&log.accuracy),
            Self::Netem(_) => None,
        }
    }

    /// How late a change of the kernel's link may have taken effect, ns each.
    pub(crate) fn steps_late_ns(&self) -> Vec<u64> {
        match self {
            Self::Model(_) => Vec::new(),
            Self::Netem(applied) => applied
                .iter()
                .map(|step| step.done.since(step.planned).as_ns())
                .collect(),
        }
    }
}

/// Who must carry packets through the router.
pub(crate) const fn router(kind: PlaneKind) -> RouterKind {
    match kind {
        PlaneKind::Model => RouterKind::Userspace,
        PlaneKind::Netem => RouterKind::Forwarding,
    }
}

/// Makes ready what the plane needs in the router.
pub(crate) fn prepare(
    task: &LinkTask,
    router: &Namespace,
    devices: &Devices,
    scratch: &Path,
) -> Result<Prepared, LiveError> {
    let port = |device: &str| router.run(|| Port::open(device)).map_err(failed)?.map_err(failed);
    match task.plane {
        PlaneKind::Model => {
            let ports = [port(&devices.to_server)?, port(&devices.to_client)?];
            Ok(Prepared::Model(Box::new(ports)))
        }
        PlaneKind::Netem => {
            let schedule = netem::compile(&task.link, task.seed, task.horizon, devices)
                .map_err(|error| LiveError::Unsupported(error.to_string()))?;
            let tools = Tools::ready(&schedule, scratch).map_err(failed)?;
            router
                .run(|| netem::set_up(&schedule, |step| tools.run(step)))
                .map_err(failed)?
                .map_err(|error| LiveError::Plane(format!("{error}: {}", error.source)))?;
            Ok(Prepared::Netem(Box::new(Netem {
                schedule,
                tools,
                router: router.clone(),
            })))
        }
    }
}

impl Prepared {
    /// Starts the link: its time is the epoch's. `monitor` counts what the model does.
    pub(crate) fn start(
        self,
        task: &LinkTask,
        epoch: Epoch,
        monitor: Option<Arc<Monitor>>,
    ) -> Result<Plane, LiveError> {
        match self {
            Self::Model(ports) => {
                let [to_server, to_client] = *ports;
                let plane = model::Setup {
                    link: &task.link,
                    seed: task.seed,
                    epoch,
                    pace: task.pace,
                };
                match monitor {
                    Some(monitor) => model::start_watched(plane, to_server, to_client, monitor),
                    None => model::start(plane, to_server, to_client),
                }
                .map(Plane::Model)
                .map_err(failed)
            }
            Self::Netem(netem) => {
                let Netem {
                    schedule,
                    tools,
                    router,
                } = *netem;
                let stop = Arc::new(AtomicBool::new(false));
                let stopped = Arc::clone(&stop);
                let player = router
                    .spawn("netem", move || {
                        netem::play(&schedule, epoch, &stopped, |step| tools.run(step))
                    })
                    .map_err(failed)?;
                Ok(Plane::Netem { player, stop })
            }
        }
    }
}

impl Plane {
    /// Whether no packet is in the link, as of a moment ago, if it tells.
    pub(crate) fn is_empty(&self) -> Option<bool> {
        match self {
            Self::Model(running) => Some(running.packets_inside() == 0),
            Self::Netem { .. } => None,
        }
    }

    /// Whether it still carries packets as it should.
    pub(crate) fn is_alive(&self) -> bool {
        match self {
            Self::Model(running) => running.is_alive(),
            // Its timeline may be over; the kernel's link stays as it is then.
            Self::Netem { .. } => true,
        }
    }

    /// Ends it.
    pub(crate) fn stop(self) -> Result<Played, LiveError> {
        match self {
            Self::Model(running) => running.stop().map(|log| Played::Model(Box::new(log))).map_err(failed),
            Self::Netem { player, stop } => {
                stop.store(true, Ordering::Relaxed);
                let played = player.join().unwrap_or_else(|panic| panic::resume_unwind(panic));
                played
                    .map_err(failed)?
                    .map(Played::Netem)
                    .map_err(|error| LiveError::Plane(format!("{error}: {}", error.source)))
            }
        }
    }
}

fn failed(error: impl std::error::Error) -> LiveError {
    LiveError::Plane(error.to_string())
}
