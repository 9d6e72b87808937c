//! A processor core for the plane alone, as far as this process can grant it.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// The reserved core; `NONE` if there is none.
static RESERVED: AtomicUsize = AtomicUsize::new(NONE);
const NONE: usize = usize::MAX;

/// The calling thread.
const SELF: Pid = Pid::from_raw(0);

/// Keeps a core free for planes: the calling thread and the threads and programs that it starts from now on leave the
/// last of their cores alone, and planes that are started afterwards run there. For who measures, or runs one link at a
/// time; it is best called before there is a second thread. False if there is only one core, or one is reserved.
///
/// # Errors
/// If the kernel does not let the thread choose its cores.
pub fn reserve_core() -> io::Result<bool> {
    let mut mine = sched_getaffinity(SELF)?;
    let cores: Vec<usize> = (0..CpuSet::count())
        .filter(|&core| mine.is_set(core).unwrap_or(false))
        .collect();
    let [_, .., last] = cores[..] else {
        return Ok(false);
    };
    if RESERVED.load(Ordering::Relaxed) != NONE {
        return Ok(false);
    }
    mine.unset(last)?;
    sched_setaffinity(SELF, &mine)?;
    RESERVED.store(last, Ordering::Relaxed);
    Ok(true)
}

/// Moves the calling thread to the reserved core, if there is one.
pub(super) fn enter() -> io::Result<()> {
    let core = RESERVED.load(Ordering::Relaxed);
    if core == NONE {
        return Ok(());
    }
    let mut only = CpuSet::new();
    only.set(core)?;
    Ok(sched_setaffinity(SELF, &only)?)
}
