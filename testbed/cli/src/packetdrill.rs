//! `packetdrill`: scripts, played against a TCP of ours, or run by packetdrill itself in a kernel, both in virtual time.

mod kernel;
mod outcome;

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use windlull_experiment::file::VariantFile;
use windlull_experiment::{Library, VariantProfile};
use windlull_packetdrill::{Played, Script, play, read};
use windlull_stack::Stack;
use windlull_tcp::Variant;

use crate::answer;
use crate::failure::Failure;
use crate::run::kernels;

use outcome::{Outcome, tap};

/// What begins the comment of a script that holds the settings of the TCP whose run it shows.
pub(crate) const VARIANT: &str = "windlull-variant: ";

/// The arguments of `packetdrill`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Scripts of packetdrill.
    #[arg(required = true)]
    scripts: Vec<PathBuf>,
    /// The variant to test, its name or the path of its file; for a script that `export` made, by default that of the run.
    #[arg(long, conflicts_with = "program")]
    variant: Option<String>,
    /// Run the scripts by this packetdrill in a Linux kernel of its own instead.
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
    /// The kernel that it runs in.
    #[arg(long, value_name = "NAME", default_value = kernels::STOCK, requires = "program")]
    kernel: String,
    /// The directory with the kernels.
    #[arg(long, value_name = "DIR", default_value = kernels::DIRECTORY, env = kernels::VARIABLE)]
    kernels: PathBuf,
}

/// Plays or runs all scripts and says how each ended, in TAP version 14. Nothing is played if one of them cannot be.
pub(crate) fn play_all(library: &Library, arguments: &Arguments) -> Result<(), Failure> {
    let outcomes = match &arguments.program {
        None => simulate(library, arguments)?,
        Some(program) => kernel::run_all(&arguments.scripts, program, &arguments.kernels, &arguments.kernel)?,
    };
    answer::text(&tap(&arguments.scripts, &outcomes))?;
    match outcomes.iter().filter(|outcome| !outcome.passed).count() {
        0 => Ok(()),
        failed => Err(Failure::Machine(format!(
            "{failed} of {} scripts failed",
            outcomes.len()
        ))),
    }
}

fn simulate(library: &Library, arguments: &Arguments) -> Result<Vec<Outcome>, Failure> {
    let asked = match &arguments.variant {
        Some(name) => Some(ours(&VariantProfile::load(library, name)?.stack, name)?),
        None => None,
    };
    let mut outcomes = Vec::new();
    for path in &arguments.scripts {
        let script = load(path)?;
        let variant = match &asked {
            // What it has in its file is for IPv4; that of the script is as it was in the run.
            Some(variant) => Variant {
                mss: script.network().segment_size(variant.mss),
                ..variant.clone()
            },
            None => of_script(path, &script)?,
        };
        let played = play(&script, &variant);
        let played = played.map_err(|error| Failure::input(format!("{}:{error}", path.display())))?;
        outcomes.push(outcome_of(path, played));
    }
    Ok(outcomes)
}

fn outcome_of(path: &Path, played: Played) -> Outcome {
    let Played {
        expected,
        handed_in,
        mut notes,
        difference,
        decisions: _,
    } = played;
    let passed = difference.is_none();
    match difference {
        None => notes.push(format!("{expected} segments as expected, {handed_in} handed in")),
        Some(difference) => {
            notes.push(format!("{}:{}: {}", path.display(), difference.line, difference.what));
            notes.push(format!("before it, {expected} segments were as expected"));
        }
    }
    Outcome { passed, notes }
}

fn load(path: &Path) -> Result<Script, Failure> {
    let named = |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| named(&error))?;
    read(&text).map_err(|error| Failure::input(format!("{}:{error}", path.display())))
}

fn of_script(path: &Path, script: &Script) -> Result<Variant, Failure> {
    let wrong = |why: &dyn std::fmt::Display| Failure::input(format!("{}: {why}", path.display()));
    let json = script.head.iter().find_map(|comment| comment.strip_prefix(VARIANT));
    let Some(json) = json else {
        return Err(wrong(
            &"does not say which TCP it is of; choose one with --variant, as `--variant modern`",
        ));
    };
    let resolved: VariantFile = serde_json::from_str(json).map_err(|error| wrong(&format!("{VARIANT}{error}")))?;
    match VariantProfile::tcp_of(&resolved).map_err(|error| wrong(&error))? {
        Some(stack) => ours(&stack, "the script's variant"),
        None => Err(wrong(
            &"is of a stack from elsewhere; choose a TCP of ours with --variant",
        )),
    }
}

fn ours(stack: &Stack, name: &str) -> Result<Variant, Failure> {
    match stack {
        Stack::Windlull(variant) => Ok((**variant).clone()),
        Stack::Linux(_) | Stack::Transport(_) => Err(Failure::input(format!(
            "{name}: a simulation has no kernel and no stack from elsewhere; give a TCP of ours, as `modern`, or play the \
             script in a kernel: `windlull run x.pkt --testbed kernel --packetdrill PROGRAM`"
        ))),
    }
}
