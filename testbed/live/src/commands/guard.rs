//! A process between us and a program: when the program ends, so does all that it has started, however far it went away.
//!
//! ```text
//!     this process --- guard --- the program --- its children, in whatever group or session
//!                        ^                            |
//!                        +--- orphans become its children (PR_SET_CHILD_SUBREAPER)
//! ```
//!
//! The guard ends as the program did: with its exit code, or by its signal.

#![expect(
    unsafe_code,
    reason = "a process is forked, and between fork and exec all is unsafe by nature"
)]

use std::ffi::{CStr, c_int};
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::ptr;

use nix::sys::signal::Signal;
use nix::unistd::getpid;

/// Asks the guard to ask the program to end.
pub(super) const ASK: Signal = Signal::SIGTERM;
/// Has the guard kill the program; the kernel sends it when whoever started the program has ended.
pub(super) const END: Signal = Signal::SIGINT;

/// How often what is left is killed anew, and the pause between: two seconds in all. A program may leave processes of
/// another user, which nobody here can end.
const TRIES: u32 = 400;
const PAUSE: libc::timespec = libc::timespec {
    tv_sec: 0,
    tv_nsec: 5_000_000,
};
/// What a signal adds to the exit code, as a shell has it, where the guard cannot end by that signal.
const BY_SIGNAL: c_int = 128;

/// Has a guard between this process and the program. To be asked for last, and on a thread that waits for the program:
/// the guard ends it when that thread ends.
pub(super) fn guard(command: &mut Command) {
    let parent = getpid();
    // SAFETY: between fork and exec, and in the guard, which never execs, only async-signal-safe calls are made: no memory
    // is allocated, and no lock is taken.
    unsafe {
        command.pre_exec(move || between(parent.as_raw()));
    }
}

/// In the new process: it becomes the guard, and returns in a child of its own, which becomes the program.
fn between(parent: libc::pid_t) -> io::Result<()> {
    // SAFETY: plain system calls on this process alone; `all` and `before` are written by the first two.
    unsafe {
        let mut all = MaybeUninit::uninit();
        let mut before = MaybeUninit::uninit();
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
        let asked =
            libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) == 0 && libc::prctl(libc::PR_SET_PDEATHSIG, END as c_int) == 0;
        if !asked {
            return Err(io::Error::last_os_error());
        }
        // It may have ended before that.
        if libc::getppid() != parent {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        let guard = libc::getpid();
        match libc::fork() {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                // A group of its own, that signals for the program do not meet the guard.
                libc::setpgid(0, 0);
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut());
                if libc::getppid() == guard {
                    Ok(())
                } else {
                    Err(io::Error::from_raw_os_error(libc::ESRCH))
                }
            }
            program => {
                libc::setpgid(program, program);
                // Pipes end with who writes into them, and that is not the guard.
                libc::syscall(libc::SYS_close_range, 0_u32, u32::MAX, 0_u32);
                let status = watch(program, all.as_ptr());
                end_the_rest(guard);
                end_as(status)
            }
        }
    }
}

/// Passes orders on until the program has ended; its status.
///
/// # Safety
/// In the guard, with all signals blocked, of which `all` is the set.
unsafe fn watch(program: libc::pid_t, all: *const libc::sigset_t) -> c_int {
    loop {
        let mut status = 0;
        // SAFETY: system calls with a place to write to.
        unsafe {
            match libc::waitpid(-1, &raw mut status, libc::WNOHANG) {
                ended if ended == program => return status,
                // An orphan of the program's has ended; there may be more.
                orphan if orphan > 0 => continue,
                _ => {}
            }
            match libc::sigwaitinfo(all, ptr::null_mut()) {
                asked if asked == ASK as c_int => tell(program, libc::SIGTERM),
                asked if asked == END as c_int => tell(program, libc::SIGKILL),
                _ => {}
            }
        }
    }
}

/// Sends a signal to the program's group, and to the program, should it have left that.
///
/// # Safety
/// The program has not been waited for: its number is its own.
unsafe fn tell(program: libc::pid_t, signal: c_int) {
    // SAFETY: system calls without memory; gone is as good.
    unsafe {
        libc::kill(-program, signal);
        libc::kill(program, signal);
    }
}

/// Kills what the program has left, generation by generation: the children of what is killed become the guard's.
///
/// # Safety
/// In the guard, whose number is `guard`.
unsafe fn end_the_rest(guard: libc::pid_t) {
    for _ in 0..TRIES {
        // SAFETY: system calls without memory.
        unsafe {
            loop {
                match libc::waitpid(-1, ptr::null_mut(), libc::WNOHANG) {
                    -1 => return,
                    0 => break,
                    _ => {}
                }
            }
            for_each_child(guard, |child| {
                libc::kill(child, libc::SIGKILL);
            });
            libc::nanosleep(ptr::from_ref(&PAUSE), ptr::null_mut());
        }
    }
}

