//! A program, and what it left.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use windlull_plane::Epoch;
use windlull_units::{Span, Time};

use crate::CommandReport;

/// A program with its arguments, and what is added to its environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Command {
    pub(crate) program: Vec<String>,
    pub(crate) environment: BTreeMap<String, String>,
}

/// What a program left. Times are of the monotonic clock, ns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Exit {
    pub(crate) began_ns: u64,
    pub(crate) ended_ns: u64,
    /// None: a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) output: String,
    pub(crate) errors: String,
    /// Octets of either that were left out, the earliest ones.
    pub(crate) left_out: u64,
}

impl Exit {
    /// How it ended, and the last line of its errors: `with exit code 2: no such file`.
    pub(crate) fn in_short(&self) -> String {
        let how = match (self.code, self.signal) {
            (Some(code), _) => format!("with exit code {code}"),
            (None, Some(signal)) => format!("by signal {signal}"),
            (None, None) => "in no known way".to_owned(),
        };
        match self.errors.lines().rfind(|line| !line.trim().is_empty()) {
            Some(why) => format!("{how}: {}", why.trim()),
            None => how,
        }
    }

    /// As the run's result has it.
    pub(crate) fn report(self, epoch: Epoch) -> CommandReport {
        CommandReport {
            began_s: epoch.from_monotonic_ns(self.began_ns).since(Time::ZERO).as_secs_f64(),
            elapsed_s: Span::from_ns(self.ended_ns.saturating_sub(self.began_ns)).as_secs_f64(),
            exit_code: self.code,
            signal: self.signal,
            output: self.output,
            errors: self.errors,
            left_out_bytes: self.left_out,
        }
    }
}
