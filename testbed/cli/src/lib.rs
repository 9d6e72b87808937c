//! The engine: plan in, captures and results out. `docs/engine.md` is the protocol between it and the `windlull` command.

mod analyze;
mod answer;
mod attend;
mod built;
mod calibrate;
mod clip;
mod contract;
mod diff;
mod doctor;
mod emulate;
mod engines;
mod estimate;
mod export;
mod failure;
mod live_run;
mod orders;
mod packetdrill;
mod parent;
mod perform;
mod plan;
mod preview;
mod recorded;
mod recordings;
mod run;
mod shell;
mod stacks;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use windlull_experiment::{Kind, Library};
use windlull_transport::{Broken, Stack};

use crate::engines::Engines;
use crate::failure::{Errors, Failure};
use crate::recordings::RunDisk;

pub use crate::run::carry::Kernel;
pub use crate::run::places::RunRanges;

/// Windlull's engine. People use the `windlull` command, which calls it.
#[derive(Debug, Parser)]
#[command(name = "windlull-engine", version, disable_help_subcommand = true)]
struct Arguments {
    /// The directory with links/, variants/, workloads/ and experiments/. Several are searched as one.
    #[arg(long, global = true, default_value = "profiles", value_name = "DIR")]
    profiles: Vec<PathBuf>,
    /// Read no file outside these directories.
    #[arg(long, global = true)]
    confined: bool,
    /// How to say what is wrong with the input.
    #[arg(long, global = true, value_enum, default_value_t = Errors::Text)]
    errors: Errors,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run an experiment; tells its progress in JSON lines.
    Run(run::Arguments),
    /// Say what a run would be: the experiment, its files and its runs, as JSON.
    Plan(plan::Arguments),
    /// List what there is of a kind, as JSON.
    List {
        #[arg(value_parser = kind_of(Kind::folder))]
        kind: Kind,
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
        /// The directory with the stacks from elsewhere that were built.
        #[arg(long, value_name = "DIR", default_value = engines::DIRECTORY, env = engines::VARIABLE)]
        stacks: PathBuf,
    },
    /// Judge a TCP connection in one or two captures, as JSON.
    Analyze(analyze::Arguments),
    /// Say where two runs part, and what each sender had decided, as JSON.
    Diff(diff::Arguments),
    /// Write the packets of a part of a capture, as a capture.
    Clip(clip::Arguments),
    /// Print a link, or an episode of a run, as a script of another tool.
    Export(export::Arguments),
    /// Play scripts of packetdrill against a TCP of ours, and say in TAP whether it did what they expect.
    Packetdrill(packetdrill::Arguments),
    /// Say what a link does over time before any packet is sent, as JSON.
    Preview(preview::Arguments),
    /// Say which testbeds and link planes work on this machine, as JSON.
    Doctor(doctor::Arguments),
    /// Measure how exact the live testbed is on this machine, as JSON.
    Calibrate(calibrate::Arguments),
    /// Let a link stand between two devices, controlled and watched over HTTP, until SIGTERM.
    Emulate(emulate::Arguments),
    /// Run a program, or a shell, behind a link, and end as it does.
    Shell(shell::Arguments),
    /// Make one live run; the engine calls itself so.
    #[command(hide = true)]
    LiveRun(live_run::Arguments),
    /// Be the first process of a kernel; the engine calls itself so.
    #[command(hide = true, name = windlull_kernel::GUEST)]
    FirstProcess {
        session: PathBuf,
        /// What the kernel did not understand of its own command line.
        others: Vec<String>,
    },
    /// Become a kernel; the engine calls itself so.
    #[command(hide = true, name = windlull_kernel::KERNEL)]
    BecomeKernel {
        kernel: PathBuf,
        #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
        arguments: Vec<String>,
    },
    /// Make a host's part of runs of the testbed compose, in the network namespace this is started in.
    Attend(attend::Arguments),
    /// Start the commands of runs in this container, beside its own program.
    Perform(perform::Arguments),
    /// Print the JSON Schema of a kind of file, of all that the engine says and writes, or of the contract of a stack.
    Schema {
        #[arg(value_parser = PossibleValuesParser::new(Kind::ALL.map(Kind::name).into_iter().chain(["engine", "stack"])))]
        kind: String,
    },
    /// Print the reference of all files, as Markdown.
    Reference,
    /// Print the stacks from elsewhere that are built into this engine, as JSON.
    #[command(hide = true)]
    Stacks {
        /// Instead, begin an end of a connection of a stack with these options, as JSON, and say whether it takes them.
        #[arg(long, num_args = 2, value_names = ["STACK", "OPTIONS"])]
        begin: Option<Vec<String>>,
    },
    /// Print the version, the commit and the hash of the sources, as JSON.
    Version,
}

