//! The parts of a run that are other processes, as who asks for the run has them.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind};
use std::os::unix::net::UnixStream;
use std::path::{Component, Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use windlull_plane::Epoch;

use super::error::{OrdersError, WireError};
use super::protocol::{Greeting, HostAnswer, HostOrder, LinkAnswer, LinkOrder, Welcome, Who};
use super::serve::{boot, clock_ns, hello};
use super::wire::Wire;
use super::{Build, Orders};
use crate::LiveError;
use crate::hosts::Settings;
use crate::part::{HostLeft, HostPart, HostTask, LinkPart, LinkState, LinkTask, Progress};
use crate::plane::Played;

/// A process that was just started, or is started again after it was killed, is there within this time.
const ABSENT: Duration = Duration::from_secs(10);
/// One that has just lost a run has put everything back within this time.
const BUSY: Duration = Duration::from_secs(3);
/// How often is knocked meanwhile.
const KNOCK: Duration = Duration::from_millis(100);
/// A greeting comes at once.
const GREETING: Duration = Duration::from_secs(5);
/// An answer comes at once too, but a kernel may have to forget a connection first, for which it takes a minute.
const ANSWER: Duration = Duration::from_secs(90);

/// A connection with one that attends.
#[derive(Debug)]
struct Line {
    who: Who,
    wire: Wire,
    welcome: Welcome,
    /// Where its socket is.
    directory: PathBuf,
}

/// A host that is another process.
#[derive(Debug)]
pub(super) struct Host {
    line: Line,
    progress: Progress,
}

/// A link that is another process.
#[derive(Debug)]
pub(super) struct Link {
    line: Line,
    state: LinkState,
}

/// What one says of itself, in a line.
pub(super) fn ask(directory: &Path, build: Build, who: Who) -> Result<String, OrdersError> {
    let Welcome {
        version,
        commit,
        kernel,
        ..
    } = Line::once(directory, build, who, None)?.welcome;
    Ok(format!("{who}: version {version}, commit {commit}, Linux {kernel}"))
}

impl Line {
    /// Reaches one for a run; waits a little for one that is just starting or putting things back.
    fn reach(orders: &Orders<'_>, who: Who) -> Result<Self, OrdersError> {
        let begun = Instant::now();
        loop {
            let patience = match Self::once(orders.directory, orders.build, who, Some(orders.run)) {
                Err(OrdersError::Absent { source, .. }) if is_to_come(&source) => ABSENT,
                Err(OrdersError::Broken { .. }) => ABSENT,
                Err(OrdersError::Busy { .. }) => BUSY,
                done => return done,
            };
            if begun.elapsed() >= patience {
                return Self::once(orders.directory, orders.build, who, Some(orders.run));
            }
            thread::sleep(KNOCK);
        }
    }

    fn once(directory: &Path, build: Build, who: Who, run: Option<&str>) -> Result<Self, OrdersError> {
        let directory = directory.join(who.name());
        let path = directory.join("orders.sock");
        let stream = UnixStream::connect(&path).map_err(|source| OrdersError::Absent { who, path, source })?;
        let broken = |source| OrdersError::Broken { who, source };
        let mut wire = Wire::new(stream);
        let asked_at = clock_ns();
        wire.send(&hello(build, run)).map_err(broken)?;
        let greeting = wire
            .receive(GREETING)
            .map_err(broken)?
            .ok_or_else(|| broken(WireError::Silent(GREETING.as_secs())))?;
        let welcome = match greeting {
            Greeting::Welcome(welcome) => welcome,
            Greeting::Busy { run } => return Err(OrdersError::Busy { who, run }),
            Greeting::Refused { why } => return Err(OrdersError::Refused { who, why }),
        };
        check(&welcome, build, who, asked_at..=clock_ns())?;
        Ok(Self {
            who,
            wire,
            welcome,
            directory,
        })
    }

    fn provenance(&self) -> Settings {
        let Welcome {
            version,
            commit,
            kernel,
            ..
        } = &self.welcome;
        Settings::from([
            (format!("{}.engine", self.who), format!("{version} ({commit})")),
            ("kernel.release".to_owned(), kernel.clone()),
        ])
    }

    fn send(&mut self, order: &impl Serialize) -> Result<(), OrdersError> {
        let who = self.who;
        self.wire
            .send(order)
            .map_err(|source| OrdersError::Broken { who, source })
    }

    /// The next message, if there is one within this time.
    fn receive<T: DeserializeOwned>(&mut self, within: Duration) -> Result<Option<T>, OrdersError> {
        let who = self.who;
        self.wire
            .receive(within)
            .map_err(|source| OrdersError::Broken { who, source })
    }

    /// The next message, which must come.
    fn hear<T: DeserializeOwned>(&mut self) -> Result<T, OrdersError> {
        let who = self.who;
        self.receive(ANSWER)?.ok_or(OrdersError::Broken {
            who,
            source: WireError::Silent(ANSWER.as_secs()),
        })
    }

    fn failed(&self, what: String) -> OrdersError {
        OrdersError::Failed { who: self.who, what }
    }

    fn unexpected(&self, what: &impl std::fmt::Debug) -> OrdersError {
        OrdersError::Broken {
            who: self.who,
            source: WireError::Unexpected(format!("an answer out of turn: {what:?}")),
        }
    }

    /// Where a file is that it left: beside its socket, and nowhere else.
    fn path_of(&self, file: &str) -> Result<PathBuf, OrdersError> {
        let inside = Path::new(file)
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        if inside && !file.is_empty() {
            Ok(self.directory.join(file))
        } else {
            Err(self.unexpected(&file))
        }
    }

    fn read<T: for<'de> Deserialize<'de>>(&self, path: &Path) -> Result<T, OrdersError> {
        File::open(path)
            .and_then(|file| serde_json::from_reader(BufReader::new(file)).map_err(io::Error::from))
            .map_err(|source| OrdersError::Left {
                who: self.who,
                path: path.to_owned(),
                source,
            })
    }
}

/// Whether a socket that cannot be reached may be there soon.
fn is_to_come(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused)
}

