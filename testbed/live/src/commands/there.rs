//! A program in a container of its own, as the host's process sees it.

use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use windlull_units::Build;

use super::perform::{Answer, Order, Request, connect};
use super::{Command, Exit};
use crate::orders::{Wire, WireError};

/// A container may just be starting.
const ABSENT: Duration = Duration::from_secs(10);
const KNOCK: Duration = Duration::from_millis(100);
/// A program is started, or asked to end and then ended, within this time.
const ANSWER: Duration = Duration::from_secs(10);

/// A program at work.
#[derive(Debug)]
pub(crate) struct Running {
    wire: Wire,
    exit: Option<Exit>,
}

impl Running {
    pub(super) fn start(socket: &Path, build: Build, command: &Command) -> io::Result<Self> {
        let mut wire = reach(socket)?;
        let request = Request {
            version: build.version.to_owned(),
            commit: build.commit.to_owned(),
            command: command.clone(),
        };
        wire.send(&request).map_err(|error| broken(&error))?;
        match wire.receive(ANSWER).map_err(|error| broken(&error))? {
            Some(Answer::Began) => Ok(Self { wire, exit: None }),
            Some(Answer::Failed(why)) => Err(io::Error::other(why)),
            Some(Answer::Ended(_)) | None => Err(io::Error::other("the container does not answer")),
        }
    }

    pub(super) fn is_over(&mut self) -> io::Result<bool> {
        if self.exit.is_none() {
            self.hear(Duration::ZERO)?;
        }
        Ok(self.exit.is_some())
    }

    pub(super) fn stop(mut self) -> io::Result<Exit> {
        if self.exit.is_none() {
            self.wire.send(&Order::Stop).map_err(|error| broken(&error))?;
            self.hear(ANSWER)?;
        }
        self.exit
            .ok_or_else(|| io::Error::other("the container does not say how its command ended"))
    }

    fn hear(&mut self, within: Duration) -> io::Result<()> {
        match self.wire.receive(within).map_err(|error| broken(&error))? {
            Some(Answer::Ended(exit)) => self.exit = Some(*exit),
            Some(Answer::Failed(why)) => return Err(io::Error::other(why)),
            Some(Answer::Began) => return Err(io::Error::other("the container answers out of turn")),
            None => {}
        }
        Ok(())
    }
}

fn reach(socket: &Path) -> io::Result<Wire> {
    let begun = Instant::now();
    loop {
        match connect(socket) {
            Ok(wire) => return Ok(wire),
            Err(error) if begun.elapsed() < ABSENT && error.kind() != io::ErrorKind::PermissionDenied => {
                thread::sleep(KNOCK);
            }
            Err(error) => {
                return Err(io::Error::new(
                    error.kind(),
                    format!("nobody performs commands at {}: {error}", socket.display()),
                ));
            }
        }
    }
}

fn broken(error: &WireError) -> io::Error {
    io::Error::other(format!("the connection with the command's container broke: {error}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::perform::perform;
    use super::*;

    const BUILD: Build = Build {
        version: "1",
        commit: "c",
    };

    fn sh(script: &str) -> Command {
        Command {
            program: ["sh", "-c", script].map(str::to_owned).into(),
            environment: BTreeMap::new(),
        }
    }

    #[test]
    fn a_program_is_performed_elsewhere() {
        let directory = tempfile::tempdir().expect("a directory");
        let socket = directory.path().join("commands.sock");
        let _performing = perform(&socket, BUILD).expect("the place is free");
        let mut running = Running::start(&socket, BUILD, &sh("echo hello; exit 3")).expect("it is started");
        while !running.is_over().expect("it is there") {
            thread::sleep(Duration::from_millis(1));
        }
        let exit = running.stop().expect("it has ended");
        assert_eq!((exit.code, exit.output.as_str()), (Some(3), "hello\n"));

        let running = Running::start(&socket, BUILD, &sh("sleep 1000")).expect("it is started");
        assert_eq!(running.stop().expect("it is ended").signal, Some(15));
    }

    #[test]
    fn another_build_and_a_program_that_is_missing_are_refused() {
        let directory = tempfile::tempdir().expect("a directory");
        let socket = directory.path().join("commands.sock");
        let _performing = perform(&socket, BUILD).expect("the place is free");
        let other = Build {
            version: "1",
            commit: "d",
        };
        let error = Running::start(&socket, other, &sh("true")).expect_err("it is another");
        assert!(error.to_string().contains("commit d"), "{error}");
        let missing = Command {
            program: vec!["no-such-program".to_owned()],
            environment: BTreeMap::new(),
        };
        let error = Running::start(&socket, BUILD, &missing).expect_err("it is missing");
        assert!(error.to_string().contains("no-such-program"), "{error}");
    }

    #[test]
    fn who_goes_away_ends_the_program() {
        let directory = tempfile::tempdir().expect("a directory");
        let socket = directory.path().join("commands.sock");
        let _performing = perform(&socket, BUILD).expect("the place is free");
        let mark = directory.path().join("ended");
        let script = format!(
            "trap 'touch {}; exit' TERM; while :; do sleep 0.01; done",
            mark.display()
        );
        let running = Running::start(&socket, BUILD, &sh(&script)).expect("it is started");
        thread::sleep(Duration::from_millis(300));
        drop(running);
        let begun = Instant::now();
        while !mark.exists() {
            assert!(begun.elapsed() < ANSWER, "it goes on");
            thread::sleep(KNOCK);
        }
    }
}
