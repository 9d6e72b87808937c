//! What the engine says of a sweep, a line each.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use windlull_analysis::Metrics;
use windlull_experiment::{Experiment, Plan, Testbed};
use windlull_live::Certificate;

use crate::built::{COMMIT, VERSION};
use crate::estimate::Estimate;
use crate::live_run::Far;
use crate::run::cell::Which;

/// A line of `run`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "lowercase")]
pub(crate) enum Message<'a> {
    Plan {
        testbeds: &'a [Testbed],
        experiment: Box<PlannedExperiment<'a>>,
        runs: u64,
        /// `null` where nobody knows what a command will send.
        estimate: Box<Option<Estimate>>,
    },
    Run(&'a Finished),
    Progress(&'a Progress),
    Failed(&'a Failed),
    Done {
        runs: u64,
    },
}

/// The experiment, and which engine says so.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Experiment")]
pub(crate) struct PlannedExperiment<'a> {
    #[serde(flatten)]
    plan: Plan<'a>,
    version: &'a str,
    commit: &'a str,
}

impl<'a> PlannedExperiment<'a> {
    pub(crate) fn of(experiment: &'a Experiment, testbeds: &[Testbed]) -> Self {
        Self {
            plan: experiment.plan(testbeds),
            version: VERSION,
            commit: COMMIT,
        }
    }
}

/// How far a live run is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RunProgress")]
pub(crate) struct Progress {
    #[serde(flatten)]
    pub(crate) which: Which,
    /// Its time and what has arrived of it.
    #[serde(flatten)]
    pub(crate) far: Far,
    /// Octets in all.
    pub(crate) of: u64,
}

/// What became of a run.
#[derive(Debug)]
pub(crate) enum Ended {
    Run(Box<Finished>),
    Failed(Failed),
}

/// A run that was made.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FinishedRun")]
pub(crate) struct Finished {
    #[serde(flatten)]
    pub(crate) which: Which,
    /// How often it was tried, if it was live.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) attempts: Option<u32>,
    #[serde(flatten)]
    #[schemars(with = "MeasuredSchema")]
    pub(crate) measured: Measured,
    /// How it ended, if not in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unfinished: Option<String>,
}

/// A run of which nothing came.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FailedRun")]
pub(crate) struct Failed {
    #[serde(flatten)]
    pub(crate) which: Which,
    pub(crate) attempts: u32,
    pub(crate) reason: String,
    /// Whether a process that makes runs is missing, and the run is not at fault.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) missing: bool,
}

/// The schema of what was measured.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the numbers of a live run are passed on as they were written")]
struct MeasuredSchema {
    metrics: Metrics,
    /// Of a live run: how exact it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<Certificate>,
}

/// What was measured, and who measured it.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Measured {
    Here {
        /// Of a simulated run.
        metrics: Box<Metrics>,
    },
    /// Another one, whose numbers are passed on to the digit.
    Elsewhere {
        /// Of a live run.
        metrics: Box<RawValue>,
        /// How exact it was.
        certificate: Box<RawValue>,
    },
}
