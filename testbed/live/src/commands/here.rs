//! A program in a network namespace, with all that it starts.

use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command as Process, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;
use windlull_netns::{Namespace, join};
use windlull_plane::Epoch;
use windlull_units::Time;

use super::guard::{self, guard};
use super::output::Tail;
use super::{Command, Exit};

/// A program that is asked to end has so long before it is ended.
const TERM: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(5);
/// What a program wrote is there soon after its end; what it started may keep the pipe open for ever.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// A program at work.
#[derive(Debug)]
pub(crate) struct Running {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<io::Result<io::Result<Exit>>>>,
}

#[derive(Debug, Default)]
struct Shared {
    /// The process that guards it, until that is waited for: afterwards the number may be another's.
    guard: Mutex<Option<Pid>>,
    over: AtomicBool,
}

impl Running {
    /// Starts it on a thread of the namespace, which waits for it: it ends with this process, however that ends.
    pub(super) fn start(namespace: &Namespace, command: &Command) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let (ready, started) = sync_channel(1);
        let (its, command) = (Arc::clone(&shared), command.clone());
        let thread = namespace.spawn("command", move || {
            let begun = match Begun::spawn(&command) {
                Ok(begun) => begun,
                Err(error) => {
                    // The result tells the rest.
                    let _ = ready.send(Err(error));
                    return Err(io::Error::other("it was not started"));
                }
            };
            *its.guard() = Some(begun.pid);
            let _ = ready.send(Ok(()));
            let exit = begun.wait(&its);
            its.over.store(true, Ordering::Release);
            exit
        })?;
        started
            .recv()
            .unwrap_or_else(|_| Err(io::Error::other("its namespace cannot be entered")))?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    pub(super) fn is_over(&self) -> bool {
        self.shared.over.load(Ordering::Acquire)
    }

    pub(super) fn stop(mut self) -> io::Result<Exit> {
        self.end()
            .unwrap_or_else(|| Err(io::Error::other("it was ended before")))
    }

    fn end(&mut self) -> Option<io::Result<Exit>> {
        let thread = self.thread.take()?;
        self.shared.signal(guard::ASK);
        let asked = Instant::now();
        while !self.is_over() && asked.elapsed() < TERM {
            thread::sleep(LOOK);
        }
        self.shared.signal(guard::END);
        let ended = join(thread);
        Some(ended.and_then(|exit| exit))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Who drops it does not ask how it went.
        let _ = self.end();
    }
}

impl Shared {
    fn guard(&self) -> std::sync::MutexGuard<'_, Option<Pid>> {
        self.guard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn signal(&self, signal: Signal) {
        if let Some(guard) = *self.guard() {
            // Gone is as good.
            let _ = kill(guard, signal);
        }
    }
}

/// A program that was just started.
struct Begun {
    child: Child,
    pid: Pid,
    began_ns: u64,
    streams: [Tail; 2],
    readers: Vec<JoinHandle<()>>,
}

impl Begun {
    fn spawn(command: &Command) -> io::Result<Self> {
        let (program, arguments) = command
            .program
            .split_first()
            .ok_or_else(|| io::Error::other("there is no program to start"))?;
        let mut process = Process::new(program);
        process
            .args(arguments)
            .envs(&command.environment)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        guard(&mut process);
        let began_ns = now_ns();
        let mut child = process
            .spawn()
            .map_err(|error| io::Error::new(error.kind(), format!("{program}: {error}")))?;
        let streams = [Tail::default(), Tail::default()];
        let mut readers = Vec::new();
        if let Some(out) = child.stdout.take() {
            readers.push(streams[0].read(out)?);
        }
        if let Some(errors) = child.stderr.take() {
            readers.push(streams[1].read(errors)?);
        }
        Ok(Self {
            pid: Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?),
            child,
            began_ns,
            streams,
            readers,
        })
    }

    /// Waits for its end, and that of all that it has left.
    fn wait(mut self, shared: &Shared) -> io::Result<Exit> {
        // It is not reaped yet: its number stays its own until nobody signals to it any more.
        while let Err(error) = waitid(Id::Pid(self.pid), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT) {
            if error != Errno::EINTR {
                return Err(error.into());
            }
        }
        let ended_ns = now_ns();
        *shared.guard() = None;
        let status: ExitStatus = self.child.wait()?;
        let asked = Instant::now();
        while self.readers.iter().any(|reader| !reader.is_finished()) && asked.elapsed() < LAST_WORDS {
            thread::sleep(LOOK);
        }
        let [(output, out_left), (errors, errors_left)] = self.streams.map(|stream| stream.take());
        Ok(Exit {
            began_ns: self.began_ns,
            ended_ns,
            code: status.code(),
            signal: status.signal(),
            output,
            errors,
            left_out: out_left + errors_left,
        })
    }
}

