//! Whether this testbed, on this machine, can carry an experiment: asked before anything runs.

use std::env;
use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::process::Command;

use nix::sys::utsname::uname;
use serde::Deserialize;
use windlull_experiment::{Experiment, Testbed, VariantProfile};
use windlull_netns::{Component, has_rack_alone};
use windlull_plane::netem;
use windlull_stack::{Linux, Stack};
use windlull_units::{PlaneKind, Requests, Work};

use crate::doctor;
use crate::failure::Failure;
use crate::orders::BUILD;

/// The congestion controls that the kernel has.
const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";

/// Says everything that this testbed cannot carry on any machine, and by whom it can be. `confined`: the files are of
/// somebody who may not run programs on this machine.
pub(crate) fn check_anywhere(experiment: &Experiment, testbed: Testbed, confined: bool) -> Result<(), Failure> {
    unless_any(&commands(experiment, testbed, confined))?;
    if testbed.has_kernel() {
        unless_any(&one_connection(experiment))?;
    }
    unless_any(&match testbed {
        Testbed::Sim => simulation(experiment),
        Testbed::Netns | Testbed::Compose if experiment.variants.iter().any(|variant| variant.kernel.is_some()) => {
            kernels_of_their_own(experiment)
        }
        Testbed::Netns | Testbed::Kernel | Testbed::Compose if experiment.live.plane == PlaneKind::Netem => {
            netem_plane(experiment)
        }
        Testbed::Netns | Testbed::Kernel | Testbed::Compose => Vec::new(),
    })
}

/// Says everything that the kernel this runs in does not have. Planes are not tried: it was built to have them.
pub(crate) fn check_inside(experiment: &Experiment) -> Result<(), Failure> {
    unless_any(&kernel(experiment))
}

/// Says everything that live runs need and that this machine does not have.
pub(crate) fn check_here(experiment: &Experiment, testbed: Testbed, orders: &Path) -> Result<(), Failure> {
    let mut refusals = kernel(experiment);
    match testbed {
        Testbed::Sim | Testbed::Kernel => {}
        Testbed::Netns => refusals.extend(Health::of_this_machine()?.lacks(experiment.live.plane)),
        Testbed::Compose => {
            unless_any(&refusals)?;
            let part = doctor::compose(orders);
            if !part.works {
                return Err(Failure::Missing(part.refusal("testbed")));
            }
            return match experiment.live.plane {
                PlaneKind::Model => Ok(()),
                PlaneKind::Netem => netem_of_the_emulator(orders),
            };
        }
    }
    unless_any(&refusals)
}

/// The emulator has told what its kernel lacks.
fn netem_of_the_emulator(orders: &Path) -> Result<(), Failure> {
    let lacks = windlull_live::orders::lacks_netem(orders, BUILD);
    match lacks.map_err(|error| Failure::Missing(error.to_string()))? {
        None => Ok(()),
        // No waiting gives a kernel what it has not.
        Some(why) => Err(Failure::input(format!(
            "the plane netem does not work in the emulator's place: {why}; take --plane model"
        ))),
    }
}

fn unless_any(refusals: &[String]) -> Result<(), Failure> {
    if refusals.is_empty() {
        Ok(())
    } else {
        Err(Failure::input(refusals.join("\n")))
    }
}

/// Commands are programs of somebody: whose, and where they may run.
fn commands(experiment: &Experiment, testbed: Testbed, confined: bool) -> Vec<String> {
    if !experiment.is_by_commands() {
        return Vec::new();
    }
    match testbed {
        Testbed::Sim => vec![
            "the workload runs commands, which the testbed sim cannot; --testbed netns runs them on this machine, and compose in containers of your own"
                .to_owned(),
        ],
        Testbed::Netns | Testbed::Kernel if confined => vec![
            "a service runs no commands on its own machine; --testbed compose runs them in containers of your own (docs/own-containers.md)"
                .to_owned(),
        ],
        Testbed::Netns | Testbed::Kernel | Testbed::Compose => {
            let ours = |variant: &&VariantProfile| !matches!(variant.stack, Stack::Linux(_));
            let refusal = |variant: &VariantProfile| {
                let name = &variant.name;
                format!("variant {name:?} is not the kernel's TCP, by which commands speak; take variants of `stack = \"linux\"`")
            };
            experiment.variants.iter().filter(ours).map(refusal).collect()
        }
    }
}

/// Live testbeds carry one connection.
fn one_connection(experiment: &Experiment) -> Vec<String> {
    let mut refusals = Vec::new();
    for workload in experiment.workloads.iter().filter(|it| it.commands.is_none()) {
        let why = match workload.connection() {
            Some((Work::Requests(requests), _)) => unasked(requests),
            Some((Work::Octets(_) | Work::Lasting(_), _)) => None,
            None => Some(
                "live testbeds carry one connection from the run's start, or commands; --testbed sim has several flows",
            ),
        };
        let (name, what) = (&workload.name, workload.summary().join("; "));
        refusals.extend(why.map(|why| format!("workload {name:?} is {what}; {why}")));
    }
    if let Some(flows) = &experiment.flows {
        refusals.push(format!(
            "`flows = {flows:?}`: live testbeds carry one flow; --testbed sim has several"
        ));
    }
    if let Some(access) = &experiment.access {
        let name = &access.name;
        refusals.push(format!(
            "`access = {name:?}`: live testbeds have one link between two hosts; --testbed sim has access links"
        ));
    }
    refusals
}

