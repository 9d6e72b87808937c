//! Processes, told apart by number and start time: numbers are used again.

use std::fs;
use std::io;

/// A process: no other one has the same two numbers until the machine starts anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Started {
    pub(super) pid: u32,
    /// When it started, in the kernel's ticks since the machine did.
    pub(super) started: u64,
}

impl Started {
    /// The process of this number, as it is now.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn of(pid: u32) -> io::Result<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
        let started = start_time(&stat).ok_or(io::ErrorKind::InvalidData)?;
        Ok(Self { pid, started })
    }

    /// This very process.
    ///
    /// # Errors
    /// If `/proc` is not there.
    pub(super) fn this_process() -> io::Result<Self> {
        Self::of(std::process::id())
    }

    /// Whether it still runs; who has ended and waits to be noticed by its parent does not.
    pub(super) fn lives(self) -> bool {
        fs::read_to_string(format!("/proc/{}/stat", self.pid))
            .is_ok_and(|stat| start_time(&stat) == Some(self.started) && !is_ended(&stat))
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
    fn only_the_process_that_started_then_lives() {
        let mut child = Command::new("sleep").arg("1000").spawn().expect("sleep is everywhere");
        let process = Started::of(child.id()).expect("it runs");
        let other = Started {
            started: process.started + 1,
            ..process
        };
        assert!(process.lives() && !other.lives());
        child.kill().expect("it is ours");
        while process.lives() {
            std::thread::yield_now();
        }
        child.wait().expect("it ended");
        assert!(!process.lives());
    }
}
