//! The model plane: the simulator's own link, on the packets of two devices.
//!
//! ```text
//!     to-server --ring--> Link<Frame> --sendmmsg--> to-client        Direction::Down
//!     to-server <--sendmmsg-- Link<Frame> <--ring-- to-client        Direction::Up
//! ```
//!
//! A packet enters the link at the instant at which the kernel saw it at the router's device, not at which the plane
//! woke up, and leaves at the instant that the model says, or as soon after as the machine allows. How late that was is
//! in the [`Accuracy`]; it never moves what the model does afterwards.
//!
//! Between the hosts of a lab, which send to each other's Ethernet addresses, frames pass as they are ([`Port::open`]).
//! As a gateway ([`Port::gateway`]) it takes what is sent to its own address, and sends it on from there. [`start`] is for
//! a run, whose whole story is kept; [`stand`] for a link that stands, and that a hand may change; [`pass`] for one that a
//! program is behind. A [`Monitor`] counts what any of them does while it does it.

mod chain;
mod core;
mod crossing;
mod cut;
mod error;
mod frame;
mod gate;
mod log;
mod monitor;
mod orders;
mod outgoing;
mod parse;
mod passed;
mod port;
mod priority;
mod rebind;
mod recorder;
mod sender;
mod shared;
mod standing;
mod timekeeper;
mod visible;
mod watch;
mod worker;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};

use nix::sys::eventfd::{EfdFlags, EventFd};
use windlull_link::Link;
use windlull_link::model::LinkModel;
pub use windlull_units::Pace;
use windlull_units::{ConstantRate, Network, Seed, Time};

pub use self::core::reserve_core;
use crate::Epoch;
use chain::Access;
pub use crossing::CROSSING_PACKETS;
pub use error::PlaneError;
pub use log::{Accuracy, Entered, Log, Released, errors};
pub use monitor::{Cause, Monitor, RELEASE_ERROR_NS, Reading, ReleaseErrors};
use orders::{Order, Orders};
pub use outgoing::Outgoing;
pub use parse::is_of_neighbours;
pub use passed::Passed;
pub use port::Port;
use recorder::Recorder;
use shared::{Keeps, Shared};
pub use standing::{Standing, stand};
use timekeeper::Timekeeper;
pub use visible::{PortKind, Shown, Visible};
pub use watch::Stall;
use watch::Watch;
use worker::{Links, Worker};

const NAME: &str = "link-model";

/// What the plane plays.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    pub link: &'a LinkModel,
    /// The links between it and the client, if there are any.
    pub access: Option<AccessSetup<'a>>,
    /// What crosses the link, not the access link, besides the hosts' packets.
    pub crossing: &'a [ConstantRate],
    /// The version of IP of the hosts' packets. Of IPv6 the link carries nothing to groups and no messages about neighbours
    /// ([`is_of_neighbours`]), by which kernels speak of their own accord.
    pub network: Network,
    /// Of the link's random streams. Each access link's are those of the child `access` of its flow's seed
    /// ([`Seed::of_flow`]), as in simulations.
    pub seed: Seed,
    /// The link's time zero.
    pub epoch: Epoch,
    pub pace: Pace,
}

/// Links between the shared one and the client, all alike: one for each flow.
#[derive(Clone, Copy, Debug)]
pub struct AccessSetup<'a> {
    pub link: &'a LinkModel,
    /// The flows' ports at the client, in order of the flows. Packets of other ports pass the first link; there is one at
    /// least.
    pub ports: &'a [u16],
}

impl AccessSetup<'_> {
    fn links(self, run: Seed) -> Vec<Access> {
        let links = (0..self.ports.len().max(1)).map(|number| Access {
            link: Link::new(self.link, run.of_flow(number).child("access")),
            port: self.ports.get(number).copied(),
        });
        links.collect()
    }
}

/// Whether this plane can play a link.
///
/// # Errors
/// [`PlaneError::KernelsQueue`] if it has a queue that Linux alone has.
pub fn can_play(link: &LinkModel) -> Result<(), PlaneError> {
    link.queue_of_a_kernel()
        .map_or(Ok(()), |kind| Err(PlaneError::KernelsQueue(kind)))
}

/// A link at work. Dropped without [`Running::stop`] it stops too, and its log is lost.
pub struct Running {
    shared: Arc<Shared>,
    /// There until it is stopped.
    threads: Option<Threads>,
}

struct Threads {
    worker: JoinHandle<Result<Recorder, PlaneError>>,
    /// None where time is virtual.
    watch: Option<Watch>,
}

/// Starts the link between two devices of the router.
///
/// # Errors
/// If there are no threads to be had.
pub fn start(setup: Setup<'_>, to_server: Port, to_client: Port) -> Result<Running, PlaneError> {
    begin(setup, to_server, to_client, &Keeps::Story(None))
}

/// The same while `monitor` counts, from where it is.
///
/// # Errors
/// As [`start`].
pub fn start_watched(
    setup: Setup<'_>,
    to_server: Port,
    to_client: Port,
    monitor: Arc<Monitor>,
) -> Result<Running, PlaneError> {
    begin(setup, to_server, to_client, &Keeps::Story(Some(monitor)))
}

