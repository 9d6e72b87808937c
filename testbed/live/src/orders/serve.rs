//! Who attends: greets whoever comes, has one run at a time, and tells the others so.

use std::fs;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nix::sys::utsname::uname;
use windlull_plane::Epoch;
use windlull_units::{Build, Time};

use super::error::{OrdersError, WireError};
use super::protocol::{Greeting, Hello, PROTOCOL, Welcome, Who};
use super::room::{Room, RunFiles};
use super::visitors::{self, Serving};
use super::wire::Wire;

/// A hello comes at once, or somebody else is at the other end.
const HELLO: Duration = Duration::from_secs(5);

/// A run as who attends has it.
pub(super) struct Visit<'a> {
    pub(super) wire: &'a mut Wire,
    pub(super) run: &'a str,
    pub(super) files: &'a RunFiles,
    stop: &'a AtomicBool,
}

impl Visit<'_> {
    /// Whether it is to end at once.
    pub(super) fn is_to_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// What all that come share.
struct Shared<S> {
    room: Room,
    who: Who,
    build: Build,
    without_netem: Option<String>,
    stop: Arc<AtomicBool>,
    /// The run that there is.
    run: Mutex<Option<String>>,
    runs: AtomicU64,
    session: S,
}

/// Attends at a place until it is stopped: has `session` make a run's part.
/// `without_netem` says why there is no netem plane, of an emulator that cannot play it.
pub(super) fn serve<S>(
    room: Room,
    who: Who,
    build: Build,
    without_netem: Option<String>,
    session: S,
) -> Result<Serving, OrdersError>
where
    S: Fn(&mut Visit<'_>) -> Result<(), WireError> + Send + Sync + 'static,
{
    let attend = move |stop: &Arc<AtomicBool>| {
        let shared = Shared {
            room,
            who,
            build,
            without_netem,
            stop: Arc::clone(stop),
            run: Mutex::new(None),
            runs: AtomicU64::new(0),
            session,
        };
        Arc::new(shared).attend();
    };
    Serving::start("orders", attend).map_err(|error| OrdersError::Place {
        path: "a thread".into(),
        why: error.to_string(),
    })
}

impl<S: Fn(&mut Visit<'_>) -> Result<(), WireError> + Send + Sync + 'static> Shared<S> {
    fn attend(self: Arc<Self>) {
        let shared = Arc::clone(&self);
        visitors::attend(&self.room.listener, &self.stop, "orders of a run", move |stream| {
            shared.receive(stream);
        });
    }

    /// One who came, from hello to goodbye. A connection that breaks has nobody left to be told.
    fn receive(&self, stream: UnixStream) {
        let mut wire = Wire::new(stream);
        let Ok(Some(line)) = wire.line(HELLO) else { return };
        let hello = match Hello::read(&line).and_then(|hello| self.same_build(hello)) {
            Ok(hello) => hello,
            Err(why) => {
                let _ = wire.send(&Greeting::Refused { why });
                return;
            }
        };
        match hello.run {
            None => drop(wire.send(&Greeting::Welcome(self.welcome()))),
            Some(run) => self.run(&mut wire, &run),
        }
    }

    fn run(&self, wire: &mut Wire, run: &str) {
        let turn = match Turn::of(&self.run, run) {
            Ok(turn) => turn,
            Err(run) => {
                let _ = wire.send(&Greeting::Busy { run });
                return;
            }
        };
        let nth = self.runs.fetch_add(1, Ordering::Relaxed);
        match self.room.begin_run(nth) {
            Err(error) => {
                let why = format!("it has no place for the run's files: {error}");
                let _ = wire.send(&Greeting::Refused { why });
            }
            Ok(files) => {
                if wire.send(&Greeting::Welcome(self.welcome())).is_ok() {
                    let mut visit = Visit {
                        wire,
                        run,
                        files: &files,
                        stop: &self.stop,
                    };
                    let _ = (self.session)(&mut visit);
                }
            }
        }
        drop(turn);
    }

    fn same_build(&self, hello: Hello) -> Result<Hello, String> {
        let Build { version, commit } = self.build;
        if hello.version == version && hello.commit == commit {
            return Ok(hello);
        }
        let (others, of) = (&hello.version, &hello.commit);
        Err(format!(
            "it is version {version} of commit {commit}, and was spoken to by version {others} of commit {of}; \
             build all of them from one commit"
        ))
    }

    fn welcome(&self) -> Welcome {
        let kernel = uname().map_or_else(|_| String::new(), |name| name.release().to_string_lossy().into_owned());
        Welcome {
            who: self.who,
            version: self.build.version.to_owned(),
            commit: self.build.commit.to_owned(),
            kernel,
            boot: boot(),
            clock_ns: clock_ns(),
            without_netem: self.without_netem.clone(),
        }
    }
}

/// The one run that there may be, until this goes.
struct Turn<'a>(&'a Mutex<Option<String>>);

impl<'a> Turn<'a> {
    /// The turn of this run; or which other has it.
    fn of(place: &'a Mutex<Option<String>>, run: &str) -> Result<Self, String> {
        let mut there = place.lock().unwrap_or_else(PoisonError::into_inner);
        match &*there {
            Some(other) => Err(other.clone()),
            None => {
                *there = Some(run.to_owned());
                Ok(Self(place))
            }
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Of the kernel's start.
pub(super) fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").map_or_else(|_| String::new(), |boot| boot.trim().to_owned())
}

/// What the monotonic clock shows here, ns.
pub(super) fn clock_ns() -> u64 {
    Epoch::begin().to_monotonic_ns(Time::ZERO)
}

/// The hello of who asks.
pub(super) fn hello(build: Build, run: Option<&str>) -> Hello {
    Hello {
        protocol: PROTOCOL,
        version: build.version.to_owned(),
        commit: build.commit.to_owned(),
        run: run.map(str::to_owned),
    }
}
