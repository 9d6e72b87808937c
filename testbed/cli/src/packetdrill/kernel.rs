//! Scripts in Linux kernels of their own, by a packetdrill that the person has.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use windlull_kernel::{Boot, Ending, Failure as KernelFailure, Follow};

use crate::failure::Failure;
use crate::packetdrill::outcome::Outcome;
use crate::run::kernels;

/// A script takes a kernel what it takes a run.
const MEMORY_MIB: u32 = 512;
/// Virtual time that stands still for so long does so for ever.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs each script with the program, in a boot of its own, so that no script meets the settings of another.
///
/// A kernel's first process is root. The program is started in the script's own directory, as scripts name others beside
/// them; its arguments are the script's name alone.
pub(super) fn run_all(
    scripts: &[PathBuf],
    program: &Path,
    directory: &Path,
    name: &str,
) -> Result<Vec<Outcome>, Failure> {
    let program = executable(program)?;
    let places = scripts
        .iter()
        .map(|script| found(script))
        .collect::<Result<Vec<_>, _>>()?;
    let kernel = kernels::file(directory, name);
    if !kernel.is_file() {
        return Err(Failure::input(kernels::missing(directory, name)));
    }
    let interrupted = Arc::new(AtomicBool::new(false));
    let on_signal = Arc::clone(&interrupted);
    ctrlc::set_handler(move || on_signal.store(true, Ordering::Relaxed))
        .map_err(|error| Failure::Machine(format!("cannot hear of an interrupt: {error}")))?;
    let mut outcomes = Vec::new();
    for script in &places {
        outcomes.push(run(script, &program, &kernel, &interrupted)?);
    }
    Ok(outcomes)
}

fn run(script: &Path, program: &Path, kernel: &Path, interrupted: &Arc<AtomicBool>) -> Result<Outcome, Failure> {
    let boot = Boot {
        kernel: kernel.to_owned(),
        scratch: None,
        virtual_time: true,
        memory_mib: MEMORY_MIB,
        limit: None,
        patience: PATIENCE,
    };
    let words = |path: &Path| path.display().to_string();
    let directory = script.parent().map(words).unwrap_or_default();
    let file = script.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let command = [
        "sh",
        "-c",
        "cd \"$1\" && exec \"$2\" \"$3\"",
        "sh",
        &directory,
        &words(program),
        &file,
    ];
    let mut heard = Heard {
        output: Vec::new(),
        interrupted: Arc::clone(interrupted),
    };
    let ended = match boot.run(command.map(str::to_owned).to_vec(), &mut heard) {
        Ok(ended) => ended,
        Err(KernelFailure::Interrupted) => return Err(Failure::Interrupted),
        // A program that hangs is the script's failure; the next script has a kernel of its own.
        Err(failure @ (KernelFailure::Still { .. } | KernelFailure::Crash(_))) => {
            return Ok(Outcome {
                passed: false,
                notes: [
                    failure.to_string().lines().map(str::to_owned).collect(),
                    lines(&heard.output),
                ]
                .concat(),
            });
        }
        Err(failure) => return Err(Failure::Machine(failure.to_string())),
    };
    let how = match ended.ending {
        Ending::Exit(0) => {
            return Ok(Outcome {
                passed: true,
                notes: Vec::new(),
            });
        }
        Ending::Exit(code) => format!("exit code {code}"),
        Ending::Signal(signal) => format!("ended by signal {signal}"),
        Ending::NotStarted(why) => format!("not started: {why}"),
    };
    Ok(Outcome {
        passed: false,
        notes: [vec![how], lines(&heard.output), lines(&ended.complaints)].concat(),
    })
}

/// What the program says is kept for those who want to know why it failed.
struct Heard {
    output: Vec<u8>,
    interrupted: Arc<AtomicBool>,
}

impl Follow for Heard {
    fn hear(&mut self, output: &[u8]) -> io::Result<()> {
        self.output.extend_from_slice(output);
        Ok(())
    }

    fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}

fn lines(text: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(text).lines().map(str::to_owned).collect()
}

/// The script's path from the root, as a kernel sees the machine's files.
fn found(script: &Path) -> Result<PathBuf, Failure> {
    let whole = fs::canonicalize(script).map_err(|error| Failure::input(format!("{}: {error}", script.display())))?;
    if whole.is_file() {
        Ok(whole)
    } else {
        Err(Failure::input(format!("{}: is no file", script.display())))
    }
}

fn executable(program: &Path) -> Result<PathBuf, Failure> {
    let wrong = |why: &str| Failure::input(format!("--packetdrill {}: {why}", program.display()));
    let whole = fs::canonicalize(program).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            wrong("no such program; build packetdrill (`./configure && make`) and give its path")
        }
        _ => wrong(&error.to_string()),
    })?;
    let about = fs::metadata(&whole).map_err(|error| wrong(&error.to_string()))?;
    if !about.is_file() || about.permissions().mode() & 0o111 == 0 {
        return Err(wrong("not executable; give the program itself"));
    }
    Ok(whole)
}
