//! What the difference of two runs cost until their end.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

/// The metrics by which a difference is weighed.
const METRICS: [&str; 7] = [
    "elapsed_s",
    "segments_sent",
    "retransmissions",
    "unnecessary_retransmissions",
    "spurious_timeouts",
    "genuine_timeouts",
    "fast_retransmits",
];

/// A metric of two runs. Until they part both have the same of it, so that the difference of the whole runs is that of what
/// follows.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct CostDifference {
    /// As in `results.json`.
    metric: &'static str,
    a: f64,
    b: f64,
    /// B less A.
    difference: f64,
}

/// The metrics that both runs have.
pub(super) fn differences(a: &BTreeMap<String, f64>, b: &BTreeMap<String, f64>) -> Vec<CostDifference> {
    let of = |metric: &'static str| {
        let (a, b) = (*a.get(metric)?, *b.get(metric)?);
        Some(CostDifference {
            metric,
            a,
            b,
            difference: b - a,
        })
    };
    METRICS.into_iter().filter_map(of).collect()
}
