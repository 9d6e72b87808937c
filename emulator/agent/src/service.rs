//! The process from its start to its end.

use std::any::Any;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use windlull_plane::lend::Lender;
use windlull_profile::Problems;
use windlull_units::{Build, Pace, PlaneKind, Seed};

use crate::capture::Capturer;
use crate::captures::CaptureStore;
use crate::devices::{DeviceError, Side, make_ready};
use crate::history;
use crate::http::{App, Door, router};
use crate::kept::Keeper;
use crate::lending::DeviceLender;
use crate::logs;
use crate::manager::{DeviceManager, Opened};
use crate::opening::{Opening, first};
use crate::plane::{Planes, StandError};

/// How often is looked whether the link still works.
const LOOK: Duration = Duration::from_millis(500);
/// How long requests that are being answered may take when the process ends.
const GRACE: Duration = Duration::from_millis(300);

/// All that the process is asked for.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The device towards the server.
    pub server: Side,
    /// The device towards the client.
    pub client: Side,
    /// Where HTTP is served.
    pub listen: SocketAddr,
    /// The name of the link that stands where none was kept; `None`: one that does nothing.
    pub link: Option<String>,
    /// The plane that plays links of which nobody says on which.
    pub plane: PlaneKind,
    /// Why there is no netem plane, where there is none.
    pub without_netem: Option<String>,
    /// Where what stands is kept, so that it stands again after a restart; `None`: nowhere.
    pub state: Option<PathBuf>,
    /// Of that link's random streams.
    pub seed: Seed,
    /// How the link waits for what is due.
    pub pace: Pace,
    /// Where links are found by their names.
    pub profiles: Vec<PathBuf>,
    pub build: Build,
}

/// Why the process could not start, or ended before it was told to.
#[derive(Debug, Error)]
pub enum AgentError {
    /// The link that is to stand is wrong.
    #[error(transparent)]
    Link(#[from] Problems),
    /// The devices.
    #[error(transparent)]
    Devices(#[from] DeviceError),
    /// The link could not be started.
    #[error("the link: {0}")]
    Stand(#[from] StandError),
    /// The plane that was asked for cannot play the link.
    #[error("{0}")]
    Plane(String),
    /// The link no longer works.
    #[error("the link failed: {0}")]
    Failed(String),
    /// HTTP cannot be served.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        address: SocketAddr,
        /// What the kernel said.
        source: io::Error,
    },
    /// Orders of runs cannot be taken.
    #[error("{0}")]
    Orders(String),
    /// The machine would not.
    #[error("{0}")]
    Machine(#[from] io::Error),
}

/// Lets the link stand and serves requests until SIGTERM or SIGINT. `orders` starts what takes the orders of runs, if
/// anything does; it is dropped before the link ends. `capturer` takes captures of the link, which are kept below the
/// directory of [`Settings::state`].
///
/// # Errors
/// [`AgentError`]; nothing is left on the machine.
pub fn run(
    settings: &Settings,
    orders: impl FnOnce(Arc<dyn Lender>) -> Result<Option<Box<dyn Any>>, String>,
    capturer: Option<Box<dyn Capturer>>,
) -> Result<(), AgentError> {
    let first = first(&settings.profiles, settings.link.as_deref(), settings.seed)?;
    let planes = Planes {
        usual: settings.plane,
        without_netem: settings.without_netem.clone(),
    };
    let opening = Opening::of(Keeper(settings.state.clone()), planes, &settings.profiles, first)
        .map_err(|error| AgentError::Plane(error.to_string()))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // Signals first: who is told to end while it starts ends in order.
    let (mut terminated, mut interrupted) = {
        let _inside = runtime.enter();
        (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?)
    };
    let ready = make_ready(&settings.server, &settings.client)?;
    let listener = runtime
        .block_on(TcpListener::bind(settings.listen))
        .map_err(|source| AgentError::Listen {
            address: settings.listen,
            source,
        })?;
    let address = listener.local_addr()?;
    let (named, plane) = (opening.link.name.clone(), opening.plane);
    let (restored, lost) = (opening.restored, opening.lost.clone());
    let Opened { manager, changes } = DeviceManager::open(ready.devices.clone(), opening, settings.pace)?;
    let captures = CaptureStore::open(settings.state.as_deref(), capturer, Arc::clone(&manager.visible))?;
    let captures = Arc::new(captures);
    let serving = orders(Arc::new(DeviceLender(Arc::clone(&manager)))).map_err(AgentError::Orders)?;
    let app = App {
        manager: Arc::clone(&manager),
        captures: Arc::clone(&captures),
        build: settings.build,
        profiles: settings.profiles.clone(),
    };
    let door = Door {
        listener,
        networks: ready.networks.clone(),
    };
    logs::info(
        "started",
        json!({
            "version": settings.build.version, "commit": settings.build.commit, "listen": address.to_string(), "link": named, "plane": plane.name(), "restored": restored,
            "server_side": ready.devices.to_server, "client_side": ready.devices.to_client,
        }),
    );
    if let (PlaneKind::Netem, Some(why)) = (settings.plane, &settings.without_netem) {
        logs::say(
            "error",
            "plane-missing",
            json!({ "plane": PlaneKind::Netem.name(), "why": why }),
        );
    }
    if let Some(why) = lost {
        logs::say("error", "link-lost", json!({ "why": why }));
    }
    manager.restore(&changes);
    let ended = runtime.block_on(async {
        let (stop, stopped) = oneshot::channel::<()>();
        let server = axum::serve(door, router(Arc::new(app))).with_graceful_shutdown(async {
            let _ = stopped.await;
        });
        let server = tokio::spawn(server.into_future());
        let ended = tokio::select! {
            _ = terminated.recv() => Ok("SIGTERM"),
            _ = interrupted.recv() => Ok("SIGINT"),
            why = watch(&manager, &captures) => Err(AgentError::Failed(why)),
            never = sample(&manager) => match never {},
        };
        // Requests under way are answered; nobody else is let in.
        drop(stop);
        let _ = timeout(GRACE, server).await;
        ended
    });
    drop(serving);
    captures.end();
    manager.end();
    runtime.shutdown_background();
    logs::info("ended", json!({ "by": ended.as_ref().copied().unwrap_or("failure") }));
    ended.map(drop)
}

/// Looks after the link and the captures of it; says why when the link fails.
async fn watch(manager: &DeviceManager, captures: &CaptureStore) -> String {
    loop {
        captures.look();
        if let Err(why) = manager.check() {
            return why;
        }
        sleep(LOOK).await;
    }
}

/// Keeps the link's history.
async fn sample(manager: &Arc<DeviceManager>) -> Infallible {
    let mut ticks = interval(history::EVERY);
    // After a stall samples go on from then: those of the time before cannot be had any more.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let manager = Arc::clone(manager);
        // The netem plane is asked for its counts by processes, which requests are not to wait for.
        let sampled = spawn_blocking(move || {
            manager.count();
            manager.sample();
        });
        if let Err(error) = sampled.await {
            logs::say("error", "history-not-sampled", json!({ "why": error.to_string() }));
        }
    }
}