/// Ends as the program did.
///
/// # Safety
/// In the guard; it does not return.
unsafe fn end_as(status: c_int) -> ! {
    // SAFETY: system calls with places to read from.
    unsafe {
        if libc::WIFSIGNALED(status) {
            let signal = libc::WTERMSIG(status);
            let none = libc::rlimit {
                rlim_cur: 0,
                rlim_max: 0,
            };
            // What there was to tell of a crash the program has left.
            libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
            libc::signal(signal, libc::SIG_DFL);
            libc::kill(libc::getpid(), signal);
            let mut this = MaybeUninit::uninit();
            libc::sigemptyset(this.as_mut_ptr());
            libc::sigaddset(this.as_mut_ptr(), signal);
            libc::pthread_sigmask(libc::SIG_UNBLOCK, this.as_ptr(), ptr::null_mut());
            libc::_exit(BY_SIGNAL + signal);
        }
        libc::_exit(libc::WEXITSTATUS(status))
    }
}

/// Finds the children of a process in /proc, without allocating.
///
/// # Safety
/// In the guard, which has no file open.
unsafe fn for_each_child(parent: libc::pid_t, mut found: impl FnMut(libc::pid_t)) {
    const PROC: &CStr = c"/proc";
    /// Where the name of a directory's entry begins: `struct linux_dirent64` of getdents64(2).
    const LENGTH_AT: usize = 16;
    const NAME_AT: usize = 19;
    let mut entries = [0_u8; 4096];
    // SAFETY: system calls that write into the array that they are given with its length.
    unsafe {
        let directory = libc::open(PROC.as_ptr(), libc::O_RDONLY | libc::O_DIRECTORY);
        if directory < 0 {
            return;
        }
        loop {
            let read = libc::syscall(libc::SYS_getdents64, directory, entries.as_mut_ptr(), entries.len());
            let Ok(read @ 1..) = usize::try_from(read) else { break };
            let mut at = 0;
            while at + NAME_AT < read {
                let length = usize::from(u16::from_ne_bytes([
                    entries[at + LENGTH_AT],
                    entries[at + LENGTH_AT + 1],
                ]));
                if length == 0 {
                    break;
                }
                let name = &entries[at + NAME_AT..(at + length).min(read)];
                if let Some(process) = number(name) {
                    if parent_of(process) == Some(parent) {
                        found(process);
                    }
                }
                at += length;
            }
        }
        libc::close(directory);
    }
}

/// The parent of a process: the second word behind the last `)` of `/proc/N/stat` (proc_pid_stat(5)).
fn parent_of(process: libc::pid_t) -> Option<libc::pid_t> {
    let mut path = *b"/proc/\0\0\0\0\0\0\0\0\0\0/stat\0";
    let mut digits = [0_u8; 10];
    let mut first = digits.len();
    let mut rest = process;
    while rest > 0 {
        first -= 1;
        digits[first] = b'0' + u8::try_from(rest % 10).ok()?;
        rest /= 10;
    }
    let length = digits.len() - first;
    path[6..6 + length].copy_from_slice(&digits[first..]);
    path[6 + length..6 + length + 6].copy_from_slice(b"/stat\0");
    let mut text = [0_u8; 512];
    // SAFETY: the path ends with a zero, and the array is given with its length.
    let read = unsafe {
        let file = libc::open(path.as_ptr().cast(), libc::O_RDONLY);
        if file < 0 {
            return None;
        }
        let read = libc::read(file, text.as_mut_ptr().cast(), text.len());
        libc::close(file);
        usize::try_from(read).ok()?
    };
    let text = &text[..read];
    let behind = text.iter().rposition(|octet| *octet == b')')? + 1;
    number(text.get(behind..)?.splitn(4, |octet| *octet == b' ').nth(2)?)
}

/// A number at the beginning; none if there is none, or if anything but the end, a zero or a blank follows.
fn number(text: &[u8]) -> Option<libc::pid_t> {
    let digits = text.iter().take_while(|octet| octet.is_ascii_digit()).count();
    let ends = matches!(text.get(digits), None | Some(0 | b' '));
    if digits == 0 || !ends {
        return None;
    }
    text[..digits].iter().try_fold(0, |sum: libc::pid_t, octet| {
        sum.checked_mul(10)?.checked_add(libc::pid_t::from(octet - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_found_in_proc() {
        let mut child = Command::new("sleep").arg("60").spawn().expect("it is there");
        let own = libc::pid_t::try_from(std::process::id()).expect("a small number");
        let its = libc::pid_t::try_from(child.id()).expect("a small number");
        assert_eq!(parent_of(its), Some(own));
        let mut found = Vec::new();
        // SAFETY: files are opened and closed; nothing is asked of the process itself.
        unsafe { for_each_child(own, |process| found.push(process)) };
        assert!(found.contains(&its) && !found.contains(&own), "{found:?}");
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
    }

    #[test]
    fn only_a_whole_number_is_one() {
        assert_eq!(number(b"17\0\0\0"), Some(17));
        assert_eq!(number(b"17 S"), Some(17));
        for wrong in [&b"self\0"[..], b"17x", b"", b"99999999999"] {
            assert_eq!(number(wrong), None, "{wrong:?}");
        }
    }
}
