//! Real-time priority for the plane's threads, where this process may have it.

#![expect(unsafe_code, reason = "a system call that nix has no function for")]

use std::io;

use nix::unistd::{SysconfVar, sysconf};

/// Above every ordinary thread, and below the kernel's own real-time threads, which have 50.
const PRIORITY: libc::c_int = 10;

/// Lets the calling thread go before every ordinary one: SCHED_FIFO (sched(7)). Threads and programs that it starts are
/// ordinary again. The kernel keeps five hundredths of each second for the others, whatever this thread does. False on
/// a machine with one core, where a thread that looks at the clock would keep the hosts from what they do.
///
/// # Errors
/// If the kernel refuses: it takes CAP_SYS_NICE, or a limit RLIMIT_RTPRIO of at least 10.
pub(super) fn raise() -> io::Result<bool> {
    if sysconf(SysconfVar::_NPROCESSORS_ONLN)?.is_none_or(|cores| cores < 2) {
        return Ok(false);
    }
    let parameters = libc::sched_param {
        sched_priority: PRIORITY,
    };
    // SAFETY: 0 is the calling thread, and the kernel reads the structure during the call alone.
    let done =
        unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, &raw const parameters) };
    if done == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::thread;

    use super::*;

    /// The field `policy` of this thread (proc_pid_stat(5), field 41), and its real-time priority (40).
    fn policy() -> (String, String) {
        let stat = fs::read_to_string("/proc/thread-self/stat").expect("every thread has one");
        let (_, after_name) = stat.rsplit_once(')').expect("a name in brackets");
        let fields: Vec<&str> = after_name.split_whitespace().collect();
        (fields[41 - 3].to_owned(), fields[40 - 3].to_owned())
    }

    #[test]
    fn the_thread_has_real_time_priority_or_is_as_it_was_and_its_children_are_ordinary() {
        let raised = thread::spawn(|| {
            let raised = raise();
            let child = thread::spawn(policy).join().expect("it does not panic");
            assert_eq!(child, ("0".to_owned(), "0".to_owned()));
            (raised.unwrap_or(false), policy())
        });
        let (raised, policy) = raised.join().expect("it does not panic");
        let expected = if raised { ("1", "10") } else { ("0", "0") };
        assert_eq!((policy.0.as_str(), policy.1.as_str()), expected);
    }
}
