//! The runner: starts the kernel, waits, hands out what came out, and leaves nothing behind.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::sys::statvfs::{FsFlags, statvfs};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::{Pid, getppid};
use tempfile::TempDir;

use crate::console::last_words;
use crate::order::{Ending, Order, Session};

/// The words by which a program that runs kernels calls itself: to become one, and as the first process of one. It must
/// then call [`become_kernel`] and [`crate::guest::serve`].
pub const KERNEL: &str = "become-kernel";
/// See [`KERNEL`].
pub const GUEST: &str = "first-process";

/// What the wall clock shows as virtual time begins, nanoseconds since 1970, so that each session has the same: 2020.
const VIRTUAL_START_NS: u64 = 1_577_836_800_000_000_000;

/// How often is looked what came out of the kernel.
const LOOK: Duration = Duration::from_millis(10);

/// How the kernel is started.
#[derive(Clone, Debug)]
pub struct Boot {
    pub kernel: PathBuf,
    /// What the command may write, besides temporary files; everything else is read-only.
    pub scratch: Option<PathBuf>,
    /// Whether time jumps when all wait, and stands still while anything computes.
    pub virtual_time: bool,
    /// Memory of the kernel.
    pub memory_mib: u32,
    /// When to end everything, by the machine's clock.
    pub limit: Option<Duration>,
    /// For how long of the machine's time virtual time may stand still and nothing come out.
    pub patience: Duration,
}

/// Who follows a command in a kernel.
pub trait Follow {
    /// Octets of the command's standard output, as they come.
    ///
    /// # Errors
    /// If they cannot be passed on; that ends the kernel.
    fn hear(&mut self, output: &[u8]) -> io::Result<()>;

    /// Whether the kernel is to end now.
    fn interrupted(&self) -> bool;
}

/// How a command ended, and what it complained of.
#[derive(Debug)]
pub struct Ended {
    pub ending: Ending,
    /// What it wrote to standard error.
    pub complaints: Vec<u8>,
}

/// Why the command's own ending is not known.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The file is not there.
    #[error("there is no kernel at {0}; `windlull kernel build` or `make kernel` makes one")]
    NoKernel(PathBuf),
    /// A file of the session.
    #[error("{what} {}: {source}", path.display())]
    File {
        /// What could not be done.
        what: &'static str,
        /// With which.
        path: PathBuf,
        source: io::Error,
    },
    /// Not the kernel's fault.
    #[error("the machine's own process or thread: {0}")]
    Process(#[from] io::Error),
    /// The limit was reached.
    #[error("ended after the limit of {} s", .0.as_secs())]
    Limit(Duration),
    /// Virtual time did not pass.
    #[error(
        "ended: virtual time stands still at {at_s} s since boot, for {} s of the machine's time by now. While anything \
         computes, no time passes: a program that polls in a loop waits for ever. It must sleep, or wait for input, \
         between two looks",
        patience.as_secs()
    )]
    Still {
        /// The last beat, virtual seconds since boot.
        at_s: u64,
        /// For how long of the machine's time it was waited.
        patience: Duration,
    },
    /// By whoever follows.
    #[error("interrupted")]
    Interrupted,
    /// The kernel ended by itself.
    #[error("the kernel ended before the command did; {}", said(.0))]
    Crash(String),
}

impl Boot {
    /// Runs `command` in a kernel of its own and says how it ended. The kernel has gone when this returns.
    ///
    /// # Errors
    /// No kernel, a directory that cannot be used, a limit reached, virtual time that stands still, a kernel that crashed.
    pub fn run(&self, command: Vec<String>, follower: &mut dyn Follow) -> Result<Ended, Failure> {
        let kernel = fs::canonicalize(&self.kernel).map_err(|_| Failure::NoKernel(self.kernel.clone()))?;
        // Removed when this function returns, also by an interrupt.
        let directory = tempfile::Builder::new().prefix("windlull-kernel-").tempdir()?;
        let session = Session::at(&fs::canonicalize(directory.path())?);
        self.prepare(&session, command)?;
        let running = Running::new(self.start(&kernel, &session)?, directory);
        let mut output = Tail::new(session.stdout());
        let mut pulse = Pulse::new(&session, self.patience);
        let begun = Instant::now();
        loop {
            let over = running.has_ended()?;
            let heard = output.pass_on(follower)?;
            if over {
                break;
            }
            if follower.interrupted() {
                return Err(Failure::Interrupted);
            }
            if let Some(limit) = self.limit.filter(|limit| begun.elapsed() >= *limit) {
                return Err(Failure::Limit(limit));
            }
            if self.virtual_time {
                pulse.feel(heard)?;
            }
            thread::sleep(LOOK);
        }
        Ok(Ended {
            ending: ending(&session)?,
            complaints: contents(&session.stderr())?,
        })
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
            .arg(KERNEL)
            .arg(kernel)
            .arg(format!("mem={}M", self.memory_mib))
            .args(["root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", "panic=-1"])
            .args(["con=null", "con0=null,fd:1", "ssl=null", "umid=windlull"])
            .args(["ifb.numifbs=0", "dummy.numdummies=0"])
            .arg(format!("uml_dir={}/", session.directory().display()))
            .args(self.virtual_time.then_some("time-travel=inf-cpu"))
            .args(
                self.virtual_time
                    .then(|| format!("time-travel-start={VIRTUAL_START_NS}")),
            )
            .arg(format!("init={}", me.display()))
            .args(["--", GUEST])
            .arg(session.directory())
            .env_clear()
            .env("HOME", session.directory())
            .stdin(Stdio::null())
            .stdout(console.try_clone()?)
            .stderr(console)
            .process_group(0);
        if !self.shared_memory_serves() {
            command.env("TMPDIR", session.directory());
        }
        Ok(command.spawn()?)
    }

