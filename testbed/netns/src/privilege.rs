//! The right to make network namespaces: a user namespace of one's own, or root's.

use std::fs;
use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use nix::errno::Errno;
use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getegid, geteuid};
use thiserror::Error;

use crate::capabilities::keep_administration;

/// By what right the process makes network namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privilege {
    /// In a user namespace of its own, whoever started it.
    OwnNamespace,
    /// As root, where user namespaces cannot be had.
    Root,
}

/// Why the process has no right to make network namespaces.
#[derive(Clone, Debug, Error)]
pub enum EnterError {
    /// More than one thread.
    #[error("a user namespace can only be entered while the process has one thread")]
    Threads,
    /// The kernel has none, or forbids them.
    #[error("no user namespace: {reason}; {}", remedy(*reason))]
    Refused {
        /// What the kernel said.
        reason: Errno,
    },
    /// The namespace is there but its users could not be set.
    #[error("cannot write {file}: {reason}")]
    Map {
        file: &'static str,
        /// What the kernel said.
        reason: String,
    },
    /// The rights over networks could not be handed on.
    #[error("cannot hand on the rights over networks of a user namespace: {reason}")]
    Rights {
        /// What the kernel said.
        reason: String,
    },
}

/// Who an ordinary user is in its user namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Identity {
    /// Root: every program that it starts has all rights in the namespace.
    Root,
    /// Who it was outside: programs have the rights over networks alone, as ambient capabilities.
    Same,
}

static ENTERED: OnceLock<Result<Privilege, EnterError>> = OnceLock::new();

/// Enters a user namespace, once for the whole process: later calls give the first one's answer. Root gets one too, in
/// which all users are who they were, so that nothing done in it can touch the machine's own devices.
///
/// # Errors
/// If an ordinary user may have no user namespace; [`EnterError::Threads`] after the first thread was started.
pub fn enter() -> Result<Privilege, EnterError> {
    ENTERED.get_or_init(|| enter_now(Identity::Root)).clone()
}

/// The same for who starts a person's own programs: they find the user that started them, not root. They can make
/// network namespaces, and devices and rules in them, as this process can.
///
/// # Errors
/// As [`enter`].
pub(crate) fn enter_as_same_user() -> Result<Privilege, EnterError> {
    ENTERED.get_or_init(|| enter_now(Identity::Same)).clone()
}

fn enter_now(identity: Identity) -> Result<Privilege, EnterError> {
    let (user, group) = (geteuid(), getegid());
    // Only who stays outside may map more than one user.
    let mapper = user.is_root().then(Mapper::start).and_then(Result::ok);
    match unshare(CloneFlags::CLONE_NEWUSER) {
        Ok(()) => {}
        Err(_) if user.is_root() => return Ok(Privilege::Root),
        Err(Errno::EINVAL) => return Err(EnterError::Threads),
        Err(reason) => return Err(EnterError::Refused { reason }),
    }
    if !mapper.is_some_and(Mapper::finish) {
        // As root, programs keep all rights; another user loses them with every program that it starts, but for ambient
        // ones.
        let (user_inside, group_inside) = match identity {
            Identity::Root => (0, 0),
            Identity::Same => (user.as_raw(), group.as_raw()),
        };
        map("/proc/self/setgroups", "deny")?;
        map("/proc/self/uid_map", &format!("{user_inside} {user} 1"))?;
        map("/proc/self/gid_map", &format!("{group_inside} {group} 1"))?;
    }
    if identity == Identity::Same && !user.is_root() {
        keep_administration().map_err(|error| EnterError::Rights {
            reason: error.to_string(),
        })?;
    }
    Ok(Privilege::OwnNamespace)
}

fn map(file: &'static str, content: &str) -> Result<(), EnterError> {
    fs::write(file, content).map_err(|error| EnterError::Map {
        file,
        reason: error.to_string(),
    })
}

/// A helper that stays outside and then maps every user to itself.
struct Mapper {
    child: Child,
}

impl Mapper {
    fn start() -> io::Result<Self> {
        let (users, groups) = (identity("/proc/self/uid_map")?, identity("/proc/self/gid_map")?);
        // Each map must be written at one stroke, which `printf` does.
        let script = r#"read -r _ && printf %s "$1" >"/proc/$3/uid_map" && printf %s "$2" >"/proc/$3/gid_map""#;
        let child = Command::new("/bin/sh")
            .args(["-c", script, "sh", &users, &groups, &std::process::id().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self { child })
    }

    /// Whether all users are mapped now.
    fn finish(mut self) -> bool {
        let written = self.child.stdin.take().map(|mut pipe| pipe.write_all(b"go\n"));
        let ended = self.child.wait();
        matches!(written, Some(Ok(()))) && ended.is_ok_and(|status| status.success())
    }
}

/// The lines that map everybody whom this map names to themselves.
fn identity(file: &str) -> io::Result<String> {
    let outer = fs::read_to_string(file)?;
    Ok(outer
        .lines()
        .filter_map(|line| {
            let mut fields = line.split_whitespace();
            let (first, _, count) = (fields.next()?, fields.next()?, fields.next()?);
            Some(format!("{first} {first} {count}\n"))
        })
        .collect())
}

fn remedy(reason: Errno) -> &'static str {
    match reason {
        Errno::ENOSPC | Errno::EUSERS => "raise `sysctl user.max_user_namespaces`, or run as root",
        Errno::ENOSYS => "the kernel needs CONFIG_USER_NS, or run as root",
        _ => {
            "allow them (`sysctl kernel.unprivileged_userns_clone=1`, on Ubuntu also \
              `kernel.apparmor_restrict_unprivileged_userns=0`; in a container its seccomp profile), or run as root"
        }
    }
}
