//! An experiment as the engine tells it, before the first run: everything resolved.

use schemars::JsonSchema;
use serde::Serialize;
use windlull_profile::Link;
use windlull_profile::file::LinkFile;
use windlull_units::{
    Bytes, Commands, ConstantRate, Direction, Host, Network, Pace, PlaneKind, Requests, Seed, Span, Work,
};

use crate::evidence::{Claim, Published};
use crate::experiment::{Experiment, Snaplen};
use crate::file::{FigureFile, Peer, VariantFile, WorkloadKind};
use crate::live::Testbed;
use crate::variant::VariantProfile;
use crate::workload::{FlowSet, Workload};

/// A resolved experiment, to be serialised.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ResolvedExperiment")]
pub struct Plan<'a> {
    name: &'a str,
    title: &'a str,
    description: &'a str,
    source: &'a str,
    seed: Seed,
    /// The version of IP that packets have, if it is not IPv4.
    #[serde(skip_serializing_if = "Network::is_default")]
    network: Network,
    repetitions: u32,
    time_limit_s: f64,
    /// `"headers"`, `"full"`, or `{"size": octets}`.
    snaplen: Snaplen,
    /// How it runs on real kernels, if it does.
    live: Option<PlannedLive<'a>>,
    links: Vec<PlannedLink<'a>>,
    /// The link between the shared one and each flow's client.
    access: Option<PlannedLink<'a>>,
    variants: Vec<PlannedVariant<'a>>,
    /// Those that sets of the workload have as their own.
    others: Vec<PlannedVariant<'a>>,
    /// The workload; the first, if there are several.
    workload: PlannedWorkload<'a>,
    /// How many flows the workload's first set has on each link, where that is not as the workload says.
    #[serde(skip_serializing_if = "Option::is_none")]
    flows: Option<&'a [u32]>,
    published: Option<&'a Published>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    figures: &'a [FigureFile],
    claims: &'a [Claim],
    assumptions: &'a [String],
}

/// A link of a plan.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlannedLink<'a> {
    name: &'a str,
    title: &'a str,
    description: &'a str,
    source: &'a str,
    summary: Vec<String>,
    resolved: LinkFile,
    /// What runs on it transfer, where the experiment has several workloads.
    #[serde(skip_serializing_if = "Option::is_none")]
    workload: Option<PlannedWorkload<'a>>,
}

/// A variant of a plan.
#[derive(Clone, Debug, Serialize, JsonSchema)]
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
    testbeds: Vec<Testbed>,
    /// Settings of the experiment that its TCP does not have, a sentence each.
    not_carried: &'a [String],
    summary: Vec<String>,
    resolved: VariantFile,
}

/// How an experiment runs on real kernels.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlannedLive<'a> {
    /// The variants that join where there is a kernel; those that have joined already are among the plan's.
    variants: Vec<&'a str>,
    repetitions: u32,
    time_limit_s: f64,
    peer: Peer,
    plane: PlaneKind,
    pace: Pace,
}

/// The workload of a plan.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlannedWorkload<'a> {
    name: &'a str,
    title: &'a str,
    description: &'a str,
    source: &'a str,
    summary: Vec<String>,
    /// Of the first set.
    kind: WorkloadKind,
    /// Octets of data of all flows; absent if one lasts for a time.
    size_bytes: Option<u64>,
    /// Of the first set.
    data_sender: Host,
    sets: Vec<PlannedSet<'a>>,
    /// What the hosts run instead of flows.
    #[serde(skip_serializing_if = "Option::is_none")]
    commands: Option<&'a Commands>,
    crossing: Vec<PlannedStream>,
}

/// A set of flows of a plan.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct PlannedSet<'a> {
    kind: WorkloadKind,
    flows: u32,
    start_s: f64,
    gap_s: f64,
    data_sender: Host,
    /// Octets of data of each flow; absent if it lasts for a time.
    size_bytes: Option<u64>,
    duration_s: Option<f64>,
    requests: Option<PlannedRequests>,
    variant: Option<&'a str>,
}

/// The requests of a flow.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct PlannedRequests {
    request_bytes: u64,
    response_bytes: u64,
    every_s: Option<f64>,
    count: u32,
}

/// Packets that cross the link.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct PlannedStream {
    rate_bps: u64,
    packet_bytes: u64,
    direction: Direction,
    start_s: f64,
}