    /// The kernel keeps its memory in a file from which it executes, and dies where that cannot grow. Containers often
    /// have little of it, and some machines mount it `noexec`.
    fn shared_memory_serves(&self) -> bool {
        let wanted = u64::from(self.memory_mib) << 20;
        statvfs("/dev/shm").is_ok_and(|found| {
            found.blocks_available() * found.fragment_size() > wanted && !found.flags().contains(FsFlags::ST_NOEXEC)
        })
    }
}

/// This process becomes the kernel, and will be killed when its parent, the runner, dies however that dies.
pub fn become_kernel(kernel: &Path, arguments: &[String]) -> Failure {
    let runner = getppid();
    if let Err(error) = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL) {
        return Failure::Process(error.into());
    }
    if getppid() != runner {
        return Failure::Interrupted;
    }
    Failure::Process(Command::new(kernel).args(arguments).exec())
}

/// A kernel at work. Dropped, it ends with all its processes, and its session's files go.
struct Running {
    child: Child,
    group: Pid,
    _directory: TempDir,
}

impl Running {
    fn new(child: Child, directory: TempDir) -> Self {
        Self {
            group: Pid::from_raw(i32::try_from(child.id()).expect("a process id is a positive `pid_t`")),
            child,
            _directory: directory,
        }
    }

    /// It is left to be reaped: until then the number is its own.
    fn has_ended(&self) -> io::Result<bool> {
        let how = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT | WaitPidFlag::WNOHANG;
        Ok(waitid(Id::Pid(self.group), how)? != WaitStatus::StillAlive)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // All processes of the kernel are in its group; those that have ended already are no error.
        let _ = killpg(self.group, Signal::SIGKILL);
        let _ = self.child.wait();
    }
}

/// A file that grows, read as it does.
struct Tail {
    path: PathBuf,
    file: Option<File>,
}

impl Tail {
    const fn new(path: PathBuf) -> Self {
        Self { path, file: None }
    }

    /// Passes on what is new; whether anything was.
    fn pass_on(&mut self, follower: &mut dyn Follow) -> Result<bool, Failure> {
        if self.file.is_none() {
            match File::open(&self.path) {
                Ok(file) => self.file = Some(file),
                // The command has not begun.
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
                Err(error) => return Err(error.into()),
            }
        }
        let Some(file) = &mut self.file else { return Ok(false) };
        let mut new = Vec::new();
        file.read_to_end(&mut new)?;
        if !new.is_empty() {
            follower.hear(&new)?;
        }
        Ok(!new.is_empty())
    }
}

/// Whether virtual time passes.
struct Pulse {
    file: PathBuf,
    patience: Duration,
    last: Option<u64>,
    since: Instant,
}

impl Pulse {
    fn new(session: &Session, patience: Duration) -> Self {
        Self {
            file: session.beat(),
            patience,
            last: None,
            since: Instant::now(),
        }
    }

    /// Looks whether it has passed since the last look; `heard` is a sign of life, too.
    fn feel(&mut self, heard: bool) -> Result<(), Failure> {
        // A beat that is being written has no number in it yet.
        let beat = fs::read_to_string(&self.file).ok().and_then(|text| text.parse().ok());
        if heard || (beat.is_some() && beat != self.last) {
            self.last = beat.or(self.last);
            self.since = Instant::now();
        }
        if self.since.elapsed() < self.patience {
            return Ok(());
        }
        Err(Failure::Still {
            at_s: self.last.unwrap_or(0),
            patience: self.patience,
        })
    }
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

fn contents(file: &Path) -> io::Result<Vec<u8>> {
    match fs::read(file) {
        // It never came so far.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read,
    }
}

fn ending(session: &Session) -> Result<Ending, Failure> {
    let text = fs::read(session.ending()).ok();
    text.and_then(|text| serde_json::from_slice(&text).ok())
        .ok_or_else(|| Failure::Crash(last_words(&console_of(session))))
}

fn said(console: &str) -> String {
    if console.is_empty() {
        "it said nothing, as a file that is no kernel does: build it anew".to_owned()
    } else {
        format!("it said:\n{console}")
    }
}

fn console_of(session: &Session) -> String {
    String::from_utf8_lossy(&fs::read(session.console()).unwrap_or_default()).into_owned()
}

fn failed(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Failure {
    let path = path.to_owned();
    move |source| Failure::File { what, path, source }
}