/// Only one of this build, on this kernel and by this clock, can make a run's part.
fn check(welcome: &Welcome, build: Build, who: Who, now: std::ops::RangeInclusive<u64>) -> Result<(), OrdersError> {
    let stranger = |why: String| Err(OrdersError::Stranger { who, why });
    if welcome.who != who {
        return stranger(format!(
            "is the {} in its place; give each a directory of its own",
            welcome.who
        ));
    }
    if (welcome.version.as_str(), welcome.commit.as_str()) != (build.version, build.commit) {
        let Build { version, commit } = build;
        return stranger(format!(
            "is version {} of commit {}, and this is version {version} of commit {commit}; build both from one commit",
            welcome.version, welcome.commit
        ));
    }
    if welcome.boot != boot() {
        return stranger("runs on another kernel; a run needs all its processes on one".to_owned());
    }
    if !now.contains(&welcome.clock_ns) {
        return stranger("has another monotonic clock; a run needs all its processes in one time namespace".to_owned());
    }
    Ok(())
}

impl Host {
    pub(super) fn reach(orders: &Orders<'_>, host: windlull_units::Host) -> Result<Self, OrdersError> {
        Ok(Self {
            line: Line::reach(orders, host.into())?,
            progress: Progress::default(),
        })
    }

    pub(super) fn provenance(&self) -> Settings {
        self.line.provenance()
    }

    /// Has the host make its settings, and says which.
    pub(super) fn prepare(&mut self, task: HostTask) -> Result<Settings, OrdersError> {
        self.line.send(&HostOrder::Prepare(Box::new(task)))?;
        match self.line.hear()? {
            HostAnswer::Prepared(settings) => Ok(settings),
            HostAnswer::Failed(what) => Err(self.line.failed(what)),
            other => Err(self.line.unexpected(&other)),
        }
    }

