//! The engine: plan in, captures and results out. `docs/engine.md` is the protocol between it and the `windlull` command.

mod analyze;
mod answer;
mod doctor;
mod export;
mod failure;
mod live_run;
mod run;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use windlull_experiment::{Kind, Library};

use crate::failure::Failure;

/// Windlull's engine. People use the `windlull` command, which calls it.
#[derive(Debug, Parser)]
#[command(name = "windlull-engine", version, disable_help_subcommand = true)]
struct Arguments {
    /// The directory with links/, variants/, workloads/ and experiments/.
    #[arg(long, global = true, default_value = "profiles")]
    profiles: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run an experiment; tells its progress in JSON lines.
    Run(run::Arguments),
    /// List what there is of a kind, as JSON.
    List {
        /// Which kind.
        kind: Plural,
    },
    /// Show what a name or a file stands for, as JSON.
    Show {
        /// A name, or the path of a `.toml` file.
        name: String,
    },
    /// Check a file and all it names.
    Check {
        /// The path of a `.toml` file, or a name.
        file: String,
    },
    /// Judge a TCP connection in one or two captures, as JSON.
    Analyze(analyze::Arguments),
    /// Print a link as a script of another tool.
    Export(export::Arguments),
    /// Say which testbeds and link planes work on this machine, as JSON.
    Doctor(doctor::Arguments),
    /// Measure how exact the live testbed is on this machine, as JSON.
    Calibrate(doctor::Measuring),
    /// Make one live run; the engine calls itself so.
    #[command(hide = true)]
    LiveRun(live_run::Arguments),
    /// Print the JSON Schema of a kind of file.
    Schema {
        /// Which kind.
        kind: Singular,
    },
    /// Print the reference of all files, as Markdown.
    Reference,
    /// Print the version and the commit, as JSON.
    Version,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Plural {
    Links,
    Variants,
    Workloads,
    Experiments,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Singular {
    Link,
    Variant,
    Workload,
    Experiment,
}

impl From<Plural> for Kind {
    fn from(kind: Plural) -> Self {
        match kind {
            Plural::Links => Self::Link,
            Plural::Variants => Self::Variant,
            Plural::Workloads => Self::Workload,
            Plural::Experiments => Self::Experiment,
        }
    }
}

impl From<Singular> for Kind {
    fn from(kind: Singular) -> Self {
        match kind {
            Singular::Link => Self::Link,
            Singular::Variant => Self::Variant,
            Singular::Workload => Self::Workload,
            Singular::Experiment => Self::Experiment,
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match perform(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn perform(arguments: &Arguments) -> Result<(), Failure> {
    let library = Library::open(&arguments.profiles);
    match &arguments.command {
        Command::Run(run) => run::run(&library, &arguments.profiles, run),
        Command::List { kind } => answer::json(&windlull_experiment::list(&library, (*kind).into())),
        Command::Show { name } => answer::json(&windlull_experiment::show(&library, name).map_err(Failure::input)?),
        Command::Check { file } => windlull_experiment::check(&library, file).map_err(Failure::input),
        Command::Analyze(captures) => analyze::analyze(captures),
        Command::Export(export) => export::export(&library, export),
        Command::Doctor(doctor) => doctor::doctor(doctor),
        Command::Calibrate(measuring) => doctor::calibrate(measuring),
        Command::LiveRun(handed) => live_run::run(&library, handed),
        Command::Schema { kind } => answer::json(&windlull_experiment::schema((*kind).into())),
        Command::Reference => answer::text(&windlull_experiment::reference()),
        Command::Version => answer::json(&serde_json::json!({ "version": VERSION, "commit": COMMIT })),
    }
}

/// The engine's version.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The commit it was built from, or `unknown`.
const COMMIT: &str = env!("WINDLULL_COMMIT");
