//! The experiment file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlull_profile::file::ReplayFile;
use windlull_profile::text::{Probability, Text};
use windlull_tcp::Recovery;
use windlull_units::{Bytes, Network, Seed, Span};

use super::{FigureFile, LiveFile, Named, OwnWorkloadFile, SettingsFile};

/// Links, variants, a workload and the number of repetitions: `profiles/experiments/NAME.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[schemars(title = "Windlull experiment")]
pub struct ExperimentFile {
    /// What the experiment is, in one line.
    #[schemars(length(min = 1), extend("extending" = "own"))]
    pub title: String,
    /// The experiment this one builds on: a name, or the path of a file. Keys given here replace those of that
    /// experiment; tables are merged key by key, but those with a `kind` are replaced whole. Its title is not
    /// inherited.
    #[schemars(extend("extending" = "own"))]
    pub extends: Option<String>,
    /// Whether this is only a base that other experiments extend: it may leave out what they give, and is neither run
    /// nor listed. Default: false.
    #[schemars(extend("extending" = "own"))]
    pub base: Option<bool>,
    /// A longer description, for readers.
    pub description: Option<String>,
    /// What it repeats: a paper with its section and table.
    pub source: Option<String>,
    /// The link, if there is one: a name, the path of a file, or a table of what the packets of a run met, as in `{ fates =
    /// "out/first-look/runs/sack/001/fates.csv" }`. Give this or `links`.
    #[schemars(extend("extending" = "not with links"))]
    pub link: Option<LinkChoice>,
    /// The links, if there are several. Give these or `link`.
    #[schemars(length(min = 1, max = 500), extend("extending" = "not with link"))]
    pub links: Option<Vec<String>>,
    /// A link between the shared one and the client of each flow: a name, or the path of a file. Each flow has one of
    /// its own. Default: none; clients are at the end of the shared link.
    pub access: Option<String>,
    /// The variants to compare: names, or paths of files. Tables and figures keep this order.
    #[schemars(length(min = 1, max = 500))]
    pub variants: Vec<String>,
    /// The workload: a name, the path of a file, or a table of its own, as in `{ kind = "command", client = ["ping",
    /// ...] }`. Give this or `workloads`.
    #[schemars(extend("extending" = "not with workloads"))]
    pub workload: Option<WorkloadChoice>,
    /// The workloads, if there are several: names, or paths of files. Each link has runs with each of them, and is
    /// called `LINK+WORKLOAD` in results. Give these or `workload`.
    #[schemars(length(min = 1, max = 500), extend("extending" = "not with workload"))]
    pub workloads: Option<Vec<String>>,
    /// How many flows a workload's first set has on each link, in the order of `links`. Default: as the workload
    /// says.
    #[schemars(length(min = 1, max = 500), inner(range(min = 1, max = 10_000)))]
    pub flows: Option<Vec<u32>>,
    /// The version of IP that packets have. Over IPv6 a segment holds 20 octets less than its variant's `mss` says,
    /// so that packets are as large as over IPv4. Default: `ipv4`.
    pub network: Option<Network>,
    /// Runs of each variant on each link. The n-th run of every variant meets the same link. Default: 1.
    #[schemars(range(min = 1, max = 100_000))]
    pub repetitions: Option<u32>,
    /// The seed that all randomness comes from: a whole number of 64 bits without a sign, as `--seed` takes it. Above
    /// 9223372036854775807, where TOML's numbers end, write it as a text. Default: 1.
    pub seed: Option<Text<Seed>>,
    /// When a run is ended, in its own time. Default: 1 h.
    #[schemars(extend("atLeast" = "1 s", "atMost" = "100 h"))]
    pub time_limit: Option<Text<Span>>,
    /// What captures keep.
    pub capture: Option<CaptureFile>,
    /// Settings that override every variant's; for the kernel's TCP, those that it has.
    pub tcp: Option<SettingsFile>,
    /// How it runs on real kernels.
    pub live: Option<LiveFile>,
    /// Recoveries that others replace, where the source's differs from the variants' own.
    #[serde(default)]
    #[schemars(length(max = 500))]
    pub stand_in: Vec<StandInFile>,
    /// Numbers that the source published, shown beside ours of the first link.
    pub published: Option<PublishedFile>,
    /// The figure of the source that it repeats, if it is one. Give this or `figures`.
    #[schemars(extend("extending" = "not with figures"))]
    pub figure: Option<FigureFile>,
    /// The figures, if there are several, in the order in which they are drawn. Give these or `figure`.
    #[schemars(length(min = 1, max = 20), extend("extending" = "not with figure"))]
    pub figures: Option<Vec<FigureFile>>,
    /// What the source claims and the report decides. A claim overrides that of the same `id` in the extended
    /// experiment; otherwise it is added.
    #[serde(default)]
    #[schemars(length(max = 500), extend("extending" = "id"))]
    pub claim: Vec<ClaimFile>,
    /// Everything the source does not give: what was chosen, and why. Those of the extended experiment follow these.
    #[serde(default)]
    #[schemars(extend("extending" = "first"))]
    pub assumptions: Vec<String>,
}