/// The same for as long as a program runs, that of which no story is kept; `listener` hears of each packet as it comes and
/// as it goes.
///
/// # Errors
/// As [`start`].
pub fn pass(
    setup: Setup<'_>,
    to_server: Port,
    to_client: Port,
    monitor: &Arc<Monitor>,
    listener: Option<Sender<Passed>>,
) -> Result<Running, PlaneError> {
    begin(
        setup,
        to_server,
        to_client,
        &Keeps::Packets(Arc::clone(monitor), listener),
    )
}

fn begin(setup: Setup<'_>, to_server: Port, to_client: Port, keeps: &Keeps) -> Result<Running, PlaneError> {
    let thread_failed = |source| PlaneError::Thread { name: NAME, source };
    let Setup {
        link,
        access,
        crossing,
        network,
        seed,
        epoch,
        pace,
    } = setup;
    can_play(link)?;
    access.map_or(Ok(()), |access| can_play(access.link))?;
    if let Some(stream) = crossing.iter().find(|it| !CROSSING_PACKETS.contains(&it.packet)) {
        return Err(PlaneError::Crossing { packet: stream.packet });
    }
    let wake = EventFd::from_flags(EfdFlags::EFD_CLOEXEC).map_err(|error| thread_failed(error.into()))?;
    let shared = Arc::new(Shared {
        stop: AtomicBool::new(false),
        wake,
        entered: AtomicU64::new(0),
        inside: AtomicU64::new(0),
        orders: Orders::default(),
    });
    let clock = Timekeeper::new(epoch, pace).map_err(|error| thread_failed(error.into()))?;
    let watch = match pace {
        Pace::Precise | Pace::Frugal => Some(Watch::start(epoch, keeps.clone())?),
        Pace::Virtual => None,
    };
    let (model, crossing) = (link.clone(), crossing.to_vec());
    let access = access.map(|access| (access.link.clone(), access.ports.to_vec()));
    let (for_worker, keeps) = (Arc::clone(&shared), keeps.clone());
    let worker = thread::Builder::new()
        .name(NAME.to_owned())
        .spawn(move || {
            // Timers as exact as they come; without, they are late by some more microseconds.
            let _ = nix::sys::prctl::set_timerslack(1);
            // Without a core of its own it is less exact, which is measured.
            let _ = core::enter();
            // The same without real-time priority.
            let _ = priority::raise();
            let link = match keeps {
                Keeps::Story(_) | Keeps::Packets(..) => Link::new(&model, seed),
                Keeps::Counts(_) => Link::by_hand(&model, seed),
            };
            let links = Links {
                link,
                rebinding: model.rebinding,
                access: access.map_or_else(Vec::new, |(link, ports)| {
                    let setup = AccessSetup {
                        link: &link,
                        ports: &ports,
                    };
                    setup.links(seed)
                }),
                crossing,
                network,
            };
            let ended = Worker::new(
                clock,
                pace,
                Arc::clone(&for_worker),
                [to_server, to_client],
                links,
                keeps,
            )
            .run();
            for_worker.orders.close();
            ended
        })
        .map_err(thread_failed)?;
    Ok(Running {
        shared,
        threads: Some(Threads { worker, watch }),
    })
}

/// Tells a link at work what its script waits for and packets do not tell.
#[derive(Clone)]
pub struct TriggerSender {
    shared: Arc<Shared>,
}

impl TriggerSender {
    /// What script entry `entry`, from 0, waits for will have come at `at`, unless something else is said before; nothing
    /// happens once the entry has begun, or the link has stopped. As [`Link::trigger`].
    pub fn send(&self, entry: usize, at: Time) {
        self.shared.orders.push(Order::Trigger { entry, at });
        self.shared.wake();
    }
}

impl fmt::Debug for TriggerSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TriggerSender").finish_non_exhaustive()
    }
}

impl Running {
    /// For who knows the state of senders over the link.
    pub fn trigger_sender(&self) -> TriggerSender {
        TriggerSender {
            shared: Arc::clone(&self.shared),
        }
    }

    /// How many packets the link has taken in, as of a moment ago.
    pub fn packets_entered(&self) -> u64 {
        self.shared.entered.load(Ordering::Acquire)
    }

    /// How many packets are in the link, as of a moment ago. Those that have not been looked at yet do not count.
    pub fn packets_inside(&self) -> u64 {
        self.shared.inside.load(Ordering::Acquire)
    }

    /// Whether the plane still works; if not, [`Running::stop`] says why.
    pub fn is_alive(&self) -> bool {
        self.threads
            .as_ref()
            .is_some_and(|threads| !threads.worker.is_finished())
    }

    /// Stops the link where it is and returns all that happened.
    ///
    /// # Errors
    /// If it had ended before, because a device no longer worked.
    pub fn stop(mut self) -> Result<Log, PlaneError> {
        self.tell_to_stop();
        let Threads { worker, watch } = self.threads.take().expect("stopped once");
        let recorder = worker.join().map_err(|_| PlaneError::Panicked { name: NAME });
        let stalls = watch.map_or(Ok(Vec::new()), Watch::stop)?;
        Ok(recorder??.finish(stalls))
    }

    fn tell_to_stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.shared.wake();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(Threads { worker, watch }) = self.threads.take() {
            self.tell_to_stop();
            let _ = worker.join();
            let _ = watch.map(Watch::stop);
        }
    }
}