fn or_empty(text: Option<&String>) -> &str {
    text.map_or("", String::as_str)
}

impl Experiment {
    /// The experiment as the engine tells it when it runs on these testbeds.
    pub fn plan(&self, testbeds: &[Testbed]) -> Plan<'_> {
        let live = &self.live;
        Plan {
            live: testbeds
                .iter()
                .any(|testbed| testbed.has_kernel())
                .then(|| PlannedLive {
                    variants: live.variants.iter().map(|variant| variant.name.as_str()).collect(),
                    repetitions: live.repetitions,
                    time_limit_s: live.time_limit.as_secs_f64(),
                    peer: live.peer,
                    plane: live.plane,
                    pace: live.pace,
                }),
            name: &self.name,
            title: &self.title,
            description: or_empty(self.description.as_ref()),
            source: or_empty(self.source.as_ref()),
            seed: self.seed,
            network: self.network,
            repetitions: self.repetitions,
            time_limit_s: self.time_limit.as_secs_f64(),
            snaplen: self.capture.snaplen,
            links: self.links.iter().map(|link| self.planned(link)).collect(),
            access: self.access.as_ref().map(PlannedLink::of),
            others: self
                .others
                .iter()
                .map(|variant| PlannedVariant::of(variant, testbeds))
                .collect(),
            variants: self
                .variants
                .iter()
                .map(|variant| PlannedVariant::of(variant, testbeds))
                .collect(),
            workload: PlannedWorkload::of(&self.workloads[0]),
            flows: self.flows.as_deref(),
            published: self.published.as_ref(),
            figures: &self.figures,
            claims: &self.claims,
            assumptions: &self.assumptions,
        }
    }

    fn planned<'a>(&'a self, link: &'a Link) -> PlannedLink<'a> {
        let workload = PlannedWorkload::of(self.workload_on(&link.name));
        PlannedLink {
            workload: Some(workload).filter(|_| self.workloads.len() > 1),
            ..PlannedLink::of(link)
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
            workload: None,
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
        Self {
            name: &workload.name,
            title: &workload.title,
            description: or_empty(workload.description.as_ref()),
            source: or_empty(workload.source.as_ref()),
            summary: workload.summary(),
            kind: workload
                .sets
                .first()
                .map_or(WorkloadKind::Command, |set| kind_of(set.work)),
            size_bytes: workload
                .sets
                .iter()
                .map(|set| Some(set.size()?.get().saturating_mul(u64::from(set.flows))))
                .sum::<Option<u64>>()
                .filter(|_| workload.commands.is_none()),
            commands: workload.commands.as_ref(),
            data_sender: workload.data_sender(),
            sets: workload.sets.iter().map(PlannedSet::of).collect(),
            crossing: workload.crossing.iter().map(PlannedStream::of).collect(),
        }
    }
}

const fn kind_of(work: Work) -> WorkloadKind {
    match work {
        Work::Octets(_) | Work::Lasting(_) => WorkloadKind::Bulk,
        Work::Requests(_) => WorkloadKind::Requests,
    }
}

impl<'a> PlannedSet<'a> {
    fn of(set: &'a FlowSet) -> Self {
        Self {
            kind: kind_of(set.work),
            flows: set.flows,
            start_s: set.start.as_secs_f64(),
            gap_s: set.gap.as_secs_f64(),
            data_sender: set.data_sender,
            size_bytes: set.size().map(Bytes::get),
            duration_s: match set.work {
                Work::Lasting(span) => Some(span.as_secs_f64()),
                Work::Octets(_) | Work::Requests(_) => None,
            },
            requests: match set.work {
                Work::Requests(requests) => Some(PlannedRequests::of(requests)),
                Work::Octets(_) | Work::Lasting(_) => None,
            },
            variant: set.variant.as_deref(),
        }
    }
}

impl PlannedRequests {
    fn of(requests: Requests) -> Self {
        Self {
            request_bytes: requests.request.get(),
            response_bytes: requests.response.get(),
            every_s: requests.every.map(Span::as_secs_f64),
            count: requests.count,
        }
    }
}

impl PlannedStream {
    fn of(stream: &ConstantRate) -> Self {
        Self {
            rate_bps: stream.rate.as_bps(),
            packet_bytes: stream.packet.get(),
            direction: stream.direction,
            start_s: stream.start.as_secs_f64(),
        }
    }
}
