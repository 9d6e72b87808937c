//! An experiment as the engine tells it, before the first run: everything resolved.

use serde::Serialize;
use windlull_profile::Link;
use windlull_profile::file::LinkFile;
use windlull_units::{Host, Seed};

use crate::evidence::{Claim, Published};
use crate::experiment::{Experiment, Snaplen};
use crate::file::{FigureFile, Pace, Peer, Plane, VariantFile, WorkloadKind};
use crate::netns::Testbed;
use crate::variant::VariantProfile;
use crate::workload::Workload;

/// A resolved experiment, to be serialised.
#[derive(Clone, Debug, Serialize)]
pub struct Plan<'a> {
    name: &'a str,
    title: &'a str,
    description: &'a str,
    source: &'a str,
    seed: Seed,
    repetitions: u32,
    time_limit_s: f64,
    /// `"headers"`, `"full"`, or `{"size": octets}`.
    snaplen: Snaplen,
    /// How it runs in real time, if it does.
    netns: Option<PlannedNetns<'a>>,
    links: Vec<PlannedLink<'a>>,
    variants: Vec<PlannedVariant<'a>>,
    workload: PlannedWorkload<'a>,
    published: Option<&'a Published>,
    #[serde(skip_serializing_if = "Option::is_none")]
    figure: Option<&'a FigureFile>,
    claims: &'a [Claim],
    assumptions: &'a [String],
}

/// A link of a plan.
#[derive(Clone, Debug, Serialize)]
pub struct PlannedLink<'a> {
    name: &'a str,
    title: &'a str,
    description: &'a str,
    source: &'a str,
    summary: Vec<String>,
    resolved: LinkFile,
}

/// A variant of a plan.
#[derive(Clone, Debug, Serialize)]
pub struct PlannedVariant<'a> {
    name: &'a str,
    title: &'a str,
    description: &'a str,
    source: &'a str,
    /// Whose TCP it is.
    stack: &'static str,
    /// The kernel that it is to run on, if it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel: Option<&'a str>,
    /// Where it runs.
    testbeds: Vec<Testbed>,
    /// Settings of the experiment that its TCP does not have, a sentence each.
    not_carried: &'a [String],
    summary: Vec<String>,
    resolved: VariantFile,
}

/// How an experiment runs in real time.
#[derive(Clone, Debug, Serialize)]
pub struct PlannedNetns<'a> {
    /// The variants that join where there is a kernel; those that have joined already are among the plan's.
    variants: Vec<&'a str>,
    repetitions: u32,
    time_limit_s: f64,
    peer: Peer,
    plane: Plane,
    pace: Pace,
}

/// The workload of a plan.
#[derive(Clone, Debug, Serialize)]
pub struct PlannedWorkload<'a> {
    name: &'a str,
    title: &'a str,
    description: &'a str,
    source: &'a str,
    summary: Vec<String>,
    kind: WorkloadKind,
    size_bytes: u64,
    data_sender: Host,
}

fn or_empty(text: Option<&String>) -> &str {
    text.map_or("", String::as_str)
}

impl Experiment {
    /// The experiment as the engine tells it when it runs on these testbeds.
    pub fn plan(&self, testbeds: &[Testbed]) -> Plan<'_> {
        let netns = &self.netns;
        Plan {
            netns: testbeds.iter().any(|testbed| testbed.is_live()).then(|| PlannedNetns {
                variants: netns.variants.iter().map(|variant| variant.name.as_str()).collect(),
                repetitions: netns.repetitions,
                time_limit_s: netns.time_limit.as_secs_f64(),
                peer: netns.peer,
                plane: netns.plane,
                pace: netns.pace,
            }),
            name: &self.name,
            title: &self.title,
            description: or_empty(self.description.as_ref()),
            source: or_empty(self.source.as_ref()),
            seed: self.seed,
            repetitions: self.repetitions,
            time_limit_s: self.time_limit.as_secs_f64(),
            snaplen: self.capture.snaplen,
            links: self.links.iter().map(PlannedLink::of).collect(),
            variants: self
                .variants
                .iter()
                .map(|variant| PlannedVariant::of(variant, testbeds))
                .collect(),
            workload: PlannedWorkload::of(&self.workload),
            published: self.published.as_ref(),
            figure: self.figure.as_ref(),
            claims: &self.claims,
            assumptions: &self.assumptions,
        }
    }
}

impl<'a> PlannedLink<'a> {
    /// The link as the engine tells it.
    pub fn of(link: &'a Link) -> Self {
        Self {
            name: &link.name,
            title: &link.title,
            description: or_empty(link.description.as_ref()),
            source: or_empty(link.source.as_ref()),
            summary: link.summary(),
            resolved: link.resolved(),
        }
    }
}

impl<'a> PlannedVariant<'a> {
    /// The variant as the engine tells it when it runs on those of these testbeds that can run it.
    pub fn of(variant: &'a VariantProfile, testbeds: &[Testbed]) -> Self {
        let carrying = testbeds.iter().filter(|testbed| testbed.carries(variant));
        Self {
            stack: variant.stack.name(),
            kernel: variant.kernel.as_deref(),
            testbeds: carrying.copied().collect(),
            not_carried: &variant.not_carried,
            name: &variant.name,
            title: &variant.title,
            description: or_empty(variant.description.as_ref()),
            source: or_empty(variant.source.as_ref()),
            summary: variant.summary(),
            resolved: variant.resolved(),
        }
    }
}

impl<'a> PlannedWorkload<'a> {
    /// The workload as the engine tells it.
    pub fn of(workload: &'a Workload) -> Self {
        let way = workload.data_sender.sends().name();
        Self {
            name: &workload.name,
            title: &workload.title,
            description: or_empty(workload.description.as_ref()),
            source: or_empty(workload.source.as_ref()),
            summary: vec![format!("{} {way} in one connection", workload.size)],
            kind: workload.kind,
            size_bytes: workload.size.get(),
            data_sender: workload.data_sender,
        }
    }
}
