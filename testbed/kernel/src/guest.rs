//! The first process inside: makes the place habitable, runs the command, turns the power off.
//!
//! It must not end in any other way: a kernel without its first process panics.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::mount::{MsFlags, mount};
use nix::sys::reboot::{RebootMode, reboot};
use nix::unistd::sync;

use crate::order::{Ending, Order, Session};

/// Runs what this session orders. Never returns.
pub fn serve(session: &Path) -> ! {
    // Without a directory to write to there is nobody to tell but the console, which the runner then shows.
    if let Err(error) = attend(&Session::at(session)) {
        complain(&error);
    }
    sync();
    let Err(error) = reboot(RebootMode::RB_POWER_OFF);
    panic!("the power does not go off: {error}");
}

fn attend(session: &Session) -> io::Result<()> {
    habitable()?;
    writable(session.directory())?;
    let beat = session.beat();
    thread::spawn(move || heart(&beat));
    let ending = match carry_out(session) {
        Ok(status) => ending(status),
        Err(error) => Ending::NotStarted(error.to_string()),
    };
    fs::write(session.ending(), serde_json::to_vec(&ending)?)
}

/// Shows the runner that time passes: after a second at first, then ever more seldom, as weeks may pass in a moment. By
/// the kernel's own clock alone, so that it beats alike in every session.
fn heart(file: &Path) {
    const FIRST: Duration = Duration::from_secs(1);
    const SELDOM: u32 = 64;
    let begun = Instant::now();
    loop {
        let passed = begun.elapsed();
        // A runner that sees no beat says so.
        let _ = fs::write(file, passed.as_secs().to_string());
        thread::sleep(FIRST.max(passed / SELDOM));
    }
}

fn carry_out(session: &Session) -> io::Result<ExitStatus> {
    let order: Order = serde_json::from_slice(&fs::read(session.order())?)?;
    for directory in &order.writable {
        writable(directory)?;
    }
    let (program, arguments) = order
        .command
        .split_first()
        .ok_or_else(|| io::Error::other("no command"))?;
    Command::new(program)
        .args(arguments)
        .current_dir(&order.directory)
        .env_clear()
        .envs(order.environment)
        .stdin(Stdio::null())
        .stdout(File::create(session.stdout())?)
        .stderr(File::create(session.stderr())?)
        .status()
        .map_err(|error| io::Error::new(error.kind(), format!("{program} cannot be run: {error}")))
}

/// What programs expect of any machine. The root directory is the machine's own, read-only.
fn habitable() -> io::Result<()> {
    for (kind, place) in [
        ("proc", "/proc"),
        ("sysfs", "/sys"),
        ("devtmpfs", "/dev"),
        ("tmpfs", "/run"),
    ] {
        attach(kind, Path::new(place), None)?;
    }
    fs::create_dir("/dev/shm")?;
    attach("tmpfs", Path::new("/dev/shm"), None)?;
    for (name, target) in [("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")] {
        symlink(PathBuf::from("/proc/self").join(target), Path::new("/dev").join(name))?;
    }
    Ok(())
}

/// This directory of the machine may be written from here on.
fn writable(directory: &Path) -> io::Result<()> {
    attach("hostfs", directory, Some(directory))
}

fn attach(kind: &str, place: &Path, of: Option<&Path>) -> io::Result<()> {
    mount(Some(kind), place, Some(kind), MsFlags::empty(), of)
        .map_err(|error| io::Error::other(format!("{kind} cannot be mounted on {}: {error}", place.display())))
}

fn ending(status: ExitStatus) -> Ending {
    let small = |number: i32| u8::try_from(number).unwrap_or(u8::MAX);
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exit(small(code)),
        (None, signal) => Ending::Signal(small(signal.unwrap_or(0))),
    }
}

#[expect(clippy::print_stderr, reason = "the console is all there is")]
fn complain(error: &io::Error) {
    eprintln!("windlull: {error}");
}
