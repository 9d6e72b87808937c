//! A connection of the kernel's between two applications: what one of them has to write is written, what comes is read and
//! compared, until both ends have closed.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

use nix::poll::PollFlags;
use nix::sys::eventfd::EventFd;
use sha2::{Digest, Sha256};
use windlull_plane::Epoch;
use windlull_units::{Host, Time};
use windlull_wire::content::PERIOD;

use super::silence::silence;
use super::socket::{Report, options, two_periods};
use super::waiting::{Ended, Progress, wait};
use crate::ReadingPause;
use crate::application::{Application, Step, Task};

/// An end of a connection, and the application above it.
pub(super) struct Conversation {
    host: Host,
    /// The socket addresses of its own end and of the peer's.
    addresses: (SocketAddr, SocketAddr),
    pub(super) epoch: Epoch,
    pub(super) stop: Arc<EventFd>,
    pub(super) progress: Arc<Progress>,
    pub(super) report: Report,
    application: Application,
    /// When it is over, whatever is under way.
    stops_at: Option<Time>,
    /// A pause that has not been made.
    pause: Option<ReadingPause>,
    /// Until then nothing is read.
    paused_until: Option<Time>,
    /// Octets that the application has written, of which the kernel took `report.written`.
    wanted: u64,
    closes: bool,
    /// Both directions: what this end has shut, what the peer has.
    shut: bool,
    peer_shut: bool,
    hash: Sha256,
    content: Vec<u8>,
}

impl Conversation {
    pub(super) fn new(
        (host, addresses): (Host, (SocketAddr, SocketAddr)),
        task: Task,
        epoch: Epoch,
        stop: Arc<EventFd>,
        progress: Arc<Progress>,
    ) -> Self {
        Self {
            host,
            addresses,
            epoch,
            stop,
            progress,
            report: Report::default(),
            application: Application::new(task),
            stops_at: task.stops_at(),
            pause: task.pause,
            paused_until: None,
            wanted: 0,
            closes: false,
            shut: false,
            peer_shut: false,
            hash: Sha256::new(),
            content: two_periods(),
        }
    }

    /// The socket addresses of its own end and of the peer's.
    pub(super) const fn addresses(&self) -> (SocketAddr, SocketAddr) {
        self.addresses
    }

    /// Waits until there is a connection; beyond its time there will be none.
    pub(super) fn wait_for(&self, socket: BorrowedFd<'_>, flags: PollFlags) -> Result<(), Ended> {
        let until = self.stops_at.map(|at| (self.epoch, at));
        wait(socket, flags, &self.stop, until)?;
        if self.is_over() {
            return self.rest();
        }
        Ok(())
    }

    /// Whether its time is up.
    fn is_over(&self) -> bool {
        self.stops_at.is_some_and(|at| at <= self.epoch.now())
    }

    /// Its time is up: keeps the socket as it is until somebody wants it to end.
    fn rest(&self) -> Result<(), Ended> {
        self.progress.is_closed();
        self.progress.is_over();
        wait(self.stop.as_fd(), PollFlags::empty(), &self.stop, None)
    }

    /// Converses over a stream that is connected, until both ends have shut it.
    pub(super) fn converse(&mut self, stream: &TcpStream) -> Result<(), Ended> {
        stream.set_nonblocking(true)?;
        self.progress.is_connected();
        self.report.settings = options(stream, self.host);
        let mut buffer = vec![0; PERIOD];
        let first = self.application.begin();
        self.take(first);
        while !(self.shut && self.peer_shut) {
            if self.is_over() {
                silence(stream)?;
                return self.rest();
            }
            let now = self.epoch.now();
            let due = self.application.act(now);
            self.take(due);
            self.write(stream)?;
            self.read(stream, &mut buffer)?;
            self.write(stream)?;
            if !(self.shut && self.peer_shut) {
                self.wait(stream)?;
            }
        }
        Ok(())
    }

