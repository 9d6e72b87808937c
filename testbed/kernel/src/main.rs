//! `windlull-kernel run -- COMMAND`: a command in a Linux kernel of its own, in virtual or in real time.
//!

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::{Parser, Subcommand};
use windlull_kernel::{Boot, Ended, Ending, Failure, Follow, become_kernel, guest};

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
    #[command(hide = true, name = windlull_kernel::GUEST)]
    Guest {
        session: PathBuf,
        /// What the kernel did not understand of its own command line, `console=tty0` for one.
        others: Vec<String>,
    },
    /// Become the kernel, and die with the runner.
    #[command(hide = true, name = windlull_kernel::KERNEL)]
    Kernel {
        kernel: PathBuf,
        #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
        arguments: Vec<String>,
    },
}

#[derive(Debug, clap::Args)]
struct Run {
    /// The kernel.
    #[arg(long, default_value = "target/kernel/stock/linux")]
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
    /// End everything when virtual time stands still for so many seconds of the machine's time (exit code 125).
    #[arg(long, default_value_t = 60)]
    patience: u64,
    /// The command and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Run(run) => report(run),
        Command::Guest { session, others: _ } => guest::serve(&session),
        Command::Kernel { kernel, arguments } => failed(&become_kernel(&kernel, &arguments)),
    }
}

fn report(run: Run) -> ExitCode {
    let boot = Boot {
        kernel: run.kernel,
        scratch: run.scratch,
        virtual_time: !run.real_time,
        memory_mib: run.memory,
        limit: Some(Duration::from_secs(run.limit)),
        patience: Duration::from_secs(run.patience),
    };
    let interrupted = Arc::new(AtomicBool::new(false));
    let on_signal = Arc::clone(&interrupted);
    let watched = ctrlc::set_handler(move || on_signal.store(true, Ordering::Relaxed));
    let ended = watched
        .map_err(|error| Failure::Process(io::Error::other(error)))
        .and_then(|()| boot.run(run.command, &mut Through(interrupted)));
    match ended.and_then(hand_out) {
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

/// The command's output goes to this process's own.
struct Through(Arc<AtomicBool>);

impl Follow for Through {
    fn hear(&mut self, output: &[u8]) -> io::Result<()> {
        let mut out = io::stdout();
        out.write_all(output)?;
        out.flush()
    }

    fn interrupted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

fn hand_out(ended: Ended) -> Result<Ending, Failure> {
    io::stderr().write_all(&ended.complaints)?;
    Ok(ended.ending)
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
