//! Processes, told apart by number and start time: numbers are used again.

#![expect(unsafe_code, reason = "file descriptors of processes have no safe wrapper here")]

use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde::{Deserialize, Serialize};

/// Enough for the kernel to take a killed process apart, ms.
const END_WITHIN: u16 = 10_000;

/// A process: no other one has the same two numbers until the machine starts anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    pub pid: u32,
    /// When it started, in the kernel's ticks since the machine did.
    pub started: u64,
}

impl Started {
    /// The process of this number, as it is now.
    ///
    /// # Errors
    /// If there is none.
    pub fn of(pid: u32) -> io::Result<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
        let started = start_time(&stat).ok_or(io::ErrorKind::InvalidData)?;
        Ok(Self { pid, started })
    }

    /// This very process.
    ///
    /// # Errors
    /// If `/proc` is not there.
    pub fn this_process() -> io::Result<Self> {
        Self::of(std::process::id())
    }

    /// Whether it still runs; who has ended and waits to be noticed by its parent does not.
    pub(super) fn lives(self) -> bool {
        fs::read_to_string(format!("/proc/{}/stat", self.pid))
            .is_ok_and(|stat| start_time(&stat) == Some(self.started) && !is_ended(&stat))
    }
}

/// Kills a process, if it is that one, and waits until it has ended.
pub(super) fn end(process: Started) -> io::Result<()> {
    let handle = match open(process.pid) {
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => return Ok(()),
        handle => handle?,
    };
    // The handle is of whoever had the number when it was opened: if the start time agrees now, it is the right one.
    if !process.lives() {
        return Ok(());
    }
    // SAFETY: a plain system call without memory.
    let failed = unsafe {
        libc::syscall(
            libc::SYS_pidfd_send_signal,
            handle.as_raw_fd(),
            libc::SIGKILL,
            std::ptr::null::<libc::siginfo_t>(),
            0,
        )
    };
    if failed != 0 && io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH) {
        return Err(io::Error::last_os_error());
    }
    let mut ended = [PollFd::new(handle.as_fd(), PollFlags::POLLIN)];
    match poll(&mut ended, PollTimeout::from(END_WITHIN))? {
        0 => Err(io::ErrorKind::TimedOut.into()),
        _ => Ok(()),
    }
}

fn open(pid: u32) -> io::Result<OwnedFd> {
    // SAFETY: a plain system call; a descriptor that is not negative is ours.
    unsafe {
        let handle = libc::syscall(libc::SYS_pidfd_open, pid, 0);
        if handle < 0 {
            return Err(io::Error::last_os_error());
        }
        let handle = i32::try_from(handle).map_err(io::Error::other)?;
        Ok(OwnedFd::from_raw_fd(handle))
    }
}

/// The fields behind the name, which is in parentheses and may hold anything.
fn fields(stat: &str) -> impl Iterator<Item = &str> {
    stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace()
}

/// Field 22 of `/proc/PID/stat` (proc(5)).
fn start_time(stat: &str) -> Option<u64> {
    fields(stat).nth(22 - 3)?.parse().ok()
}

/// Field 3: zombie or dead.
fn is_ended(stat: &str) -> bool {
    matches!(fields(stat).next(), Some("Z" | "X"))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let stat = "7 (a) b) c) Z 1 7 7 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0";
        assert_eq!(start_time(stat), Some(4711));
        assert!(is_ended(stat));
        assert_eq!(start_time("nothing"), None);
    }

    #[test]
    fn only_the_process_that_started_then_is_ended() {
        let mut child = Command::new("sleep").arg("1000").spawn().expect("sleep is everywhere");
        let process = Started::of(child.id()).expect("it runs");
        let other = Started {
            started: process.started + 1,
            ..process
        };
        end(other).expect("nothing to do");
        assert!(process.lives());
        end(process).expect("it is ours");
        assert!(!process.lives());
        child.wait().expect("it ended");
        end(process).expect("nothing to do");
    }
}