/// Why these requests cannot be made between two hosts, of which none knows what the other does.
fn unasked(requests: Requests) -> Option<&'static str> {
    (requests.request.get() == 0 && requests.every.is_none()).then_some(
        "live, a data sender does not know by itself that the response before has arrived: give requests a size \
         (`request = \"300 B\"`) or a time (`every`)",
    )
}

fn simulation(experiment: &Experiment) -> Vec<String> {
    let not_carried = |variant: &&VariantProfile| !Testbed::Sim.carries(variant);
    let refusal = |variant: &VariantProfile| {
        let name = &variant.name;
        format!("variant {name:?} is the kernel's TCP, which the testbed sim does not have; --testbed netns has it")
    };
    let all = experiment.variants.iter().chain(&experiment.others);
    all.filter(not_carried).map(refusal).collect()
}

fn kernels_of_their_own(experiment: &Experiment) -> Vec<String> {
    let named = |variant: &VariantProfile| {
        let (name, kernel) = (&variant.name, variant.kernel.as_ref()?);
        Some(format!(
            "variant {name:?} names the kernel {kernel:?}; --testbed kernel can choose one, the others have the machine's"
        ))
    };
    experiment.variants.iter().filter_map(named).collect()
}

fn kernel(experiment: &Experiment) -> Vec<String> {
    let kernel = Kernel::of_this_machine();
    let mut refusals = Vec::new();
    for variant in &experiment.variants {
        let receiver = experiment.live.receiver(variant);
        for linux in [&variant.stack, receiver].into_iter().filter_map(Stack::linux) {
            for why in kernel.lacks(linux) {
                let refusal = format!("variant {:?}: {why}", variant.name);
                if !refusals.contains(&refusal) {
                    refusals.push(refusal);
                }
            }
        }
    }
    refusals
}

/// What a kernel can do.
#[derive(Debug)]
pub struct Kernel {
    /// As `uname -r` prints it.
    pub release: String,
    /// The names of those that are loaded.
    pub congestion_controls: Vec<String>,
}

impl Kernel {
    fn of_this_machine() -> Self {
        let release = uname().map_or_else(|_| String::new(), |name| name.release().to_string_lossy().into_owned());
        let available = fs::read_to_string(AVAILABLE).unwrap_or_default();
        Self {
            release,
            congestion_controls: available.split_whitespace().map(str::to_owned).collect(),
        }
    }

    /// Which of the settings it has not, and what would help.
    pub fn lacks(&self, linux: &Linux) -> Vec<String> {
        let mut lacks = Vec::new();
        if let Some(name) = &linux.congestion_control {
            if !self.congestion_controls.contains(name) {
                let known = self.congestion_controls.join(", ");
                lacks.push(format!(
                    "this kernel has no congestion control {name:?}; it has {known}, and more by `modprobe tcp_{name}` if it is a module"
                ));
            }
        }
        if linux.rack == Some(false) && has_rack_alone(&self.release) {
            let release = &self.release;
            lacks.push(format!(
                "`rack = false` does nothing on kernel {release}: from 6.17 on there is no other loss detection; take an older kernel"
            ));
        }
        lacks
    }
}

/// What `doctor` says; it is asked in a process of its own, as it enters namespaces.
#[derive(Debug, Deserialize)]
struct Health {
    testbeds: Vec<Component>,
    planes: Vec<Component>,
}

impl Health {
    fn of_this_machine() -> Result<Self, Failure> {
        let unknown =
            |error: &dyn Display| Failure::Machine(format!("cannot learn what works on this machine: {error}"));
        let engine = env::current_exe().map_err(|error| unknown(&error))?;
        let output = Command::new(engine)
            .arg("doctor")
            .output()
            .map_err(|error| unknown(&error))?;
        serde_json::from_slice(&output.stdout).map_err(|error| unknown(&error))
    }

    /// What live runs on this plane need and do not have.
    fn lacks(&self, plane: PlaneKind) -> Vec<String> {
        let testbed = self.testbeds.iter().find(|part| part.name == "netns");
        let plane = self.planes.iter().find(|part| part.name == plane.name());
        let parts = [("testbed", testbed), ("plane", plane)].into_iter();
        parts
            .filter_map(|(kind, part)| part.filter(|part| !part.works).map(|part| part.refusal(kind)))
            .collect()
    }
}

/// What a part that does not work is refused with.
trait Refusal {
    fn refusal(&self, kind: &str) -> String;
}

impl Refusal for Component {
    fn refusal(&self, kind: &str) -> String {
        let Self { name, why, remedy, .. } = self;
        let remedy = remedy.as_ref().map_or_else(String::new, |remedy| format!("; {remedy}"));
        format!("the {kind} {name} does not work here: {why}{remedy}").replace('\n', " ")
    }
}

fn netem_plane(experiment: &Experiment) -> Vec<String> {
    let mut refusals = Vec::new();
    for link in &experiment.links {
        let compiled = netem::compile(
            &link.model,
            experiment.seed,
            experiment.time_limit,
            &netem::Devices::default(),
        );
        if let Err(unsupported) = compiled {
            let parts = unsupported_parts(&link.name, &unsupported).into_iter();
            refusals.extend(parts.map(|part| format!("{part}; the model plane can (--plane model)")));
        }
    }
    refusals
}

/// The parts of a link that netem cannot express, a line each.
pub(crate) fn unsupported_parts(link: &str, unsupported: &netem::Unsupported) -> Vec<String> {
    let part = |refusal: &netem::Refusal| format!("link {link:?}: {refusal}");
    unsupported.parts.iter().map(part).collect()
}