/// A kind by this word for it.
fn kind_of(word: fn(Kind) -> &'static str) -> impl TypedValueParser<Value = Kind> {
    let find = move |given: String| {
        Kind::ALL
            .into_iter()
            .find(|kind| word(*kind) == given)
            .ok_or("no such kind")
    };
    PossibleValuesParser::new(Kind::ALL.map(word)).try_map(find)
}

/// What an engine with these stacks in it does.
pub fn main_with(stacks: Vec<Box<dyn Stack + Send>>) -> ExitCode {
    stacks::build_in(stacks);
    main()
}

/// What the program does; its arguments are those of the process.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() && wants_json(std::env::args_os()) => {
            return Failure::input(failure::in_short(&error)).report(Errors::Json);
        }
        Err(error) => error.exit(),
    };
    match perform(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(arguments.errors),
    }
}

/// Whether errors are for a program, as far as that can be seen in arguments that cannot be understood.
fn wants_json(arguments: impl Iterator<Item = OsString>) -> bool {
    let arguments: Vec<OsString> = arguments.collect();
    let two = arguments.windows(2).any(|pair| pair == ["--errors", "json"]);
    two || arguments.iter().any(|argument| argument == "--errors=json")
}

fn perform(arguments: &Arguments) -> Result<(), Failure> {
    let mut library = Library::of(arguments.profiles.clone(), RunDisk);
    if arguments.confined {
        library = library.confined();
    }
    match &arguments.command {
        Command::Run(run) => run::run(&library, run),
        Command::Plan(plan) => plan::plan(&library, plan),
        Command::List { kind } => answer::json(&windlull_experiment::list(&library, *kind)),
        Command::Show { name } => answer::json(&windlull_experiment::show(&library, name)?),
        Command::Check { file, stacks } => {
            windlull_experiment::check(&library, file)?;
            Engines::new(stacks, &library, !library.is_confined()).check_file(file)
        }
        Command::Analyze(captures) => analyze::analyze(captures),
        Command::Diff(runs) => diff::diff(runs),
        Command::Clip(part) => clip::clip(part),
        Command::Export(export) => export::export(&library, export),
        Command::Packetdrill(scripts) => packetdrill::play_all(&library, scripts),
        Command::Preview(preview) => preview::preview(&library, preview),
        Command::Doctor(doctor) => doctor::doctor(doctor),
        Command::Calibrate(measuring) => calibrate::calibrate(measuring),
        Command::Attend(host) => attend::attend(host),
        Command::Perform(commands) => perform::perform(commands),
        Command::Emulate(standing) => emulate::emulate(&library, standing),
        Command::Shell(program) => shell::shell(&library, program),
        Command::LiveRun(handed) => live_run::run(&library, handed),
        Command::FirstProcess { session, others: _ } => windlull_kernel::guest::serve(session),
        Command::BecomeKernel { kernel, arguments } => Err(Failure::Machine(
            windlull_kernel::become_kernel(kernel, arguments).to_string(),
        )),
        Command::Schema { kind } if kind == "stack" => answer::json(&windlull_transport::process::schema()),
        Command::Schema { kind } => {
            let kind = Kind::ALL.into_iter().find(|it| it.name() == kind);
            answer::json(&kind.map_or_else(contract::schema, |kind| windlull_experiment::schema(kind).to_value()))
        }
        Command::Reference => answer::text(&windlull_experiment::reference()),
        Command::Stacks { begin: None } => answer::json(&stacks::list()),
        Command::Stacks { begin: Some(what) } => {
            let options = serde_json::from_str(&what[1]).map_err(|error| Failure::input(error.to_string()))?;
            stacks::begin(&what[0], &options).map_err(|Broken(why)| Failure::input(why))
        }
        Command::Version => answer::json(&contract::Version::HERE),
    }
}