fn now_ns() -> u64 {
    Epoch::begin().to_monotonic_ns(Time::ZERO)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn started(script: &str) -> Running {
        let command = Command {
            program: ["sh", "-c", script].map(str::to_owned).into(),
            environment: BTreeMap::from([("WINDLULL_LINK".to_owned(), "gprs".to_owned())]),
        };
        Running::start(&Namespace::own("test"), &command).expect("there is a shell")
    }

    fn at_its_end(script: &str) -> Exit {
        let running = started(script);
        while !running.is_over() {
            thread::sleep(LOOK);
        }
        running.stop().expect("it has ended")
    }

    #[test]
    fn exit_code_output_and_environment_are_told() {
        let exit = at_its_end("echo $WINDLULL_LINK; echo oh >&2; exit 7");
        assert_eq!((exit.code, exit.signal), (Some(7), None));
        assert_eq!((exit.output.as_str(), exit.errors.as_str()), ("gprs\n", "oh\n"));
        assert!(exit.ended_ns >= exit.began_ns);
    }

    #[test]
    fn a_signal_that_ended_it_is_told() {
        let exit = at_its_end("kill -9 $$");
        assert_eq!((exit.code, exit.signal), (None, Some(9)));
    }

    #[test]
    fn it_is_ended_with_all_that_it_started() {
        let running = started("sleep 1000 & echo $!; wait");
        thread::sleep(Duration::from_millis(300));
        let exit = running.stop().expect("it can be ended");
        assert_eq!(exit.signal, Some(15));
        must_be_gone(&exit.output);
    }

    fn must_be_gone(process: &str) {
        let process = Pid::from_raw(process.trim().parse().expect("a number"));
        let begun = Instant::now();
        while kill(process, None).is_ok() {
            assert!(begun.elapsed() < TERM, "{process} is still there");
            thread::sleep(LOOK);
        }
    }

    /// A daemon: in a session of its own, its parent gone, its pipes closed.
    const DAEMON: &str = "setsid sh -c 'echo $$ >>DAEMONS; exec sleep 1000' >/dev/null 2>&1 </dev/null & ";

    fn with_daemons(script: &str) -> (Exit, Vec<String>) {
        let directory = tempfile::tempdir().expect("a directory");
        let list = directory.path().join("daemons");
        let daemon = DAEMON.replace("DAEMONS", &list.display().to_string());
        let both = format!(
            r#"while [ "$(wc -l <{0} 2>/dev/null)" != 2 ]; do sleep 0.01; done"#,
            list.display()
        );
        // The parent of the first has ended long before the program.
        let exit = at_its_end(&format!("({daemon}); {daemon} {both}; {script}"));
        let daemons = std::fs::read_to_string(&list).expect("they wrote it");
        (exit, daemons.lines().map(str::to_owned).collect())
    }

    #[test]
    fn what_left_its_process_group_ends_with_it() {
        let (exit, daemons) = with_daemons("exit 3");
        assert_eq!((exit.code, daemons.len()), (Some(3), 2));
        for daemon in &daemons {
            must_be_gone(daemon);
        }
        let (exit, daemons) = with_daemons("kill -9 $$");
        assert_eq!((exit.signal, daemons.len()), (Some(9), 2));
        for daemon in &daemons {
            must_be_gone(daemon);
        }
    }

    #[test]
    fn what_does_not_want_to_end_is_ended_with_what_left_it() {
        let daemon = DAEMON.replace("echo $$ >>DAEMONS; ", "");
        let running = started(&format!("trap '' TERM; {daemon} echo $!; while :; do sleep 1; done"));
        thread::sleep(Duration::from_millis(300));
        let exit = running.stop().expect("it can be ended");
        assert_eq!(exit.signal, Some(9));
        must_be_gone(&exit.output);
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let command = Command {
            program: vec!["no-such-program".to_owned()],
            environment: BTreeMap::new(),
        };
        let error = Running::start(&Namespace::own("test"), &command).expect_err("it is not there");
        assert!(error.to_string().starts_with("no-such-program: "), "{error}");
    }
}
