//! Programs that end when the thread that started them does, and threads that end with what they have made.

#![expect(unsafe_code, reason = "what happens between fork and exec is unsafe by nature")]

use std::io;
use std::os::unix::process::CommandExt;
use std::panic::resume_unwind;
use std::process::Command;
use std::thread::JoinHandle;

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::unistd::{Pid, getpid, getppid};

/// Has the program killed when the thread that starts it ends: nothing survives a killed process of ours, and no
/// namespace is held by a tool that is still at work in it. To be asked for on a thread that waits for the program.
pub fn end_with_parent(command: &mut Command) {
    let parent = getpid();
    // SAFETY: between fork and exec only async-signal-safe calls are made: prctl and getppid; no memory is allocated.
    unsafe {
        command.pre_exec(move || ask_for_the_end(parent));
    }
}

fn ask_for_the_end(parent: Pid) -> io::Result<()> {
    set_pdeathsig(Signal::SIGKILL)?;
    // The parent may have ended before the request was made.
    if getppid() == parent {
        Ok(())
    } else {
        Err(io::Error::from_raw_os_error(libc::ESRCH))
    }
}

/// What a thread has made. If it has panicked, so does this one.
pub fn join<T>(thread: JoinHandle<T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
