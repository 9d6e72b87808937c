//! Programs run for their effect: `ip`, `tc`, `nft`.

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use thiserror::Error;

use crate::spawn::end_with_parent;

/// Where they are, even if the user's search path leaves the system's tools out.
const SYSTEM: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/// Why a program did not do its work.
#[derive(Debug, Error)]
pub enum CommandError {
    #[error("{program} is not installed{}", package(program))]
    Missing { program: String },
    /// It could not be started or talked to.
    #[error("cannot run {program}: {source}")]
    Start {
        program: String,
        /// What the kernel said.
        source: io::Error,
    },
    #[error("`{line}` failed: {message}")]
    Failed {
        /// As one would type it.
        line: String,
        /// What it wrote to standard error, else its exit code.
        message: String,
    },
}

/// The path of a program: as the shell would find it, else among the system's tools.
pub fn tool(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|path| path.is_file());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(SYSTEM.map(PathBuf::from))
        .map(|directory| directory.join(program))
        .find(|path| path.is_file())
}

/// Runs a program to its end in the calling thread's namespace.
pub(crate) fn run(program: &str, arguments: &[&str], input: &str) -> Result<String, CommandError> {
    let path = tool(program).ok_or_else(|| CommandError::Missing {
        program: program.to_owned(),
    })?;
    let output = output_of(&path, arguments, input).map_err(|source| CommandError::Start {
        program: program.to_owned(),
        source,
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(CommandError::Failed {
        line: [&[program], arguments].concat().join(" "),
        message: if said.is_empty() {
            output.status.to_string()
        } else {
            said
        },
    })
}

fn output_of(path: &Path, arguments: &[&str], input: &str) -> io::Result<Output> {
    let mut command = Command::new(path);
    command
        .args(arguments)
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    end_with_parent(&mut command);
    let mut child = command.spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        match pipe.write_all(input.as_bytes()) {
            // Who has read enough says by its exit code whether that was well.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error),
            _ => {}
        }
    }
    child.wait_with_output()
}

fn package(program: &str) -> &'static str {
    match program {
        "ip" | "tc" => " (Debian's package iproute2)",
        "nft" => " (Debian's package nftables)",
        _ => "",
    }
}
