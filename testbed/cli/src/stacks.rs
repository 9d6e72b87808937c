//! Stacks from elsewhere: those that are built into this engine, and programs that speak the contract.
//!
//! An engine with a stack in it is this crate with another `main` (`stacks/`): [`crate::main_with`]. It makes the runs of
//! that stack for the engine that has none, which starts it ([`crate::run`]).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use serde::Serialize;
use windlull_stack::Program;
use windlull_transport::process::Process;
use windlull_transport::{Answers, Broken, Role, Stack, Start, Transport, Write, built_in};
use windlull_units::{Carries, Ecn, Seed, Time};

use crate::run::cell::Cell;

/// Makes these the stacks of this engine, once.
pub(crate) fn build_in(stacks: Vec<Box<dyn Stack + Send>>) {
    let watched = stacks.into_iter().map(|stack| Box::new(Watched(stack)) as _).collect();
    if windlull_transport::build_in(watched) {
        thread::spawn(watch);
    }
}

/// A stack that is built in, for `windlull stacks list`.
#[derive(Debug, Serialize)]
pub(crate) struct Listed {
    name: String,
    /// The package and its version.
    version: String,
    /// Its options, each with what it means.
    options: BTreeMap<&'static str, &'static str>,
}

/// Begins an end of a connection, and forgets it: whether the stack takes these options.
///
/// # Errors
/// If it does not: why, in its words.
pub(crate) fn begin(name: &str, options: &BTreeMap<String, String>) -> Result<(), Broken> {
    let stack = built_in()
        .find(|stack| stack.name() == name)
        .ok_or_else(|| Broken(format!("this engine has no stack {name:?}")))?;
    let start = Start::of_run(Role::Client, Seed::new(0), options.clone());
    stack.begin(&start).map(drop)
}

pub(crate) fn list() -> Vec<Listed> {
    let listed = built_in().map(|stack| Listed {
        name: stack.name().to_owned(),
        version: stack.version(),
        options: stack.options().iter().copied().collect(),
    });
    listed.collect()
}

/// Whether runs of this program can be made here.
pub(crate) fn is_here(program: &Program) -> bool {
    match program {
        Program::Built(name) => built_in().any(|stack| stack.name() == name),
        Program::Command(_) => true,
    }
}

/// The stacks of one run.
pub(crate) struct Stacks {
    processes: Vec<Process>,
}

impl Stacks {
    /// Those that a run's variants name. Nothing is started yet.
    pub(crate) fn of(cell: &Cell<'_>) -> Self {
        let commands = cell.transports().filter_map(|transport| match &transport.program {
            Program::Built(_) => None,
            Program::Command(command) => Some(Process::of(command.clone(), transport.carries)),
        });
        Self {
            processes: commands.collect(),
        }
    }

    /// The stack of a variant.
    pub(crate) fn of_variant(&self, transport: &windlull_stack::Transport) -> &dyn Stack {
        match &transport.program {
            Program::Built(name) => built_in()
                .find(|stack| stack.name() == name)
                .expect("runs of other stacks are made by their own engines"),
            Program::Command(command) => self
                .processes
                .iter()
                .find(|process| process.command() == command && process.carries() == transport.carries)
                .expect("all that the run's variants name"),
        }
    }
}

/// A call that takes so long never returns: one packet takes a stack some microseconds.
const PATIENCE_S: u32 = 10;

/// The counters of all ends that there are: odd while the stack computes.
static ENDS: Mutex<Vec<Weak<AtomicU64>>> = Mutex::new(Vec::new());

/// A stack whose calls are watched: an engine that it hangs ends by itself, and says so.
struct Watched(Box<dyn Stack + Send>);

struct WatchedEnd {
    end: Box<dyn Transport>,
    calls: Arc<AtomicU64>,
}

/// Ends the process if a call does not return.
fn watch() {
    let mut before: Vec<(u64, u32)> = Vec::new();
    loop {
        thread::sleep(Duration::from_secs(1));
        let ends = ENDS.lock().unwrap_or_else(PoisonError::into_inner).clone();
        before.resize(ends.len(), (0, 0));
        for (end, (last, seconds)) in ends.iter().zip(&mut before) {
            let calls = end.upgrade().map_or(0, |calls| calls.load(Ordering::Relaxed));
            let hangs = calls % 2 == 1 && calls == *last;
            *seconds = if hangs { *seconds + 1 } else { 0 };
            *last = calls;
            if *seconds >= PATIENCE_S {
                hang();
            }
        }
    }
}

#[expect(clippy::print_stderr, reason = "the engine that started this one reads it")]
fn hang() -> ! {
    let names: Vec<_> = built_in().map(Stack::name).collect();
    eprintln!(
        "error: the stack {} hangs: one call has not returned for {PATIENCE_S} s",
        names.join(", ")
    );
    std::process::exit(1)
}

impl Stack for Watched {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn version(&self) -> String {
        self.0.version()
    }

    fn options(&self) -> &'static [(&'static str, &'static str)] {
        self.0.options()
    }

    fn carries(&self) -> Carries {
        self.0.carries()
    }

    fn begin(&self, start: &Start) -> Result<Box<dyn Transport>, Broken> {
        let calls = Arc::new(AtomicU64::new(0));
        let mut ends = ENDS.lock().unwrap_or_else(PoisonError::into_inner);
        match ends.iter_mut().find(|end| end.strong_count() == 0) {
            Some(gone) => *gone = Arc::downgrade(&calls),
            None => ends.push(Arc::downgrade(&calls)),
        }
        drop(ends);
        let end = self.0.begin(start)?;
        Ok(Box::new(WatchedEnd { end, calls }))
    }
}

impl WatchedEnd {
    fn call<T>(&mut self, call: impl FnOnce(&mut dyn Transport) -> T) -> T {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let answer = call(self.end.as_mut());
        self.calls.fetch_add(1, Ordering::Relaxed);
        answer
    }
}

impl Transport for WatchedEnd {
    fn connect(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        self.call(|end| end.connect(now, answers))
    }

    fn datagram(&mut self, now: Time, octets: &[u8], ecn: Ecn, answers: &mut Answers) -> Result<(), Broken> {
        self.call(|end| end.datagram(now, octets, ecn, answers))
    }

    fn wake(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        self.call(|end| end.wake(now, answers))
    }

    fn write(&mut self, now: Time, write: Write, answers: &mut Answers) -> Result<(), Broken> {
        self.call(|end| end.write(now, write, answers))
    }

    fn close(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        self.call(|end| end.close(now, answers))
    }
}
