//! `windlull-kernel run -- COMMAND`: a command in a Linux kernel of its own, in virtual or in real time.
//!
//! The kernel is a program (User-Mode Linux, `make kernel`), so an ordinary user may do anything in it: network namespaces,
//! netem, sysctls. It sees the files of the machine, read-only but for one directory, and no network. In virtual time no
//! time passes while anything computes; when all wait, the clock jumps. This one binary is the runner outside, and the
//! first process inside.

mod guest;
mod host;
mod order;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};

use crate::host::{Boot, Failure};
use crate::order::Ending;

/// The time limit was reached; as `timeout` has it.
const EXIT_LIMIT: u8 = 124;
/// The kernel did not do its part; as `timeout` and `docker run` have it.
const EXIT_FAILURE: u8 = 125;
const EXIT_INTERRUPTED: u8 = 130;

#[derive(Debug, Parser)]
#[command(name = "windlull-kernel", version, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a command in a kernel of its own; its output and its exit code come out.
    Run(Run),
    /// Be the first process inside.
    #[command(hide = true)]
    Guest {
        session: PathBuf,
        /// What the kernel did not understand of its own command line, `console=tty0` for one.
        others: Vec<String>,
    },
    /// Become the kernel, and die with the runner.
    #[command(hide = true)]
    Kernel {
        kernel: PathBuf,
        #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
        arguments: Vec<String>,
    },
}

#[derive(Debug, clap::Args)]
struct Run {
    /// The kernel.
    #[arg(long, default_value = "target/kernel/linux")]
    kernel: PathBuf,
    /// A directory that the command may write; everything else is read-only.
    #[arg(long)]
    scratch: Option<PathBuf>,
    /// Time passes as on the machine, not by jumps.
    #[arg(long)]
    real_time: bool,
    /// Memory of the kernel, in MiB.
    #[arg(long, default_value_t = 512)]
    memory: u32,
    /// End everything after so many seconds of the machine's time (exit code 124).
    #[arg(long, default_value_t = 300)]
    limit: u64,
    /// The command and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Run(run) => report(run),
        Command::Guest { session, others: _ } => guest::serve(&session),
        Command::Kernel { kernel, arguments } => failed(&host::become_kernel(&kernel, &arguments)),
    }
}

fn report(run: Run) -> ExitCode {
    let boot = Boot {
        kernel: run.kernel,
        scratch: run.scratch,
        virtual_time: !run.real_time,
        memory_mib: run.memory,
        limit: Duration::from_secs(run.limit),
    };
    match boot.run(run.command) {
        Ok(Ending::Exit(code)) => ExitCode::from(code),
        // As shells have it.
        Ok(Ending::Signal(signal)) => ExitCode::from(128_u8.wrapping_add(signal)),
        Ok(Ending::NotStarted(why)) => {
            say(&why);
            ExitCode::from(EXIT_FAILURE)
        }
        Err(failure) => failed(&failure),
    }
}

fn failed(failure: &Failure) -> ExitCode {
    say(&failure.to_string());
    ExitCode::from(match failure {
        Failure::Limit(_) => EXIT_LIMIT,
        Failure::Interrupted => EXIT_INTERRUPTED,
        _ => EXIT_FAILURE,
    })
}

#[expect(clippy::print_stderr, reason = "what a command says when it fails")]
fn say(what: &str) {
    eprintln!("error: {what}");
}
