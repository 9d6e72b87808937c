//! An experiment as the engine tells it, before the first run: everything resolved.

use serde::Serialize;
use windlull_profile::Link;
use windlull_profile::file::LinkFile;
use windlull_units::{Host, Seed};

use crate::evidence::{Claim, Published};
use crate::experiment::{Experiment, Snaplen};
use crate::file::{VariantFile, WorkloadKind};
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
    links: Vec<PlannedLink<'a>>,
    variants: Vec<PlannedVariant<'a>>,
    workload: PlannedWorkload<'a>,
    published: Option<&'a Published>,
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
    summary: Vec<String>,
    resolved: VariantFile,
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
    /// The experiment as the engine tells it.
    pub fn plan(&self) -> Plan<'_> {
        Plan {
            name: &self.name,
            title: &self.title,
            description: or_empty(self.description.as_ref()),
            source: or_empty(self.source.as_ref()),
            seed: self.seed,
            repetitions: self.repetitions,
            time_limit_s: self.time_limit.as_secs_f64(),
            snaplen: self.capture.snaplen,
            links: self.links.iter().map(PlannedLink::of).collect(),
            variants: self.variants.iter().map(PlannedVariant::of).collect(),
            workload: PlannedWorkload::of(&self.workload),
            published: self.published.as_ref(),
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
    /// The variant as the engine tells it.
    pub fn of(variant: &'a VariantProfile) -> Self {
        Self {
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
