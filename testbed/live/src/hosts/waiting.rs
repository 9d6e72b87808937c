//! A conversation that waits for its socket and can be stopped at any time; how far it is, anybody may look.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::eventfd::EventFd;
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use windlull_plane::Epoch;
use windlull_units::Time;

/// How far an end is.
#[derive(Debug, Default)]
pub struct Progress {
    connected: AtomicBool,
    fin_acknowledged: AtomicBool,
    closed: AtomicBool,
    over: AtomicBool,
    received: AtomicU64,
}

impl Progress {
    /// Whether the handshake is done.
    pub fn connected(&self) -> bool {
        self.connected.load(Ordering::Acquire)
    }

    /// Whether the peer has acknowledged its FIN.
    pub fn fin_acknowledged(&self) -> bool {
        self.fin_acknowledged.load(Ordering::Acquire)
    }

    /// Whether both ends have closed.
    pub fn closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Whether the program has nothing more to do, well or not.
    pub fn over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Octets that the program has read.
    pub fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    pub(super) fn has_received(&self, octets: u64) {
        self.received.store(octets, Ordering::Relaxed);
    }

    pub(super) fn is_connected(&self) {
        self.connected.store(true, Ordering::Release);
    }

    pub(super) fn fin_is_acknowledged(&self) {
        self.fin_acknowledged.store(true, Ordering::Release);
    }

    pub(super) fn is_closed(&self) {
        self.fin_is_acknowledged();
        self.closed.store(true, Ordering::Release);
    }

    pub(super) fn is_over(&self) {
        self.over.store(true, Ordering::Release);
    }
}

/// Why a conversation ended early.
#[derive(Debug)]
pub(super) enum Ended {
    /// Somebody wanted it to.
    Stopped,
    Failed(io::Error),
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

/// Waits until a time, to the resolution of the kernel's clock: poll(2) may be a thousandth of the wait too late.
pub(super) fn wait_until(time: Time, epoch: Epoch, stop: &EventFd) -> Result<(), Ended> {
    let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_CLOEXEC).map_err(io::Error::from)?;
    let left = epoch.until_start() + time.since(epoch.now());
    if left.is_zero() {
        return Ok(());
    }
    let once = Expiration::OneShot(Duration::from_nanos(left.as_ns()).into());
    timer.set(once, TimerSetTimeFlags::empty()).map_err(io::Error::from)?;
    wait(timer.as_fd(), PollFlags::POLLIN, stop, None)
}

/// Waits until the socket is ready, at most until a time.
pub(super) fn wait(
    socket: BorrowedFd<'_>,
    flags: PollFlags,
    stop: &EventFd,
    until: Option<(Epoch, Time)>,
) -> Result<(), Ended> {
    loop {
        let timeout = match until {
            None => None,
            Some((epoch, until)) => {
                let left = until.since(epoch.now());
                if left.is_zero() {
                    return Ok(());
                }
                Some(TimeSpec::from_duration(Duration::from_nanos(left.as_ns())))
            }
        };
        let mut ready = [PollFd::new(stop.as_fd(), PollFlags::POLLIN), PollFd::new(socket, flags)];
        match ppoll(&mut ready, timeout, None) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
        if ready[0].any().unwrap_or(false) {
            return Err(Ended::Stopped);
        }
        if ready[1].any().unwrap_or(false) {
            return Ok(());
        }
    }
}