    fn order(&mut self, order: &HostOrder) -> Result<HostAnswer, OrdersError> {
        self.line.send(order)?;
        loop {
            match self.line.hear()? {
                HostAnswer::Progress(progress) => self.progress = progress,
                HostAnswer::Failed(what) => return Err(self.line.failed(what)),
                answer => return Ok(answer),
            }
        }
    }

    fn done(&mut self, order: &HostOrder) -> Result<(), LiveError> {
        match self.order(order)? {
            HostAnswer::Done => Ok(()),
            other => Err(self.line.unexpected(&other).into()),
        }
    }
}

impl HostPart for Host {
    fn capture(&mut self, epoch: Epoch) -> Result<(), LiveError> {
        self.done(&HostOrder::Capture(epoch))
    }

    fn start(&mut self) -> Result<(), LiveError> {
        self.done(&HostOrder::Start)
    }

    fn progress(&mut self) -> Result<Progress, LiveError> {
        while let Some(said) = self.line.receive(Duration::ZERO)? {
            match said {
                HostAnswer::Progress(progress) => self.progress = progress,
                HostAnswer::Failed(what) => return Err(self.line.failed(what).into()),
                other => return Err(self.line.unexpected(&other).into()),
            }
        }
        Ok(self.progress)
    }

    fn fall_silent(&mut self) -> Result<(), LiveError> {
        self.done(&HostOrder::FallSilent)
    }

    fn stop_capture(&mut self) -> Result<(), LiveError> {
        self.done(&HostOrder::StopCapture)
    }

    fn finish(&mut self) -> Result<HostLeft, LiveError> {
        let file = match self.order(&HostOrder::Finish)? {
            HostAnswer::Left(file) => file,
            other => return Err(self.line.unexpected(&other).into()),
        };
        let path = self.line.path_of(&file)?;
        let left: HostLeft = self.line.read(&path)?;
        Ok(HostLeft {
            // Its host sees the same directory by another path.
            spool: left.spool.within(path.parent().unwrap_or(&self.line.directory)),
            ..left
        })
    }
}

impl Link {
    pub(super) fn reach(orders: &Orders<'_>) -> Result<Self, OrdersError> {
        Ok(Self {
            line: Line::reach(orders, Who::Emulator)?,
            state: LinkState {
                alive: true,
                empty: Some(false),
            },
        })
    }

    pub(super) fn provenance(&self) -> Settings {
        self.line.provenance()
    }

    /// Has the link made ready.
    pub(super) fn prepare(&mut self, task: LinkTask) -> Result<(), LiveError> {
        self.done(&LinkOrder::Prepare(Box::new(task)))
    }

    fn order(&mut self, order: &LinkOrder) -> Result<LinkAnswer, OrdersError> {
        self.line.send(order)?;
        loop {
            match self.line.hear()? {
                LinkAnswer::State(state) => self.state = state,
                LinkAnswer::Failed(what) => return Err(self.line.failed(what)),
                answer => return Ok(answer),
            }
        }
    }

    fn done(&mut self, order: &LinkOrder) -> Result<(), LiveError> {
        match self.order(order)? {
            LinkAnswer::Done => Ok(()),
            other => Err(self.line.unexpected(&other).into()),
        }
    }
}

impl LinkPart for Link {
    fn start(&mut self, epoch: Epoch) -> Result<(), LiveError> {
        self.done(&LinkOrder::Start(epoch))
    }

    fn state(&mut self) -> Result<LinkState, LiveError> {
        while let Some(said) = self.line.receive(Duration::ZERO)? {
            match said {
                LinkAnswer::State(state) => self.state = state,
                LinkAnswer::Failed(what) => return Err(self.line.failed(what).into()),
                other => return Err(self.line.unexpected(&other).into()),
            }
        }
        Ok(self.state)
    }

    fn stop(&mut self) -> Result<Played, LiveError> {
        let file = match self.order(&LinkOrder::Stop)? {
            LinkAnswer::Played(file) => file,
            other => return Err(self.line.unexpected(&other).into()),
        };
        let path = self.line.path_of(&file)?;
        Ok(self.line.read(&path)?)
    }
}