/// Which link.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum LinkChoice {
    /// A name, or the path of a file.
    Named(String),
    /// What the packets of a run met.
    Replay(ReplayFile),
}

/// Which workload.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum WorkloadChoice {
    /// A name, or the path of a file.
    Named(String),
    /// One of the experiment's own.
    Own(Box<OwnWorkloadFile>),
}

/// A recovery that replaces another one, in every variant of the experiment that has it.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
pub struct StandInFile {
    /// The recovery that the variants give.
    pub recovery: Named<Recovery>,
    /// The recovery that they run with.
    pub by: Named<Recovery>,
}

/// What captures keep.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
pub struct CaptureFile {
    /// How much of each packet: `headers`, `full`, or a size. Default: `headers`.
    pub snaplen: Option<Snaplen>,
}

/// How much of each packet a capture keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Snaplen {
    /// One of the words.
    Word(SnaplenWord),
    /// So much at most.
    Size(#[schemars(extend("atLeast" = "1 B", "atMost" = "65535 B"))] Text<Bytes>),
}

/// How much of each packet, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SnaplenWord {
    /// Every header whole, and no payload.
    Headers,
    /// All of each packet.
    Full,
}

/// Published numbers: a table of variants and metrics.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
pub struct PublishedFile {
    /// Where they were published.
    #[schemars(length(min = 1))]
    pub source: String,
    /// Which statistic of the repetitions they are; ours beside them are the same. Default: `median`.
    pub statistic: Option<Average>,
    /// What the columns are.
    #[schemars(length(min = 1, max = 500))]
    pub columns: Vec<PublishedColumn>,
    /// The numbers in the rows.
    #[schemars(length(min = 1, max = 500))]
    pub rows: Vec<RowFile>,
}

/// What stands for all repetitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Average {
    /// The middle one.
    #[default]
    Median,
    /// Their sum, divided by their number.
    Mean,
}

/// A column of published numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedColumn {
    /// The metric of ours that it is.
    pub metric: String,
    /// What the source calls it.
    pub label: String,
}

/// A row of published numbers.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
pub struct RowFile {
    /// The variant of the experiment that it is about.
    pub variant: String,
    /// What the source calls it.
    pub label: String,
    /// One number for each column.
    pub values: Vec<f64>,
}

/// A claim: `left RELATION factor x right`, or `left RELATION value`; with `within`, left within the tolerance of
/// either; with `~`, no difference between the two can be shown.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
pub struct ClaimFile {
    /// Its name, unique in the experiment: lower-case letters, digits and hyphens.
    pub id: String,
    /// The claim in words.
    #[schemars(length(min = 1))]
    pub text: String,
    /// The metric that decides it.
    pub metric: String,
    /// A metric by which the first is divided, run by run. Default: none.
    pub per: Option<String>,
    /// The statistic over the repetitions. Default: `median`.
    pub statistic: Option<Statistic>,
    /// The link that it is about. Default: each link of the experiment, and it must be true on all of them.
    pub link: Option<String>,
    /// A variant of the experiment, or one that joins it under `[live]`: the claim is decided wherever both ran.
    pub left: String,
    /// How the two must compare.
    pub relation: Relation,
    /// A variant, as `left`. Give this or `value`.
    pub right: Option<String>,
    /// The link of the right side, if it is another one. Not with `value`.
    pub right_link: Option<String>,
    /// A number in the metric's unit, instead of a variant's. Give this or `right`; not with `~`.
    pub value: Option<f64>,
    /// What the right side is multiplied by. Default: 1. Not with `within`, `~` and `value`.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub factor: Option<f64>,
    /// How far from the right side the left one may be, as a fraction of the right one. Required for `within`, and only
    /// there.
    pub tolerance: Option<Text<Probability>>,
    /// Why it is not reproduced here, if it is not.
    pub note: Option<String>,
    /// Several claims at once: a table for each, laid over the other keys here, which they share. Not in `each` itself.
    #[schemars(length(min = 1, max = 500))]
    pub each: Option<Vec<ClaimFile>>,
}

/// A statistic over the repetitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Statistic {
    /// The middle one.
    #[default]
    Median,
    /// The mean.
    Mean,
    /// The first quartile.
    Q1,
    /// The third quartile.
    Q3,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

/// How two numbers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Relation {
    /// Less.
    #[serde(rename = "<")]
    Less,
    /// Not more.
    #[serde(rename = "<=")]
    NotMore,
    /// More.
    #[serde(rename = ">")]
    More,
    /// Not less.
    #[serde(rename = ">=")]
    NotLess,
    /// Nearly the same.
    #[serde(rename = "within")]
    Within,
    /// No difference: the 95 % interval of the ratio of the two includes 1.
    #[serde(rename = "~")]
    Alike,
}
