//! The program behind the link.

#![expect(unsafe_code, reason = "what happens between fork and exec is unsafe by nature")]

use std::env;
use std::ffi::{CStr, OsStr, OsString};
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitStatus};

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use nix::sys::signal::SigSet;
use nix::sys::stat::Mode;
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::{Pid, write};
use windlull_netns::{Stub, end_with_parent};

use crate::failure::Failure;
use crate::shell::signals::Signals;

/// The variables that programs find, as Mahimahi has them: the address of the outermost link's outer end, and what the
/// prompt begins with.
const BASE: &str = "MAHIMAHI_BASE";
const PREFIX: &str = "MAHIMAHI_SHELL_PREFIX";
/// The address of this link's outer end.
const OUTSIDE: &str = "WINDLULL_OUTSIDE";
/// What bash does before its first prompt.
const PROMPT_COMMAND: &str = "PROMPT_COMMAND";
const PROMPT: &str = "PS1=$MAHIMAHI_SHELL_PREFIX$PS1; unset PROMPT_COMMAND";
/// Where nobody says which shell is theirs.
const SHELL: &str = "/bin/sh";

/// Exit codes of a shell (POSIX, Shell Command Language, 2.8.2): not there, cannot be run, and what a signal adds.
const NOT_FOUND: u8 = 127;
const NOT_RUN: u8 = 126;
const BY_SIGNAL: i32 = 128;

/// A program with its arguments and its environment.
#[derive(Debug)]
pub(super) struct Program {
    words: Vec<OsString>,
    prefix: OsString,
    is_shell: bool,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// With this exit code.
    Itself(u8),
    /// It was told to, because its time was over.
    InTime,
}

impl Program {
    /// What was asked for, else the person's shell. `label` says which link it is behind.
    pub(super) fn of(words: &[OsString], label: &str) -> Self {
        let is_shell = words.is_empty();
        let words = match is_shell {
            true => vec![env::var_os("SHELL").unwrap_or_else(|| SHELL.into())],
            false => words.to_vec(),
        };
        let mut prefix = env::var_os(PREFIX).unwrap_or_default();
        prefix.push(format!("[{label}] "));
        Self {
            words,
            prefix,
            is_shell,
        }
    }

    /// Runs it to its end. Its terminal and its process group are ours; it ends if we are killed.
    pub(super) fn run(&self, stub: &Stub, signals: &Signals) -> Result<Ended, Failure> {
        let (program, arguments) = self
            .words
            .split_first()
            .ok_or_else(|| Failure::input("which program?"))?;
        // Started and waited for on one thread, with which it would end.
        let status = stub.inside().run(|| -> io::Result<(ExitStatus, bool)> {
            let mut child = self.command(program, arguments, stub).spawn()?;
            if let Ok(pid) = i32::try_from(child.id()).map(Pid::from_raw) {
                signals.started(pid);
                // Until it is waited for, its number is no other's, and may be told of signals.
                let ended = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
                while waitid(Id::Pid(pid), ended) == Err(Errno::EINTR) {}
            }
            let in_time = signals.ended();
            Ok((child.wait()?, in_time))
        });
        let status = status.map_err(|error| Failure::Machine(format!("cannot enter the link's network: {error}")))?;
        match status {
            Ok((_, true)) => Ok(Ended::InTime),
            Ok((status, false)) => Ok(Ended::Itself(code(status))),
            Err(error) => Err(not_run(program, &error)),
        }
    }

    fn command(&self, program: &OsStr, arguments: &[OsString], stub: &Stub) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env(PREFIX, &self.prefix)
            .env(OUTSIDE, stub.outer().to_string());
        if env::var_os(BASE).is_none() {
            command.env(BASE, stub.outer().to_string());
        }
        if self.is_shell {
            command.env(PROMPT_COMMAND, PROMPT);
        }
        // SAFETY: between fork and exec only system calls are made: no memory is allocated, and no lock is taken.
        unsafe {
            command.pre_exec(|| Ok(SigSet::empty().thread_set_mask()?));
        }
        if let Some(nameserver) = stub.nameserver() {
            let text = format!("# The nameserver of the network outside.\nnameserver {nameserver}\n");
            // SAFETY: as above; the text was made before.
            unsafe {
                command.pre_exec(move || {
                    // Without it names are not found; all else works.
                    let _ = ask_another_nameserver(text.as_bytes());
                    Ok(())
                });
            }
        }
        end_with_parent(&mut command);
        command
    }
}

/// Puts another file in place of the one that names the nameserver, for this process and its children alone.
fn ask_another_nameserver(text: &[u8]) -> io::Result<()> {
    const NOTHING: Option<&CStr> = None;
    const ROOT: &CStr = c"/";
    const SCRATCH: &CStr = c"/tmp";
    const DRAFT: &CStr = c"/tmp/resolv.conf";
    const RESOLVER: &CStr = c"/etc/resolv.conf";
    const TMPFS: Option<&CStr> = Some(c"tmpfs");
    unshare(CloneFlags::CLONE_NEWNS)?;
    mount(NOTHING, ROOT, NOTHING, MsFlags::MS_REC | MsFlags::MS_PRIVATE, NOTHING)?;
    // A file system for one file: what is mounted elsewhere stays there when this place is given back.
    mount(TMPFS, SCRATCH, TMPFS, MsFlags::empty(), NOTHING)?;
    let put = || {
        let flags = OFlag::O_CREAT | OFlag::O_WRONLY | OFlag::O_CLOEXEC;
        let file = open(DRAFT, flags, Mode::from_bits_truncate(0o644))?;
        write(&file, text)?;
        mount(Some(DRAFT), RESOLVER, NOTHING, MsFlags::MS_BIND, NOTHING)
    };
    let done = put();
    umount2(SCRATCH, MntFlags::MNT_DETACH)?;
    Ok(done?)
}

/// The exit code that says how it ended, as a shell has it.
fn code(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| BY_SIGNAL + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

#[expect(clippy::print_stderr, reason = "told like a shell, with a shell's exit code")]
fn not_run(program: &OsStr, error: &io::Error) -> Failure {
    eprintln!("error: {}: {error}", program.to_string_lossy());
    Failure::Ended(match error.kind() {
        io::ErrorKind::NotFound => NOT_FOUND,
        _ => NOT_RUN,
    })
}
