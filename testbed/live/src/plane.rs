//! What carries the packets of a run, made ready, at work, and what it leaves.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use serde::{Deserialize, Serialize};
use windlull_netns::{Namespace, RouterKind, join};
use windlull_plane::Epoch;
use windlull_plane::model::{self, AccessSetup, Accuracy, Log, Monitor, Port, PortKind, Visible};
use windlull_plane::netem::{
    self, Applied, Carriage, Devices, Fidelity, PlayError, QueueCounts, Request, Schedule, ToolError, Tools,
};
use windlull_units::{Host, PlaneKind};

use crate::LiveError;
use crate::part::LinkTask;
use crate::ports::address_on;

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

/// What was changed at which time, or the step that failed.
type Timeline = Result<Vec<Applied>, PlayError<ToolError>>;

/// The kernel's own link while its timeline is played. Dropped, it is removed from its namespace, which may stay.
pub(crate) struct Playing {
    /// They stay for as long as this.
    stages: Arc<Netem>,
    stop: Arc<AtomicBool>,
    player: Option<JoinHandle<io::Result<Timeline>>>,
}

impl Netem {
    fn start(self, epoch: Epoch) -> io::Result<Playing> {
        let netem = Arc::new(self);
        let stop = Arc::new(AtomicBool::new(false));
        let (played, stopped) = (Arc::clone(&netem), Arc::clone(&stop));
        let player = netem.router.spawn("netem", move || {
            netem::play(&played.schedule, epoch, &stopped, |step| played.tools.run(step))
        })?;
        Ok(Playing {
            stages: netem,
            stop,
            player: Some(player),
        })
    }
}

impl Drop for Netem {
    fn drop(&mut self) {
        // If the namespace has gone, so have the stages.
        let _ = self
            .router
            .run(|| netem::tear_down(&self.schedule, |step| self.tools.run(step)));
    }
}

impl Playing {
    fn stop(mut self) -> Result<PlayedNetem, LiveError> {
        let applied = self
            .end()
            .unwrap_or(Ok(Ok(Vec::new())))
            .map_err(failed)?
            .map_err(|error| LiveError::Plane(format!("{error}: {}", error.source)))?;
        let Netem { router, tools, .. } = &*self.stages;
        let queues = router.run(|| netem::queue_counts(tools)).map_err(failed)?;
        Ok(PlayedNetem {
            applied,
            queues: queues.map_err(failed)?,
        })
    }

    fn end(&mut self) -> Option<io::Result<Timeline>> {
        self.stop.store(true, Ordering::Relaxed);
        let player = self.player.take()?;
        Some(join(player))
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        // Who drops it without a word does not ask how it went.
        let _ = self.end();
    }
}

pub(crate) enum Plane {
    Model(model::Running),
    Netem(Playing),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Played {
    /// The model's whole story.
    Model(Box<Log>),
    /// What was done to the kernel's link, and when.
    Netem(PlayedNetem),
}

/// What the kernel's link leaves.
#[derive(Serialize, Deserialize)]
pub(crate) struct PlayedNetem {
    /// Its changes, in order.
    pub(crate) applied: Vec<Applied>,
    /// What the disciplines of its queues have counted, down and up; none without a queue.
    pub(crate) queues: [Option<QueueCounts>; 2],
}

impl Played {
    /// How exactly it was played, where the plane knows.
    pub(crate) fn accuracy(&self) -> Option<&Accuracy> {
        match self {
            Self::Model(log) => Some(&log.accuracy),
            Self::Netem(_) => None,
        }
    }

    /// What the kernel's disciplines counted, if they had the queues.
    pub(crate) fn queues(&self) -> Option<&[Option<QueueCounts>; 2]> {
        match self {
            Self::Model(_) => None,
            Self::Netem(played) => Some(&played.queues),
        }
    }

    /// How late a change of the kernel's link may have taken effect, ns each.
    pub(crate) fn steps_late_ns(&self) -> Vec<u64> {
        match self {
            Self::Model(_) => Vec::new(),
            Self::Netem(played) => (played.applied.iter())
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

/// Where a link stands.
#[derive(Clone, Debug)]
pub(crate) struct LinkSite<'a> {
    pub(crate) router: &'a Namespace,
    pub(crate) devices: &'a Devices,
    /// Who carries packets on the netem plane.
    pub(crate) carriage: Carriage,
    /// What the link is to the hosts.
    pub(crate) kind: PortKind,
    /// Opens the model's ports, and shows captures what is sent there.
    pub(crate) visible: Arc<Visible>,
}

/// Makes ready what the plane needs in the router.
pub(crate) fn prepare(task: &LinkTask, site: &LinkSite<'_>, scratch: &Path) -> Result<Prepared, LiveError> {
    let (router, devices, kind) = (site.router, site.devices, site.kind);
    match task.plane {
        PlaneKind::Model => {
            let ports = router.run(|| site.visible.ports(devices, kind)).map_err(failed)?;
            Ok(Prepared::Model(Box::new(ports.map_err(failed)?)))
        }
        PlaneKind::Netem if kind == PortKind::Gateway => Err(LiveError::Unsupported(
            "commands of hosts that keep their addresses need the model plane (--plane model)".to_owned(),
        )),
        PlaneKind::Netem if task.access.is_some() || !task.crossing.is_empty() => Err(LiveError::Unsupported(
            "access links and packets at a constant rate need the model plane (--plane model)".to_owned(),
        )),
        PlaneKind::Netem => {
            let schedule = netem::compile_as(&Request {
                model: &task.link,
                seed: task.seed,
                horizon: task.horizon,
                devices,
                carriage: site.carriage,
                network: task.network,
                fidelity: Fidelity::Exact,
            })
            .map_err(|error| LiveError::Unsupported(error.to_string()))?;
            let tools = Tools::ready(&schedule, scratch).map_err(failed)?;
            // What a process left that was killed while it played a link here.
            router
                .run(|| netem::tear_down(&schedule, |step| tools.run(step)))
                .map_err(failed)?;
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
                let ports: Vec<u16> = (0..task.flows)
                    .map(|number| address_on(task.network, number, Host::Client).port())
                    .collect();
                let plane = model::Setup {
                    link: &task.link,
                    access: task.access.as_ref().map(|link| AccessSetup { link, ports: &ports }),
                    crossing: &task.crossing,
                    network: task.network,
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
            Self::Netem(netem) => netem.start(epoch).map(Plane::Netem).map_err(failed),
        }
    }
}

impl Plane {
    /// Whether no packet is in the link, as of a moment ago, if it tells.
    pub(crate) fn is_empty(&self) -> Option<bool> {
        match self {
            Self::Model(running) => Some(running.packets_inside() == 0),
            Self::Netem(_) => None,
        }
    }

    /// Whether it still carries packets as it should.
    pub(crate) fn is_alive(&self) -> bool {
        match self {
            Self::Model(running) => running.is_alive(),
            // Its timeline may be over; the kernel's link stays as it is then.
            Self::Netem(_) => true,
        }
    }

    pub(crate) fn stop(self) -> Result<Played, LiveError> {
        match self {
            Self::Model(running) => running.stop().map(|log| Played::Model(Box::new(log))).map_err(failed),
            Self::Netem(playing) => playing.stop().map(Played::Netem),
        }
    }
}

fn failed(error: impl std::error::Error) -> LiveError {
    LiveError::Plane(error.to_string())
}
