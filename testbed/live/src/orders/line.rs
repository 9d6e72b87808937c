//! A connection with a process that makes a part of a run, as who asks for the run has it.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind};
use std::os::unix::net::UnixStream;
use std::path::{Component, Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use windlull_units::Build;

use super::Orders;
use super::error::{OrdersError, WireError};
use super::protocol::{Greeting, Welcome, Who};
use super::serve::{boot, clock_ns, hello};
use super::who::{socket_of, socket_of_stack};
use super::wire::Wire;
use crate::hosts::Settings;

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

/// While the link plays and the hosts transfer, each says every [`BEAT`](super::protocol::BEAT) how far it is. One that
/// has not for so long is stopped, hung, or on a machine on which nothing is measured any more.
const SILENT: Duration = Duration::from_secs(30);

/// A connection with one that attends.
#[derive(Debug)]
pub(super) struct Line {
    who: Who,
    wire: Wire,
    welcome: Welcome,
    /// When it last said anything.
    heard: Instant,
    /// Where its socket is.
    pub(super) directory: PathBuf,
}

impl Line {
    /// What the one at a socket says of itself, in a line.
    pub(super) fn ask(socket: &Path, build: Build, who: Who) -> Result<String, OrdersError> {
        let welcome = Self::once(socket, build, who, None)?.welcome;
        let planes = match (who, &welcome.without_netem) {
            (Who::Server | Who::Client, _) => String::new(),
            (Who::Emulator, None) => ", planes model and netem".to_owned(),
            (Who::Emulator, Some(why)) => format!(", plane model alone ({why})"),
        };
        Ok(format!(
            "{who}: version {}, commit {}, Linux {}{planes}",
            welcome.version, welcome.commit, welcome.kernel
        ))
    }

    /// Why the emulator at a socket cannot play the netem plane, if it cannot.
    pub(super) fn ask_for_netem(socket: &Path, build: Build) -> Result<Option<String>, OrdersError> {
        Ok(Self::once(socket, build, Who::Emulator, None)?.welcome.without_netem)
    }

    /// Reaches one for a run; waits a little for one that is just starting or putting things back.
    pub(super) fn reach(orders: &Orders<'_>, who: Who) -> Result<Self, OrdersError> {
        Self::reach_at(&socket_of(orders.directory, who), orders, who)
    }

    /// The same for the engine with a stack in it that attends beside the host's own.
    pub(super) fn reach_stack(orders: &Orders<'_>, who: Who, stack: &str) -> Result<Self, OrdersError> {
        let socket = socket_of_stack(&socket_of(orders.directory, who), stack);
        Self::reach_at(&socket, orders, who).map_err(|error| match error {
            OrdersError::Absent { who, source, .. } => OrdersError::NoStack {
                who,
                stack: stack.to_owned(),
                source,
            },
            error => error,
        })
    }

    fn reach_at(socket: &Path, orders: &Orders<'_>, who: Who) -> Result<Self, OrdersError> {
        let begun = Instant::now();
        loop {
            let patience = match Self::once(socket, orders.build, who, Some(orders.run)) {
                Err(OrdersError::Absent { source, .. }) if is_to_come(&source) => ABSENT,
                Err(OrdersError::Broken { .. }) => ABSENT,
                Err(OrdersError::Busy { .. }) => BUSY,
                done => return done,
            };
            if begun.elapsed() >= patience {
                return Self::once(socket, orders.build, who, Some(orders.run));
            }
            thread::sleep(KNOCK);
        }
    }

    fn once(socket: &Path, build: Build, who: Who, run: Option<&str>) -> Result<Self, OrdersError> {
        let stream = UnixStream::connect(socket).map_err(|source| OrdersError::Absent {
            who,
            path: socket.to_owned(),
            source,
        })?;
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
            heard: Instant::now(),
            directory: socket.parent().unwrap_or(Path::new(".")).to_owned(),
        })
    }

    pub(super) fn provenance(&self) -> Settings {
        let Welcome { version, commit, .. } = &self.welcome;
        Settings::from([
            (format!("{}.engine", self.who), format!("{version} ({commit})")),
            ("kernel.release".to_owned(), self.welcome.kernel.clone()),
        ])
    }

    pub(super) fn send(&mut self, order: &impl Serialize) -> Result<(), OrdersError> {
        let who = self.who;
        let sent = self.wire.send(order);
        sent.map_err(|source| OrdersError::Broken { who, source })
    }

    /// The next message, if there is one within this time.
    fn receive<T: DeserializeOwned>(&mut self, within: Duration) -> Result<Option<T>, OrdersError> {
        let who = self.who;
        let said = self.wire.receive(within);
        let said = said.map_err(|source| OrdersError::Broken { who, source })?;
        if said.is_some() {
            self.heard = Instant::now();
        }
        Ok(said)
    }

    /// What has come and was not taken yet, of one that says every now and then how far it is.
    pub(super) fn news<T: DeserializeOwned>(&mut self) -> Result<Option<T>, OrdersError> {
        match self.receive(Duration::ZERO)? {
            None if self.heard.elapsed() >= SILENT => Err(self.broken(WireError::Silent(SILENT.as_secs()))),
            said => Ok(said),
        }
    }

    /// The next message, which must come.
    pub(super) fn hear<T: DeserializeOwned>(&mut self) -> Result<T, OrdersError> {
        let silent = WireError::Silent(ANSWER.as_secs());
        self.receive(ANSWER)?.ok_or_else(|| self.broken(silent))
    }

    pub(super) fn failed(&self, what: String) -> OrdersError {
        OrdersError::Failed { who: self.who, what }
    }

    pub(super) fn unexpected(&self, what: &impl std::fmt::Debug) -> OrdersError {
        self.broken(WireError::Unexpected(format!("an answer out of turn: {what:?}")))
    }

    const fn broken(&self, source: WireError) -> OrdersError {
        OrdersError::Broken { who: self.who, source }
    }

    /// Where a file is that it left: beside its socket, and nowhere else.
    pub(super) fn path_of(&self, file: &str) -> Result<PathBuf, OrdersError> {
        let inside = Path::new(file)
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        if inside && !file.is_empty() {
            Ok(self.directory.join(file))
        } else {
            Err(self.unexpected(&file))
        }
    }

    pub(super) fn read<T: for<'de> Deserialize<'de>>(&self, path: &Path) -> Result<T, OrdersError> {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::orders::protocol::{Answer, PROTOCOL};
    use crate::part::Progress;

    /// A connection with a server that last said something so long ago, and what it speaks by.
    fn line(ago: Duration) -> (Line, Wire) {
        let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
        let welcome = json!({
            "who": "server", "version": "1", "commit": "c", "kernel": "6.12", "boot": "b", "clock-ns": PROTOCOL,
        });
        let line = Line {
            who: Who::Server,
            wire: Wire::new(ours),
            welcome: serde_json::from_value(welcome).expect("a welcome"),
            heard: Instant::now().checked_sub(ago).expect("a machine runs longer"),
            directory: PathBuf::new(),
        };
        (line, Wire::new(theirs))
    }

    #[test]
    fn who_says_nothing_for_too_long_is_taken_for_gone() {
        let (mut line, _there) = line(SILENT);
        let error = line.news::<Answer>().expect_err("it is silent").to_string();
        assert_eq!(
            error,
            "the connection with the server broke: it has said nothing for 30 s"
        );
        let (mut line, _there) = self::line(Duration::ZERO);
        assert_eq!(line.news::<Progress>().expect("it may be silent for a moment"), None);
    }

    #[test]
    fn who_says_that_nothing_is_new_is_there() {
        let (mut line, mut there) = line(SILENT);
        there.send(&Progress::default()).expect("it is taken");
        assert_eq!(line.news().expect("it is there"), Some(Progress::default()));
        assert_eq!(line.news::<Progress>().expect("it was just heard"), None);
    }
}