    /// What became of it.
    pub(super) fn finish(mut self, ended: Result<(), Ended>) -> Report {
        self.report.end(ended, &self.progress);
        let digest = self.hash.finalize();
        self.report.received.sha256 = digest.iter().map(|octet| format!("{octet:02x}")).collect();
        self.report
    }

    /// The application does what follows.
    fn take(&mut self, step: Step) {
        self.wanted += step.writes;
        self.closes |= step.closes;
        let now = self.epoch.now();
        self.report.tasks.extend(step.tasks.into_iter().map(|took| (now, took)));
    }

    /// Writes what the kernel takes, and closes once it has all.
    fn write(&mut self, mut stream: &TcpStream) -> Result<(), Ended> {
        while self.report.written < self.wanted {
            let from = usize::try_from(self.report.written % PERIOD as u64).unwrap_or(0);
            let left = usize::try_from(self.wanted - self.report.written).unwrap_or(PERIOD);
            match stream.write(&self.content[from..from + left.min(PERIOD)]) {
                Ok(written) => self.report.written += written as u64,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        if self.closes && !self.shut {
            stream.shutdown(Shutdown::Write)?;
            self.shut = true;
        }
        Ok(())
    }

    /// Reads what there is, as far as the application reads now.
    fn read(&mut self, mut stream: &TcpStream, buffer: &mut [u8]) -> Result<(), Ended> {
        while !self.peer_shut && !self.is_paused() {
            let most = self.before_the_pause();
            match stream.read(&mut buffer[..most]) {
                Ok(0) => {
                    self.peer_shut = true;
                    self.closes = true;
                }
                Ok(len) => {
                    self.compare(&buffer[..len]);
                    let next = self.application.read(self.epoch.now(), len as u64);
                    self.take(next);
                    if self.application.has_read() > self.application.may_read() {
                        let what = "the peer has sent more than it was to send";
                        return Err(io::Error::new(ErrorKind::InvalidData, what).into());
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Whether nothing is read now. A pause begins where its place is reached.
    fn is_paused(&mut self) -> bool {
        let now = self.epoch.now();
        if let Some(pause) = self
            .pause
            .take_if(|pause| self.application.has_read() >= pause.after.get())
        {
            self.paused_until = Some(now + pause.lasts);
        }
        self.paused_until = self.paused_until.filter(|&until| now < until);
        self.paused_until.is_some()
    }

    /// Octets that may be read at once.
    fn before_the_pause(&self) -> usize {
        let left = (self.pause).map(|pause| pause.after.get().saturating_sub(self.application.has_read()));
        left.and_then(|left| usize::try_from(left).ok())
            .unwrap_or(PERIOD)
            .min(PERIOD)
    }

    fn compare(&mut self, octets: &[u8]) {
        let received = &mut self.report.received;
        let from = usize::try_from(received.octets % PERIOD as u64).unwrap_or(0);
        let expected = &self.content[from..from + octets.len()];
        if octets != expected && received.first_wrong.is_none() {
            let right = octets.iter().zip(expected).take_while(|(a, b)| a == b).count();
            received.first_wrong = Some(received.octets + right as u64);
        }
        received.octets += octets.len() as u64;
        self.progress.has_received(received.octets);
        self.hash.update(octets);
    }

    /// Waits until the kernel takes or has something, or something is due.
    fn wait(&self, stream: &TcpStream) -> Result<(), Ended> {
        let mut flags = PollFlags::empty();
        flags.set(PollFlags::POLLIN, !self.peer_shut && self.paused_until.is_none());
        flags.set(PollFlags::POLLOUT, self.report.written < self.wanted);
        let due = [self.application.acts_at(), self.paused_until, self.stops_at];
        let due = due.into_iter().flatten().min();
        // A stream of which nothing is wanted is ready all the same once it was reset.
        let socket = if flags.is_empty() {
            self.stop.as_fd()
        } else {
            stream.as_fd()
        };
        wait(socket, flags, &self.stop, due.map(|due| (self.epoch, due)))
    }
}
