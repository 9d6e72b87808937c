//! Signals while a program runs: those of the terminal meet the program itself, which is in the foreground with us; those
//! that are meant for us are passed on to it.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{SigSet, Signal, kill};
use nix::unistd::Pid;

/// How long a program may take to end when its time is over.
const GRACE: Duration = Duration::from_secs(2);

/// The program, once it runs, and what it was told before or will have been told.
#[derive(Debug, Default)]
struct State {
    program: Option<Pid>,
    /// What came before there was a program.
    waiting: Option<Signal>,
    in_time: bool,
}

/// What comes for this process, from when its threads no longer take it.
#[derive(Clone, Debug)]
pub(super) struct Signals {
    set: SigSet,
    state: Arc<Mutex<State>>,
}

impl Signals {
    /// From now on no thread takes them. To be called while there is one thread.
    pub(super) fn block() -> io::Result<Self> {
        let mut set = SigSet::empty();
        for signal in [Signal::SIGINT, Signal::SIGQUIT, Signal::SIGTERM, Signal::SIGHUP] {
            set.add(signal);
        }
        set.thread_block()?;
        Ok(Self {
            set,
            state: Arc::default(),
        })
    }

    /// A thread passes them on, for as long as this process lives.
    pub(super) fn watch(&self) -> io::Result<()> {
        let watched = self.clone();
        thread::Builder::new().name("signals".to_owned()).spawn(move || {
            while let Ok(signal) = watched.set.wait() {
                match signal {
                    // The terminal sends these to the whole foreground: the program has them already (system(3)).
                    Signal::SIGINT | Signal::SIGQUIT => {}
                    signal => watched.tell(signal),
                }
            }
        })?;
        Ok(())
    }

    /// Tells the program to end after so long, if it still runs.
    pub(super) fn end_after(&self, time: Duration) -> io::Result<()> {
        let timed = self.clone();
        thread::Builder::new().name("time".to_owned()).spawn(move || {
            thread::sleep(time);
            timed.state().in_time = true;
            // An interactive shell does not end by SIGTERM, and what `nohup` has started not by SIGHUP.
            timed.tell(Signal::SIGHUP);
            timed.tell(Signal::SIGTERM);
            thread::sleep(GRACE);
            timed.tell(Signal::SIGKILL);
        })?;
        Ok(())
    }

    /// There is a program, which has not been waited for: the number is its own.
    pub(super) fn started(&self, program: Pid) {
        let mut state = self.state();
        state.program = Some(program);
        if let Some(signal) = state.waiting.take() {
            let _ = kill(program, signal);
        }
    }

    /// It has ended: from now on its number may be another's. Whether it was told to end because its time was over.
    pub(super) fn ended(&self) -> bool {
        let mut state = self.state();
        state.program = None;
        state.in_time
    }

    fn tell(&self, signal: Signal) {
        let mut state = self.state();
        match state.program {
            Some(program) => {
                // Gone is as good.
                let _ = kill(program, signal);
            }
            None => state.waiting = Some(signal),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
