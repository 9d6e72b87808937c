//! Either plane, started and stopped alike.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use windlull_link::model::LinkModel;
use windlull_netns::Namespace;
use windlull_plane::Epoch;
use windlull_plane::model::{self, Pace, PlaneError, Port};
use windlull_plane::netem::{
    self, Applied, Carriage, Devices, Fidelity, PlayError, Request, Schedule, ToolError, Tools, Unsupported,
};
use windlull_units::{Network, PlaneKind, Seed, Span};

/// The link and its random processes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Played<'a> {
    pub(crate) link: &'a LinkModel,
    pub(crate) seed: Seed,
    /// Who carries packets on the netem plane.
    pub(crate) carriage: Carriage,
    /// What becomes of what netem cannot express.
    pub(crate) fidelity: Fidelity,
}

/// A plane whose devices are ready.
pub(crate) enum Prepared {
    Model {
        to_server: Port,
        to_client: Port,
    },
    Netem {
        schedule: Schedule,
        tools: Tools,
        tables: tempfile::TempDir,
    },
}

/// A plane at work.
pub(crate) enum Running {
    Model(model::Running),
    Netem {
        stop: Arc<AtomicBool>,
        player: JoinHandle<io::Result<Result<Vec<Applied>, StepFailed>>>,
    },
}

type StepFailed = PlayError<ToolError>;

#[derive(Debug, thiserror::Error)]
pub(crate) enum PlaneFailed {
    #[error("cannot enter the router: {0}")]
    Router(#[from] io::Error),
    #[error(transparent)]
    Model(#[from] PlaneError),
    #[error("the plane lost {0} packets for lack of buffer space: the losses are not the link's alone")]
    Dropped(u64),
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error("{step}: {why}", step = .0, why = .0.source)]
    Step(#[from] StepFailed),
}

impl Prepared {
    /// Does what takes time before the clock of the run starts.
    pub(crate) fn new(
        kind: PlaneKind,
        played: Played<'_>,
        horizon: Span,
        router: &Namespace,
    ) -> Result<Self, PlaneFailed> {
        if kind == PlaneKind::Model {
            let open = |device| router.run(|| Port::open(device));
            let (to_server, to_client) = (open("to-server")??, open("to-client")??);
            return Ok(Self::Model { to_server, to_client });
        }
        let schedule = netem::compile_as(&Request {
            model: played.link,
            seed: played.seed,
            horizon,
            devices: &Devices::default(),
            carriage: played.carriage,
            network: Network::Ipv4,
            fidelity: played.fidelity,
        })?;
        let tables = tempfile::tempdir()?;
        let tools = Tools::ready(&schedule, tables.path())?;
        router.run(|| netem::set_up(&schedule, |step| tools.run(step)))??;
        Ok(Self::Netem {
            schedule,
            tools,
            tables,
        })
    }

    /// The link's time zero is the epoch.
    pub(crate) fn start(self, played: Played<'_>, epoch: Epoch, router: &Namespace) -> Result<Running, PlaneFailed> {
        match self {
            Self::Model { to_server, to_client } => {
                let setup = model::Setup {
                    link: played.link,
                    access: None,
                    crossing: &[],
                    network: Network::Ipv4,
                    seed: played.seed,
                    epoch,
                    // In virtual time no time passes while a program looks at the clock.
                    pace: Pace::Frugal,
                };
                Ok(Running::Model(model::start(setup, to_server, to_client)?))
            }
            Self::Netem {
                schedule,
                tools,
                tables,
            } => {
                let stop = Arc::new(AtomicBool::new(false));
                let until = Arc::clone(&stop);
                let player = router.spawn("netem-player", move || {
                    let _ = nix::sys::prctl::set_timerslack(1);
                    // Delay distributions are read again with each change.
                    let _tables = tables;
                    netem::play(&schedule, epoch, &until, |step| tools.run(step))
                })?;
                Ok(Running::Netem { stop, player })
            }
        }
    }
}

impl Running {
    /// Stops it; fails if what it did was not the link's doing alone. Its devices go with their namespaces.
    pub(crate) fn stop(self) -> Result<(), PlaneFailed> {
        match self {
            Self::Model(running) => match running.stop()?.accuracy.drops() {
                0 => Ok(()),
                some => Err(PlaneFailed::Dropped(some)),
            },
            Self::Netem { stop, player } => {
                stop.store(true, Ordering::Relaxed);
                player.join().expect("playing a schedule does not panic")??;
                Ok(())
            }
        }
    }
}
