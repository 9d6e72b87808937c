//! Runs in Linux kernels of their own, in virtual time: several in one boot, several kernels side by side.
//!
//! Inside a kernel the engine calls itself with the same experiment and some places of the plan, and makes them as live runs
//! of network namespaces. What it says of them is passed on as it comes.

use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use windlull_experiment::{Experiment, VariantProfile};
use windlull_kernel::{Boot, Ending, Failure as KernelFailure, Follow, way_out};
use windlull_netns::Component;

use crate::failure::{Failure, this_program, without_prefixes};
use crate::run::relay::{self, Batch, Relay};
use crate::run::{ATTEMPTS, Sweep, workers};

/// Where `make kernel` puts kernels.
pub(crate) const DIRECTORY: &str = "target/kernel";
/// Names another directory.
pub(crate) const VARIABLE: &str = "WINDLULL_KERNELS";
/// The kernel of variants that name none.
pub(crate) const STOCK: &str = "stock";

/// A kernel at work needs no more for a run; it takes what it uses.
const MEMORY_MIB: u32 = 512;
/// Virtual time that stands still for so long does so for ever: a hundred packets take a kernel some milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);
/// Runs in one boot, at most: beside ten, a boot is not felt, and little is lost if a kernel dies.
const MOST_IN_A_BOOT: usize = 10;
/// So many boots for each kernel that works at a time, at least, so that all end at about the same time.
const BOOTS_EACH: usize = 3;

pub(crate) fn file(directory: &Path, kernel: &str) -> PathBuf {
    directory.join(kernel).join("linux")
}

pub(crate) fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let named = entries.filter_map(|entry| entry.file_name().into_string().ok());
    // Beside them are the trees that they are built in.
    let is_built = |name: &String| file(directory, name).is_file() && directory.join(name).join("record").is_file();
    let mut names: Vec<String> = named.filter(is_built).collect();
    names.sort_unstable();
    names
}

fn kernel_of(variant: &VariantProfile) -> &str {
    variant.kernel.as_deref().unwrap_or(STOCK)
}

/// Whether a kernel can be run here, found out by doing it.
pub(crate) fn examine(directory: &Path) -> Component {
    const BUILD: Option<&str> = Some("`windlull kernel build` makes one in some minutes; an ordinary user suffices");
    let names = names(directory);
    let Some(name) = names.iter().find(|name| *name == STOCK).or(names.first()) else {
        return Component::fails(
            "kernel",
            format!("there is no kernel in {}", directory.display()),
            BUILD,
        );
    };
    let boot = Boot {
        kernel: file(directory, name),
        scratch: None,
        virtual_time: true,
        memory_mib: MEMORY_MIB,
        limit: Some(PATIENCE),
        patience: PATIENCE,
    };
    match boot.run(vec!["true".to_owned()], &mut Deaf) {
        Ok(ended) if ended.ending == Ending::Exit(0) => Component::works(
            "kernel",
            format!("{} can be run, and {name} was; time is virtual", names.join(", ")),
        ),
        Ok(ended) => Component::fails(
            "kernel",
            format!("`true` does not work in {name}: {:?}", ended.ending),
            BUILD,
        ),
        Err(failure) => {
            let why = failure.to_string();
            let remedy = way_out(&why).or(BUILD);
            Component::fails("kernel", why, remedy)
        }
    }
}

/// Follows what says nothing.
struct Deaf;

impl Follow for Deaf {
    fn hear(&mut self, _output: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn interrupted(&self) -> bool {
        false
    }
}

/// Says that a kernel is not in the directory, and how to get it.
pub(crate) fn missing(directory: &Path, kernel: &str) -> String {
    let there = match names(directory) {
        names if names.is_empty() => "none".to_owned(),
        names => names.join(", "),
    };
    let build = match kernel {
        STOCK => "`windlull kernel build` makes it in some minutes".to_owned(),
        name => format!("`windlull kernel build --name {name}` with its patch or source makes it"),
    };
    format!(
        "there is no kernel {kernel:?} in {}; there is {there}; {build}",
        directory.display()
    )
}

/// Says which kernels are missing, and how to get them.
pub(crate) fn check(experiment: &Experiment, directory: &Path) -> Result<(), Failure> {
    let mut refusals: Vec<String> = Vec::new();
    for variant in &experiment.variants {
        let kernel = kernel_of(variant);
        if !file(directory, kernel).is_file() {
            let refusal = missing(directory, kernel);
            if !refusals.contains(&refusal) {
                refusals.push(refusal);
            }
        }
    }
    match refusals.as_slice() {
        [] => Ok(()),
        refusals => Err(Failure::input(refusals.join("\n"))),
    }
}

/// Makes the live runs of a sweep.
pub(super) fn run(sweep: &Sweep<'_>, troubles: &mut Vec<String>) -> Result<(), Failure> {
    let jobs = super::jobs(sweep.arguments.jobs);
    if let Some(out) = &sweep.arguments.out {
        // It is lent to the kernels, which cannot make it.
        fs::create_dir_all(out).map_err(|error| Failure::file("create", out, &error))?;
    }
    let plan = relay::plan_of(sweep);
    workers::each(
        &batches(sweep, jobs),
        jobs,
        &sweep.stop,
        |batch| Boots { sweep, plan: &plan }.make(batch),
        |found| {
            troubles.extend(found);
            Ok(())
        },
    )
}

/// Which run shares a boot with which: those of one kernel, in order of the plan. It depends on the plan alone and on how
/// many kernels work at a time.
fn batches(sweep: &Sweep<'_>, jobs: NonZeroUsize) -> Vec<Batch> {
    let size = sweep
        .live
        .len()
        .div_ceil(jobs.get() * BOOTS_EACH)
        .clamp(1, MOST_IN_A_BOOT);
    let of_kernels = (sweep.live.iter()).map(|&place| (place, kernel_of(sweep.cells.at(place).variant).to_owned()));
    relay::batches(of_kernels, size)
}

struct Boots<'a> {
    sweep: &'a Sweep<'a>,
    /// What the engine inside must find the experiment to be.
    plan: &'a Value,
}

