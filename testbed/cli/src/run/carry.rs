//! Whether this testbed, on this machine, can carry an experiment: asked before anything runs.

use std::env;
use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::process::Command;

use nix::sys::utsname::uname;
use serde::Deserialize;
use windlull_experiment::{Experiment, FlowSet, Testbed, VariantProfile, WaitingEntry};
use windlull_netns::{Component, Node, has_rack_alone, tells_what_is_sent};
use windlull_plane::model::CROSSING_PACKETS;
use windlull_plane::netem;
use windlull_stack::{Linux, Stack};
use windlull_units::{Carries, ConstantRate, Host, Network, PlaneKind, Requests, Work};

use crate::doctor;
use crate::failure::Failure;
use crate::orders::BUILD;

/// The congestion controls that the kernel has.
const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";

/// Where a kernel has its settings of IPv6, if it has that.
const IPV6: &str = "/proc/sys/net/ipv6";

/// Says everything that this testbed cannot carry on any machine, and by whom it can be. `confined`: the files are of
/// somebody who may not run programs on this machine.
pub(crate) fn check_anywhere(experiment: &Experiment, testbed: Testbed, confined: bool) -> Result<(), Failure> {
    unless_any(&commands(experiment, testbed, confined))?;
    if !testbed.has_kernel() || experiment.live.plane == PlaneKind::Model {
        unless_any(&queues(experiment))?;
    }
    unless_any(&triggers(experiment, testbed))?;
    if testbed.has_kernel() {
        unless_any(&[flows(experiment), beside(experiment)].concat())?;
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

/// What of an experiment's flows no live testbed can carry.
fn flows(experiment: &Experiment) -> Vec<String> {
    let mut refusals = Vec::new();
    for workload in &experiment.workloads {
        let unasked = workload.sets.iter().find_map(|set| match set.work {
            Work::Requests(requests) => unasked(requests),
            Work::Octets(_) | Work::Lasting(_) => None,
        });
        let (name, what) = (&workload.name, workload.summary().join("; "));
        refusals.extend(unasked.map(|why| format!("workload {name:?} is {what}; {why}")));
    }
    for link in &experiment.links {
        let sets = experiment.sets_on(&link.name);
        let flows: u32 = sets.iter().map(|set| set.flows).sum();
        if flows > MOST_FLOWS {
            let name = &link.name;
            refusals.push(format!(
                "{flows} flows on link {name:?}: live testbeds carry {MOST_FLOWS}; --testbed sim has more"
            ));
        }
        for variant in &experiment.variants {
            for why in Host::ALL
                .iter()
                .filter_map(|host| apart(experiment, variant, &sets, *host))
            {
                if !refusals.contains(&why) {
                    refusals.push(why);
                }
            }
        }
    }
    let named = experiment
        .others
        .iter()
        .filter_map(|other| Some((other, other.kernel.as_ref()?)));
    refusals.extend(named.map(|(other, kernel)| {
        let name = &other.name;
        format!("variant {name:?} of the workload names the kernel {kernel:?}; it runs on that of the variant that is compared")
    }));
    refusals
}

/// Queues that a kernel has and the model has not.
fn queues(experiment: &Experiment) -> Vec<String> {
    let refusal = |(link, kind): (&str, &str)| {
        format!(
            "link {link:?} has a queue of `{kind}`, which only Linux has: --testbed kernel --plane netem runs it (netns and compose \
             too, where the kernel has sch_{kind}); `fq-codel` is the nearest that can be simulated"
        )
    };
    experiment.queues_of_kernels().into_iter().map(refusal).collect()
}

/// Script entries that wait for what nobody tells the link.
fn triggers(experiment: &Experiment, testbed: Testbed) -> Vec<String> {
    let mut refusals = Vec::new();
    for waiting in experiment.waiting_entries() {
        let WaitingEntry { link, number, when, .. } = waiting;
        let by_packets = waiting.is_told_by_packets;
        let entry = format!("link {link:?}: script entry {number} begins `{when}`");
        let elsewhere = match testbed {
            _ if by_packets => None,
            Testbed::Compose => Some("between containers; --testbed kernel, netns and sim do"),
            Testbed::Netns | Testbed::Kernel if experiment.is_by_commands() => {
                Some("of programs' connections; without commands, --testbed kernel and netns do of Linux's")
            }
            Testbed::Netns | Testbed::Kernel | Testbed::Sim => None,
        };
        if let Some(why) = elsewhere {
            refusals.push(format!(
                "{entry}, which the sender's state tells, and nobody tells the link {why}; `after byte N` and `retransmission N` \
                 are seen on the model plane of every testbed"
            ));
            continue;
        }
        let all = experiment.variants.iter().chain(&experiment.others);
        refusals.extend(all.filter_map(|variant| {
            let why = silent(variant, testbed, by_packets)?;
            Some(format!("{entry}, and variant {:?} {why}", variant.name))
        }));
    }
    refusals
}

/// Why the link does not know the packets or the states of this variant's senders, if it does not.
fn silent(variant: &VariantProfile, testbed: Testbed, by_packets: bool) -> Option<&'static str> {
    match &variant.stack {
        Stack::Transport(transport) if by_packets => (transport.carries == Carries::Datagrams)
            .then_some("sends datagrams, in which the link sees no stream of octets; take variants of TCP"),
        Stack::Transport(_) => {
            Some("is a stack from elsewhere, whose state the link is not told; take variants of our TCP, or Linux")
        }
        Stack::Windlull(_) if testbed.has_kernel() && !by_packets => {
            Some("is a TCP of ours, whose state the link is told in simulation alone: --testbed sim")
        }
        Stack::Windlull(_) | Stack::Linux(_) => None,
    }
}

/// What is beside the one link and the flows: the model plane alone has it, between hosts of the testbed's own.
fn beside(experiment: &Experiment) -> Vec<String> {
    let is_netem = experiment.live.plane == PlaneKind::Netem;
    let mut refusals = Vec::new();
    let mut refuse = |what: String, why: &str| refusals.push(format!("{what}: {why}"));
    for workload in experiment.workloads.iter().filter(|it| !it.crossing.is_empty()) {
        let what = format!("workload {:?} is {}", workload.name, workload.summary().join("; "));
        let fits = |stream: &ConstantRate| CROSSING_PACKETS.contains(&stream.packet);
        let misfit = workload.crossing.iter().find(|stream| !fits(stream));
        if let Some(stream) = misfit {
            let (least, most) = (CROSSING_PACKETS.start(), CROSSING_PACKETS.end());
            let why = format!(
                "live, packets at a constant rate have {least} to {most}, and not {}",
                stream.packet
            );
            refuse(what.clone(), &why);
        }
        if is_netem {
            refuse(
                what,
                "the netem plane carries the hosts' packets alone; the model plane can (--plane model)",
            );
        }
    }
    if let Some(access) = &experiment.access {
        let what = format!("`access = {:?}`", access.name);
        if is_netem {
            refuse(
                what,
                "the netem plane has one link; the model plane can (--plane model)",
            );
        }
    }
    refusals
}

/// So many connections are carried live: each end of the kernel's takes a thread, and each sender a second one.
const MOST_FLOWS: u32 = 100;

/// Why the flows of these sets cannot have their ends at this host, if they cannot.
fn apart(experiment: &Experiment, variant: &VariantProfile, sets: &[FlowSet], host: Host) -> Option<String> {
    let ends: Vec<(&str, &Stack)> = (sets.iter())
        .map(|set| {
            let variant = experiment.variant_of(set, variant);
            let stack = if host == set.data_sender {
                &variant.stack
            } else {
                experiment.live.receiver(variant)
            };
            (variant.name.as_str(), stack)
        })
        .collect();
    let flows: u32 = sets.iter().map(|set| set.flows).sum();
    let is_late = sets.iter().any(|set| !set.start.is_zero());
    if let Some((name, _)) = ends.iter().find(|(_, stack)| stack.transport().is_some()) {
        return (flows > 1 || is_late).then(|| {
            format!(
                "variant {name:?} is a stack from elsewhere, of which live testbeds carry one connection, from the run's start; \
                 --testbed sim has several"
            )
        });
    }
    // Ours have all their settings for themselves.
    let mut kernels = ends
        .into_iter()
        .filter_map(|(name, stack)| Some((name, stack.linux()?)));
    let (first, one) = kernels.next()?;
    let (second, _) = kernels.find(|(_, other)| !one.shares_host_with(other))?;
    let name = Node::from(host).name();
    Some(format!(
        "flows of variants {first:?} and {second:?} meet at the {name}, whose kernel has one set of settings for all; live, \
         Linux variants of one run may differ in `congestion_control` and `mss` only"
    ))
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
    let mut refusals: Vec<String> = experiment
        .waiting_entries()
        .iter()
        .filter_map(|waiting| kernel.does_not_tell(waiting))
        .collect();
    if experiment.network == Network::Ipv6 && !Path::new(IPV6).exists() {
        refusals.push(
            "this kernel has no IPv6 (CONFIG_IPV6), or it is turned off (`ipv6.disable=1` on its command line); leave `network` out"
                .to_owned(),
        );
    }
    for variant in experiment.variants.iter().chain(&experiment.others) {
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

    /// Why an entry of a link's script does not learn what it waits for, if this kernel does not tell.
    pub fn does_not_tell(&self, waiting: &WaitingEntry<'_>) -> Option<String> {
        if waiting.is_told_by_packets || tells_what_is_sent(&self.release) {
            return None;
        }
        let WaitingEntry { link, number, when, .. } = waiting;
        let release = &self.release;
        Some(format!(
            "link {link:?}: script entry {number} begins `{when}`, and kernel {release} does not tell how far its senders have got; \
             take Linux 4.19 or newer, or --testbed sim"
        ))
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
