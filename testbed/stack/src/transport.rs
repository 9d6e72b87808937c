//! A transport from elsewhere: which program it is, and what it is told.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use windlull_units::Carries;

/// A transport that speaks the contract of `windlull-transport`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transport {
    pub program: Program,
    /// Of a program, what it hands to the link; a stack that is built says so itself.
    #[serde(default, skip_serializing_if = "Carries::is_default")]
    pub carries: Carries,
    /// What it is told, by name: which options there are is the stack's to say.
    pub options: BTreeMap<String, String>,
}

/// Where a transport's code is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Program {
    /// Built into an engine of its own (`windlull stacks build`), by its name.
    Built(String),
    /// A program that speaks the contract over its standard input and output: the program, then its arguments.
    Command(Vec<String>),
}

impl Transport {
    /// What it is, in lines for people.
    pub fn summary(&self) -> Vec<String> {
        let mut lines = vec![match &self.program {
            Program::Built(name) => format!("the stack {name}, at both ends"),
            Program::Command(command) => format!("a stack as a process, at both ends: {}", command.join(" ")),
        }];
        if !self.options.is_empty() {
            let options: Vec<_> = self
                .options
                .iter()
                .map(|(name, value)| format!("{name} {value}"))
                .collect();
            lines.push(options.join(", "));
        }
        lines
    }
}
