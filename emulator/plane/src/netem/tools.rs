//! Does steps with the machine's `ip`, `tc` and `nft`, in the network namespace of the calling thread.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::sys::utsname::uname;
use thiserror::Error;

use super::{Schedule, Step};

/// Where system tools are, even if the user's search path leaves them out.
const SYSTEM: &str = "/usr/local/sbin:/usr/sbin:/sbin";
/// Both the kernel and iproute2 know netem's `seed` from this version on.
const SEEDS_FROM: (u32, u32) = (6, 6);

/// What `tc` says of a discipline that is neither in the kernel nor a module that it finds (net/sched/sch_api.c).
const UNKNOWN_KIND: &str = "qdisc kind is unknown";

/// The tools, and where `tc` finds the schedule's tables.
#[derive(Debug)]
pub struct Tools {
    tables: PathBuf,
    search: OsString,
    seeds: bool,
}

/// Why a step was not done.
#[derive(Debug, Error)]
pub enum ToolError {
    /// The program could not be run.
    #[error("cannot run {program}: {source}")]
    Start {
        program: &'static str,
        /// What the kernel said.
        source: io::Error,
    },
    #[error("{program}: {said}")]
    Failed {
        program: &'static str,
        /// What it said, or how it ended.
        said: String,
    },
    /// The kernel has not the discipline that a queue or a stage takes.
    #[error(
        "tc: this kernel has no `{discipline}`; it needs sch_{discipline} (`modprobe sch_{discipline}`, or CONFIG_NET_SCH_{})",
        .discipline.to_uppercase()
    )]
    NoDiscipline { discipline: String },
    /// What it answered is not what it answers elsewhere.
    #[error("{program}: its answer cannot be read: {source}")]
    Answer {
        program: &'static str,
        /// What is the matter.
        source: serde_json::Error,
    },
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
}

impl Tools {
    /// Makes the tools ready for a schedule: writes its tables into `directory`.
    ///
    /// # Errors
    /// If a table cannot be written or `tc` cannot be run.
    pub fn ready(schedule: &Schedule, directory: &Path) -> Result<Self, ToolError> {
        for table in &schedule.tables {
            write(directory.join(format!("{}.dist", table.name)), &table.text())?;
        }
        let mut search = env::var_os("PATH").unwrap_or_default();
        search.push(":");
        search.push(SYSTEM);
        let mut tools = Self {
            tables: directory.to_owned(),
            search,
            seeds: false,
        };
        tools.seeds = kernel_knows_seeds() && tools.tc_knows_seeds()?;
        Ok(tools)
    }

    /// Whether netem's random numbers are seeded.
    pub const fn seeds(&self) -> bool {
        self.seeds
    }

    /// Does a step.
    ///
    /// # Errors
    /// If its command cannot be run or fails.
    pub fn run(&self, step: &Step) -> Result<(), ToolError> {
        if let Step::Sysctl { name, value } = step {
            let path = Path::new("/proc/sys").join(name.replace('.', "/"));
            // A kernel without this setting has nothing to be set.
            return if path.exists() { write(path, value) } else { Ok(()) };
        }
        if matches!(step, Step::NoIpv6 { .. }) && !Path::new("/proc/sys/net/ipv6").exists() {
            return Ok(());
        }
        let Some((program, arguments)) = step.command(self.seeds) else {
            return Ok(());
        };
        self.answer(program, &arguments).map(drop)
    }

    /// What a program answers to a question.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub(crate) fn ask(&self, program: &'static str, question: &str) -> Result<Vec<u8>, ToolError> {
        let arguments: Vec<String> = question.split_whitespace().map(str::to_owned).collect();
        self.answer(program, &arguments)
    }

    fn answer(&self, program: &'static str, arguments: &[String]) -> Result<Vec<u8>, ToolError> {
        let output = self.output(program, arguments)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        let said = if said.is_empty() {
            output.status.to_string()
        } else {
            said
        };
        match discipline_of(arguments).filter(|_| said.contains(UNKNOWN_KIND)) {
            Some(discipline) => Err(ToolError::NoDiscipline { discipline }),
            None => Err(ToolError::Failed { program, said }),
        }
    }

    fn tc_knows_seeds(&self) -> Result<bool, ToolError> {
        let help = ["qdisc", "add", "dev", "lo", "root", "netem", "help"].map(str::to_owned);
        let output = self.output("tc", &help)?;
        Ok([output.stdout, output.stderr]
            .iter()
            .any(|text| String::from_utf8_lossy(text).contains("seed")))
    }

    fn output(&self, program: &'static str, arguments: &[String]) -> Result<std::process::Output, ToolError> {
        Command::new(program)
            .args(arguments)
            .env("PATH", &self.search)
            .env("LC_ALL", "C")
            .env("TC_LIB_DIR", &self.tables)
            .stdin(Stdio::null())
            .output()
            .map_err(|source| ToolError::Start { program, source })
    }
}

/// The discipline that `tc` is to add.
fn discipline_of(arguments: &[String]) -> Option<String> {
    let adds = arguments.starts_with(&["qdisc".to_owned(), "add".to_owned()]);
    // `... handle 10: codel limit 100`; an overhead of the device may stand before the name.
    let mut words = arguments.iter().skip_while(|word| *word != "handle").skip(2);
    let first = words.next()?;
    let name = if first == "stab" { words.nth(2)? } else { first };
    adds.then(|| name.clone())
}

fn kernel_knows_seeds() -> bool {
    let Ok(names) = uname() else { return false };
    let release = names.release().to_string_lossy().into_owned();
    let mut numbers = release
        .split(|letter: char| !letter.is_ascii_digit())
        .map_while(|part| part.parse().ok());
    (numbers.next(), numbers.next()) >= (Some(SEEDS_FROM.0), Some(SEEDS_FROM.1))
}

fn write(path: PathBuf, text: &str) -> Result<(), ToolError> {
    fs::write(&path, text).map_err(|source| ToolError::Write { path, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_discipline_that_is_missing_is_known_from_its_command() {
        let asked = |command: &str| {
            let arguments: Vec<String> = command.split(' ').map(str::to_owned).collect();
            discipline_of(&arguments)
        };
        let child = "qdisc add dev down-queue parent 1:1 handle 10: fq_codel limit 100 flows 1024";
        assert_eq!(asked(child).as_deref(), Some("fq_codel"));
        let root = "qdisc add dev down-queue root handle 1: stab overhead -14 htb default 1";
        assert_eq!(asked(root).as_deref(), Some("htb"));
        assert_eq!(
            asked("qdisc change dev down-queue parent 1:1 handle 10: pie limit 5"),
            None
        );
        assert_eq!(
            asked("class add dev down-queue parent 1: classid 1:1 htb rate 1kbit"),
            None
        );
        let error = ToolError::NoDiscipline {
            discipline: "fq_codel".to_owned(),
        };
        let said = "tc: this kernel has no `fq_codel`; it needs sch_fq_codel (`modprobe sch_fq_codel`, or \
                    CONFIG_NET_SCH_FQ_CODEL)";
        assert_eq!(error.to_string(), said);
    }
}
