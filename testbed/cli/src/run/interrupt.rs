//! Ctrl-C, or the end of a lifeline: no run begins any more; simulations under way may take two seconds more, live runs are
//! ended.

use std::io;
use std::process::{self, Child};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use crate::failure::Failure;

/// A process of ours, to be ended from another thread.
pub(crate) type Shared = Arc<Mutex<Child>>;

/// Whether somebody asked to stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Arc<State>);

#[derive(Debug, Default)]
struct State {
    asked: AtomicBool,
    is_unwanted: AtomicBool,
    children: Mutex<Vec<Weak<Mutex<Child>>>>,
}

impl Stop {
    /// Whether to begin no further run.
    pub(crate) fn asked(&self) -> bool {
        self.0.asked.load(Ordering::SeqCst)
    }

    /// Whether what is under way is to be given up as well.
    pub(crate) fn is_unwanted(&self) -> &AtomicBool {
        &self.0.is_unwanted
    }

    /// From now on this child ends when somebody asks to stop; at once if somebody has.
    pub(crate) fn adopt(&self, child: Child) -> Shared {
        let child = Arc::new(Mutex::new(child));
        {
            let mut children = self.0.children.lock().unwrap_or_else(PoisonError::into_inner);
            children.retain(|child| child.strong_count() > 0);
            children.push(Arc::downgrade(&child));
        }
        if self.asked() {
            end(&child);
        }
        child
    }

    fn ask(&self) {
        self.0.asked.store(true, Ordering::SeqCst);
        let children = self.0.children.lock().unwrap_or_else(PoisonError::into_inner);
        children.iter().filter_map(Weak::upgrade).for_each(|child| end(&child));
    }

    fn give_up(&self) {
        self.0.is_unwanted.store(true, Ordering::Relaxed);
    }
}

/// Ends a child. The kernel removes what it has; one that has ended already is left alone.
fn end(child: &Shared) {
    // An error would mean that it is gone.
    let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
}

/// How long simulations under way may go on after Ctrl-C: most end within it, and are not lost.
const AFTER_AN_INTERRUPT: Duration = Duration::from_secs(2);

/// From now on SIGINT and SIGTERM ask to stop.
pub(crate) fn watch() -> Result<Stop, Failure> {
    let stop = Stop::default();
    let asked = stop.clone();
    let handle = move || {
        asked.ask();
        thread::sleep(AFTER_AN_INTERRUPT);
        asked.give_up();
    };
    ctrlc::set_handler(handle).map_err(|error| Failure::Machine(format!("cannot watch for Ctrl-C: {error}")))?;
    Ok(stop)
}

/// How long what is under way may go on once the lifeline has ended: nobody takes its result any more.
const AFTER_THE_LIFELINE: Duration = Duration::from_millis(250);

/// From now on the end of standard input asks to stop. It is held by a process that may be killed, and that could not say
/// so itself; nothing is to go on without it.
pub(crate) fn hold_on_to_standard_input(stop: &Stop) -> Result<(), Failure> {
    let stop = stop.clone();
    let watch = move || {
        // What comes on it means nothing; an error would mean that it has ended, too.
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        stop.ask();
        stop.give_up();
        thread::sleep(AFTER_THE_LIFELINE);
        process::exit(i32::from(Failure::INTERRUPTED));
    };
    let started = thread::Builder::new().name("lifeline".to_owned()).spawn(watch);
    started
        .map(drop)
        .map_err(|error| Failure::Machine(format!("cannot watch the lifeline: {error}")))
}