impl Boots<'_> {
    /// Makes all runs of a batch. A kernel that dies or hangs costs the run that it was at; the rest are made in another.
    /// Returns what went wrong with single runs.
    fn make(&self, batch: &Batch) -> Result<Vec<String>, Failure> {
        let mut inside = Inside {
            sweep: self.sweep,
            relay: Relay::new(self.sweep, self.plan, &batch.places),
            line: Vec::new(),
            refused: None,
        };
        while !inside.relay.left.is_empty() {
            let command = self.command(&inside.relay.left)?;
            let ended = self.boot(&batch.name).run(command, &mut inside);
            if let Some(refused) = inside.refused.take() {
                return Err(refused);
            }
            let relay = &mut inside.relay;
            let reason = match ended {
                Ok(ended) => match ended.ending {
                    Ending::Exit(2) => return Err(Failure::input(without_prefixes(&ended.complaints, "\n"))),
                    Ending::NotStarted(why) => return Err(Failure::Machine(why)),
                    ending => format!(
                        "its engine ended early: {ending:?} {}",
                        without_prefixes(&ended.complaints, "\n")
                    ),
                },
                Err(KernelFailure::Interrupted) => {
                    relay.remove_drafts()?;
                    return Err(Failure::Interrupted);
                }
                Err(failure @ (KernelFailure::Still { .. } | KernelFailure::Crash(_) | KernelFailure::Limit(_))) => {
                    failure.to_string()
                }
                Err(failure) => return Err(Failure::Machine(failure.to_string())),
            };
            relay.remove_drafts()?;
            relay.give_up_one(&reason)?;
        }
        Ok(inside.relay.troubles)
    }

    fn boot(&self, kernel: &str) -> Boot {
        Boot {
            kernel: file(&self.sweep.arguments.kernels, kernel),
            scratch: self.sweep.arguments.out.clone(),
            virtual_time: true,
            memory_mib: MEMORY_MIB,
            limit: None,
            patience: PATIENCE,
        }
    }

    /// The engine, inside.
    fn command(&self, places: &[u64]) -> Result<Vec<String>, Failure> {
        let arguments = &self.sweep.arguments;
        // By timers that are exact: others are late by a thousandth of what they wait for.
        let mut command: Vec<String> = ["chrt", "--fifo", "1"].map(str::to_owned).into();
        command.push(this_program()?.display().to_string());
        command.extend(relay::arguments(self.sweep, places));
        command.extend([
            "--attempts".to_owned(),
            arguments.attempts.unwrap_or(ATTEMPTS).to_string(),
        ]);
        Ok(command)
    }
}

/// What the engine inside says, on its way out.
struct Inside<'a> {
    sweep: &'a Sweep<'a>,
    relay: Relay<'a>,
    /// The beginning of a line whose end has not come yet.
    line: Vec<u8>,
    /// Why nothing more is taken.
    refused: Option<Failure>,
}

impl Follow for Inside<'_> {
    fn hear(&mut self, output: &[u8]) -> io::Result<()> {
        for octet in output {
            if *octet != b'\n' {
                self.line.push(*octet);
                continue;
            }
            let line = std::mem::take(&mut self.line);
            if let Err(failure) = self.relay.pass_on(&line) {
                self.refused = Some(failure);
                return Err(io::Error::other("what comes out is not taken"));
            }
        }
        Ok(())
    }

    fn interrupted(&self) -> bool {
        self.sweep.stop.asked()
    }
}
