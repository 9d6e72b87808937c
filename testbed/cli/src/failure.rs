//! How a command fails, and the exit code that says so.

use std::env;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Serialize;
use windlull_experiment::{Complaint, Problems};
use windlull_record::{Exceeded, FILE_BYTES};

/// How bad input is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Errors {
    /// In lines, for people.
    Text,
    /// As one JSON object, for programs.
    Json,
}

/// What is said on standard error of bad input, with `--errors json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BadInput {
    problems: Vec<Complaint>,
}

/// Why a command did not succeed; the message is for the person who typed it.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What was given is wrong: exit code 2, nothing was written.
    BadInput(Vec<Complaint>),
    /// The machine would not: exit code 1, what was finished stays.
    Machine(String),
    /// A run needs more than it may use: exit code 1, other runs go on.
    Limit(String),
    /// A process that makes runs is not there, or went away: exit code 5, what was finished stays.
    Missing(String),
    /// The person stopped it: exit code 130, what was finished stays.
    Interrupted,
    /// The person's own program ended with this exit code, which is passed on; it has said why itself.
    Ended(u8),
}

/// So many things are told; a file with more has one fault over and over.
const MOST_COMPLAINTS: usize = 200;

impl Failure {
    /// The exit code of what was stopped.
    pub(crate) const INTERRUPTED: u8 = 130;
    /// The exit code where a process is missing. The command has 3 and 4 for its verdicts.
    pub(crate) const MISSING: u8 = 5;

    /// A wrong input, one complaint a line.
    pub(crate) fn input(message: impl Display) -> Self {
        let message = message.to_string();
        Self::BadInput(message.lines().map(Complaint::of_nothing).collect())
    }

    /// A file or directory that could not be read or written.
    pub(crate) fn file(doing: &str, path: &Path, error: &io::Error) -> Self {
        if let Some(exceeded) = error.get_ref().and_then(|error| error.downcast_ref::<Exceeded>()) {
            return Self::Limit(exceeded.to_string());
        }
        if error.kind() == io::ErrorKind::FileTooLarge {
            return Self::Limit(format!(
                "one of its files is longer than a file may be here; {FILE_BYTES} sets another limit"
            ));
        }
        Self::Machine(format!("cannot {doing} {}: {error}", path.display()))
    }

    /// Says it on standard error and gives the exit code.
    #[expect(clippy::print_stderr, reason = "the one place where the engine talks to a person")]
    pub(crate) fn report(self, errors: Errors) -> ExitCode {
        match self {
            Self::BadInput(mut complaints) => {
                let beyond = complaints.len().saturating_sub(MOST_COMPLAINTS);
                complaints.truncate(MOST_COMPLAINTS);
                if beyond > 0 {
                    complaints.push(Complaint::of_nothing(&format!("and {beyond} problems more")));
                }
                match errors {
                    Errors::Text => complaints
                        .iter()
                        .for_each(|complaint| eprintln!("error: {}", complaint.text())),
                    Errors::Json => eprintln!("{}", serde_json::json!(BadInput { problems: complaints })),
                }
                ExitCode::from(2)
            }
            Self::Machine(message) | Self::Limit(message) => {
                eprintln!("error: {message}");
                ExitCode::FAILURE
            }
            Self::Missing(message) => {
                eprintln!("error: {message}");
                ExitCode::from(Self::MISSING)
            }
            Self::Interrupted => {
                eprintln!("interrupted; what was finished stays");
                ExitCode::from(Self::INTERRUPTED)
            }
            Self::Ended(code) => ExitCode::from(code),
        }
    }
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Self::BadInput(problems.iter().map(Complaint::from).collect())
    }
}

/// What clap has to say of arguments that cannot be understood, without the usage that follows.
pub(crate) fn in_short(error: &clap::Error) -> String {
    let text = error.to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    let lines: Vec<&str> = first.lines().map(str::trim).collect();
    lines.join(" ").trim_start_matches("error: ").to_owned()
}

/// The engine, to be called again.
pub(crate) fn this_program() -> Result<PathBuf, Failure> {
    env::current_exe().map_err(|error| Failure::Machine(format!("cannot find this program: {error}")))
}

/// What another engine complained of on standard error.
pub(crate) fn without_prefixes(complaints: &[u8], between: &str) -> String {
    let text = String::from_utf8_lossy(complaints);
    let lines = text.lines().map(|line| line.trim_start_matches("error: ").trim());
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(between)
}
