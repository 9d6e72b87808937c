//! How a command fails, and the exit code that says so.

use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;
use windlull_experiment::{Problem, Problems};

use crate::Errors;

/// Why a command did not succeed; the message is for the person who typed it.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What was given is wrong: exit code 2, nothing was written.
    BadInput(Vec<Complaint>),
    /// The machine would not: exit code 1, what was finished stays.
    Machine(String),
    /// The person stopped it: exit code 130, what was finished stays.
    Interrupted,
}

/// One thing that is wrong with the input.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Complaint {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<String>,
    /// All of it in one line.
    #[serde(skip)]
    text: String,
}

/// So many things are told; a file with more has one fault over and over.
const MOST_COMPLAINTS: usize = 200;
/// So many characters of each: a whole file may be quoted in it.
const LONGEST_TEXT: usize = 2000;

impl Failure {
    /// The exit code of what was stopped.
    pub(crate) const INTERRUPTED: u8 = 130;

    /// A wrong input, one complaint a line.
    pub(crate) fn input(message: impl Display) -> Self {
        let message = message.to_string();
        Self::BadInput(message.lines().map(Complaint::of_nothing).collect())
    }

    /// A file or directory that could not be read or written.
    pub(crate) fn file(doing: &str, path: &Path, error: &std::io::Error) -> Self {
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
                        .for_each(|complaint| eprintln!("error: {}", complaint.text)),
                    Errors::Json => eprintln!("{}", serde_json::json!({ "problems": complaints })),
                }
                ExitCode::from(2)
            }
            Self::Machine(message) => {
                eprintln!("error: {message}");
                ExitCode::FAILURE
            }
            Self::Interrupted => {
                eprintln!("interrupted; what was finished stays");
                ExitCode::from(Self::INTERRUPTED)
            }
        }
    }
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Self::BadInput(problems.iter().map(Complaint::of).collect())
    }
}

impl Complaint {
    fn of(problem: &Problem) -> Self {
        let given = |text: &str| (!text.is_empty()).then(|| shortened(text));
        Self {
            file: given(&problem.file),
            line: problem.line,
            column: problem.column,
            key: given(&problem.key),
            message: shortened(&problem.defect.to_string()),
            suggestion: problem.defect.suggestion().map(shortened),
            text: shortened(&problem.to_string()),
        }
    }

    /// Of no file.
    fn of_nothing(message: &str) -> Self {
        let message = shortened(message);
        Self {
            text: message.clone(),
            message,
            ..Self::default()
        }
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// What clap has to say of arguments that cannot be understood, without the usage that follows.
pub(crate) fn in_short(error: &clap::Error) -> String {
    let text = error.to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    let lines: Vec<&str> = first.lines().map(str::trim).collect();
    lines.join(" ").trim_start_matches("error: ").to_owned()
}
