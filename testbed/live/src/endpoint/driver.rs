//! The loop of a host's ends: what has arrived, what is due, what is to be sent, then sleep.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::eventfd::EventFd;
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use windlull_plane::Epoch;
use windlull_units::{Host, Network, Time};
use windlull_wire::packet::{Checksum, LinkType, decode};

use super::connection::{Connection, NoFrame};
use super::socket::FrameSocket;
use super::{EndpointSetup, Report};
use crate::part;
use crate::ports::number_of;
use crate::running::Progress;

/// Frames that are taken before the timers are looked at again: one that has arrived comes before a timer, but a flood must
/// not hold them off.
const FRAMES_AT_A_TIME: u32 = 64;

pub(super) struct Driver {
    host: Host,
    network: Network,
    /// Those of ours; others of the run may be the kernel's.
    connections: Vec<Connection>,
    /// Their places by their numbers in the run.
    places: BTreeMap<u16, usize>,
    socket: FrameSocket,
    epoch: Epoch,
    progress: Arc<Progress>,
    frame: Vec<u8>,
    arrived: Vec<u8>,
    bad_checksums: u64,
    send_failures: u64,
}

impl Driver {
    pub(super) fn new(
        (host, network): (Host, Network),
        setups: &[EndpointSetup],
        socket: FrameSocket,
        epoch: Epoch,
        progress: Arc<Progress>,
    ) -> Self {
        let connections = setups.iter().map(|setup| Connection::new(host, network, setup));
        Self {
            host,
            network,
            connections: connections.collect(),
            places: setups.iter().map(|setup| setup.number).zip(0..).collect(),
            socket,
            epoch,
            progress,
            frame: Vec::new(),
            arrived: Vec::new(),
            bad_checksums: 0,
            send_failures: 0,
        }
    }

    /// Runs until it is told to stop.
    pub(super) fn drive(mut self, stop: &EventFd) -> io::Result<Report> {
        thread::sleep(Duration::from_nanos(self.epoch.until_start().as_ns()));
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_CLOEXEC)?;
        self.begin(&timer)?;
        loop {
            for _ in 0..FRAMES_AT_A_TIME {
                if !self.take_frame() {
                    break;
                }
            }
            self.fire();
            self.tell_progress();
            match self.wait(&timer, stop)? {
                Woken::Stopped => break,
                Woken::Beginning => self.begin(&timer)?,
                Woken::Busy => {}
            }
        }
        Ok(Report {
            missed: self.socket.missed()?,
            connections: self.connections.into_iter().map(Connection::finish).collect(),
            bad_checksums: self.bad_checksums,
            send_failures: self.send_failures,
        })
    }

    /// Begins the connections whose times have come, and sets the timer for the next one.
    fn begin(&mut self, timer: &TimerFd) -> io::Result<()> {
        for number in 0..self.connections.len() {
            if self.connections[number].begin(self.epoch.now()) {
                self.transmit(number);
            }
        }
        match self.connections.iter().filter_map(Connection::begins_at).min() {
            None => timer.unset()?,
            Some(next) => {
                // A timer that is set for no time at all never fires.
                let left = next.since(self.epoch.now()).as_ns().max(1);
                let once = Expiration::OneShot(Duration::from_nanos(left).into());
                timer.set(once, TimerSetTimeFlags::empty())?;
            }
        }
        Ok(())
    }

    fn take_frame(&mut self) -> bool {
        let arrived = &mut self.arrived;
        let taken = self.socket.next_frame(|frame, len| {
            arrived.clear();
            arrived.extend_from_slice(frame);
            len
        });
        let Some(len) = taken else { return false };
        let Ok(packet) = decode(LinkType::Ethernet, &self.arrived, len) else {
            return true;
        };
        let number = number_of(
            self.network,
            self.host.peer(),
            packet.source,
            packet.destination,
            usize::from(u16::MAX),
        );
        let Some(&place) = number.and_then(|number| self.places.get(&number)) else {
            // Nothing of the run, or the kernel's.
            return true;
        };
        if packet.checksum != Checksum::Right {
            self.bad_checksums += 1;
            return true;
        }
        self.connections[place].take(self.epoch.now(), &packet, &self.arrived);
        self.transmit(place);
        true
    }

    /// Does what is due.
    fn fire(&mut self) {
        let now = self.epoch.now();
        for number in 0..self.connections.len() {
            for due in [Connection::act, Connection::resume, Connection::fire] {
                if due(&mut self.connections[number], now) {
                    self.transmit(number);
                }
            }
        }
    }

    /// Sends all that a connection has to send.
    fn transmit(&mut self, number: usize) {
        loop {
            let now = self.epoch.now();
            match self.connections[number].poll_frame(now, &mut self.frame) {
                Ok(false) => return,
                Ok(true) => self.send_failures += u64::from(self.socket.send(&self.frame).is_err()),
                Err(NoFrame) => self.send_failures += 1,
            }
        }
    }

    fn tell_progress(&self) {
        let each = self.connections.iter().map(Connection::progress);
        self.progress.tell(part::Progress::of_all(each));
    }

    /// Sleeps until a frame arrives or something is due.
    fn wait(&self, timer: &TimerFd, stop: &EventFd) -> io::Result<Woken> {
        let next = self.connections.iter().filter_map(Connection::wakes_at).min();
        let timeout = next.map(|at: Time| {
            let span = Duration::from_nanos(at.since(self.epoch.now()).as_ns());
            TimeSpec::from_duration(span)
        });
        let mut watched = [
            PollFd::new(self.socket.as_fd(), PollFlags::POLLIN),
            PollFd::new(stop.as_fd(), PollFlags::POLLIN),
            PollFd::new(timer.as_fd(), PollFlags::POLLIN),
        ];
        match ppoll(&mut watched, timeout, None) {
            Ok(_) if watched[1].any().unwrap_or(false) => Ok(Woken::Stopped),
            Ok(_) if watched[2].any().unwrap_or(false) => Ok(Woken::Beginning),
            Ok(_) | Err(Errno::EINTR) => Ok(Woken::Busy),
            Err(error) => Err(error.into()),
        }
    }
}

/// What a sleep has ended for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Woken {
    /// Something has arrived, or is due.
    Busy,
    /// The time of a connection that has not begun has come.
    Beginning,
    /// The run is over.
    Stopped,
}
