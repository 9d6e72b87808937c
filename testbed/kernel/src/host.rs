//! The runner: starts the kernel, waits, hands out what came out, and leaves nothing behind.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::sys::statvfs::statvfs;
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::{Pid, getppid};

use crate::order::{Ending, Order, Session};

/// How the kernel is started.
#[derive(Debug)]
pub(crate) struct Boot {
    pub(crate) kernel: PathBuf,
    /// What the command may write.
    pub(crate) scratch: Option<PathBuf>,
    pub(crate) virtual_time: bool,
    pub(crate) memory_mib: u32,
    /// By the machine's clock.
    pub(crate) limit: Duration,
}

/// Why the command's own ending is not known.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("there is no kernel at {0}; `make kernel` builds one")]
    NoKernel(PathBuf),
    #[error("{what} {}: {source}", path.display())]
    File {
        what: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("the machine's own process or thread: {0}")]
    Process(#[from] io::Error),
    #[error("ended after the limit of {} s", .0.as_secs())]
    Limit(Duration),
    #[error("interrupted")]
    Interrupted,
    #[error("the kernel ended before the command did; the last it said:\n{0}")]
    Crash(String),
}

enum News {
    Ended,
    Interrupted,
}

impl Boot {
    /// Runs `command`, writes its output to this process's own, says how it ended.
    ///
    /// # Errors
    /// No kernel, a directory that cannot be used, a limit reached, a kernel that crashed.
    pub(crate) fn run(&self, command: Vec<String>) -> Result<Ending, Failure> {
        let kernel = fs::canonicalize(&self.kernel).map_err(|_| Failure::NoKernel(self.kernel.clone()))?;
        // Removed when this function returns, also by an interrupt.
        let directory = tempfile::Builder::new().prefix("windlull-kernel-").tempdir()?;
        let session = Session::at(&fs::canonicalize(directory.path())?);
        self.prepare(&session, command)?;
        let (tell, news) = channel();
        let on_signal = tell.clone();
        // The receiver is there until this function returns, and then nobody needs to know.
        ctrlc::set_handler(move || drop(on_signal.send(News::Interrupted))).map_err(io::Error::other)?;

        let mut child = self.start(&kernel, &session)?;
        let group = Pid::from_raw(i32::try_from(child.id()).expect("a process id is a positive `pid_t`"));
        watch(group, tell);
        let heard = news.recv_timeout(self.limit);
        // Its process is not reaped yet, so the number is still its own. All processes of the kernel are in its group.
        let _ = killpg(group, Signal::SIGKILL);
        child.wait()?;
        hand_out(&session.stdout(), &mut io::stdout())?;
        hand_out(&session.stderr(), &mut io::stderr())?;
        match heard {
            Ok(News::Ended) => ending(&session),
            Ok(News::Interrupted) => Err(Failure::Interrupted),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Err(Failure::Limit(self.limit)),
        }
    }

    fn prepare(&self, session: &Session, command: Vec<String>) -> Result<(), Failure> {
        let writable = match &self.scratch {
            Some(scratch) => vec![fs::canonicalize(scratch).map_err(failed("cannot use", scratch))?],
            None => Vec::new(),
        };
        let order = Order {
            command,
            directory: std::env::current_dir()?,
            environment: environment(session),
            writable,
        };
        fs::create_dir(session.home()).map_err(failed("cannot make", &session.home()))?;
        let order = serde_json::to_vec(&order).map_err(io::Error::other)?;
        fs::write(session.order(), order).map_err(failed("cannot write", &session.order()))
    }

    fn start(&self, kernel: &Path, session: &Session) -> Result<Child, Failure> {
        let console = File::create(session.console()).map_err(failed("cannot write", &session.console()))?;
        let me = std::env::current_exe()?;
        let mut command = Command::new(&me);
        command
            .arg("kernel")
            .arg(kernel)
            .arg(format!("mem={}M", self.memory_mib))
            .args(["root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", "panic=-1"])
            .args(["con=null", "con0=null,fd:1", "ssl=null", "umid=windlull"])
            .args(["ifb.numifbs=0", "dummy.numdummies=0"])
            .arg(format!("uml_dir={}/", session.directory().display()))
            .args(self.virtual_time.then_some("time-travel=inf-cpu"))
            .arg(format!("init={}", me.display()))
            .args(["--", "guest"])
            .arg(session.directory())
            .env_clear()
            .env("HOME", session.directory())
            .stdin(Stdio::null())
            .stdout(console.try_clone()?)
            .stderr(console)
            .process_group(0);
        if !self.fits_in_shared_memory() {
            command.env("TMPDIR", session.directory());
        }
        Ok(command.spawn()?)
    }

    /// The kernel keeps its memory in a file, and dies where that cannot grow. Containers often have little of it.
    fn fits_in_shared_memory(&self) -> bool {
        let wanted = u64::from(self.memory_mib) << 20;
        statvfs("/dev/shm").is_ok_and(|found| found.blocks_available() * found.fragment_size() > wanted)
    }
}

/// This process becomes the kernel, and will be killed when its parent, the runner, dies however that dies.
pub(crate) fn become_kernel(kernel: &Path, arguments: &[String]) -> Failure {
    let runner = getppid();
    if let Err(error) = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL) {
        return Failure::Process(error.into());
    }
    if getppid() != runner {
        return Failure::Interrupted;
    }
    Failure::Process(Command::new(kernel).args(arguments).exec())
}

/// Tells when the process has ended, and leaves it to be reaped.
fn watch(process: Pid, tell: Sender<News>) {
    thread::spawn(move || {
        let _ = waitid(Id::Pid(process), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT);
        // Nobody listens when the limit came first.
        let _ = tell.send(News::Ended);
    });
}

/// Only what a command needs: the rest of the caller's may name what is not there.
fn environment(session: &Session) -> Vec<(String, String)> {
    let home = session.home().display().to_string();
    let kept =
        std::env::vars().filter(|(name, _)| name.starts_with("RUST_") || name.starts_with("LC_") || name == "LANG");
    let path = std::env::var("PATH").unwrap_or_default();
    let own = [
        // Tools of the network stand where ordinary users do not look.
        ("PATH", format!("{path}:/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin")),
        ("TMPDIR", home.clone()),
        ("XDG_STATE_HOME", home.clone()),
        ("HOME", home),
    ];
    kept.chain(own.map(|(name, value)| (name.to_owned(), value))).collect()
}

fn hand_out(file: &Path, to: &mut impl io::Write) -> Result<(), Failure> {
    match File::open(file) {
        Ok(mut from) => {
            io::copy(&mut from, to)?;
            Ok(to.flush()?)
        }
        // It never came so far.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn ending(session: &Session) -> Result<Ending, Failure> {
    let told = fs::read(session.ending()).ok();
    told.and_then(|told| serde_json::from_slice(&told).ok())
        .ok_or_else(|| Failure::Crash(last_lines(&session.console())))
}

fn last_lines(file: &Path) -> String {
    const LINES: usize = 30;
    let text = String::from_utf8_lossy(&fs::read(file).unwrap_or_default()).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

fn failed(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Failure {
    let path = path.to_owned();
    move |source| Failure::File { what, path, source }
}
