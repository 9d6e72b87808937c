//! How a command fails, and the exit code that says so.

use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

/// Why a command did not succeed; the message is for the person who typed it.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What was given is wrong: exit code 2, nothing was written.
    BadInput(String),
    /// The machine would not: exit code 1, what was finished stays.
    Machine(String),
    /// The person stopped it: exit code 130, what was finished stays.
    Interrupted,
}

impl Failure {
    /// A wrong input.
    pub(crate) fn input(message: impl Display) -> Self {
        Self::BadInput(message.to_string())
    }

    /// A file or directory that could not be read or written.
    pub(crate) fn file(doing: &str, path: &Path, error: &std::io::Error) -> Self {
        Self::Machine(format!("cannot {doing} {}: {error}", path.display()))
    }

    /// Says it on standard error and gives the exit code.
    #[expect(clippy::print_stderr, reason = "the one place where the engine talks to a person")]
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Self::BadInput(message) => {
                for line in message.lines() {
                    if line.starts_with("error: ") {
                        eprintln!("{line}");
                    } else {
                        eprintln!("error: {line}");
                    }
                }
                ExitCode::from(2)
            }
            Self::Machine(message) => {
                eprintln!("error: {message}");
                ExitCode::FAILURE
            }
            Self::Interrupted => {
                eprintln!("interrupted; what was finished stays");
                ExitCode::from(130)
            }
        }
    }
}
