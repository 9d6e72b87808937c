//! The figure that an experiment repeats.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlull_profile::text::{Probability, Text};
use windlull_units::Span;

/// What a reproduction of the source draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FigureFile {
    /// The time-sequence diagram of each variant's first run.
    TimeSequence,
    /// A box for each variant on each link: a metric over the repetitions.
    BoxPlot {
        /// The metric.
        metric: String,
        /// The part of the runs beyond either whisker. Default: 0, whiskers reach the least and the greatest.
        #[serde(skip_serializing_if = "Option::is_none")]
        whiskers: Option<Text<Probability>>,
    },
    /// The retransmission timer over time in each variant's first run: the timeout in force and as it is estimated, the
    /// smoothed round-trip time and its variation.
    Timer,
    /// What all flows sent, and what was delivered, in each of equal stretches of time of each variant's first run.
    Bandwidth {
        /// How long a stretch is: whole seconds.
        #[schemars(extend("atLeast" = "1 s", "atMost" = "1 h"))]
        bin: Text<Span>,
    },
    /// A curve for each variant over the links, which differ in one quantity.
    Curve {
        /// The metric.
        metric: String,
        /// What the links differ in, with its unit.
        axis: String,
        /// How much of it each link has, in the order of `links`.
        #[schemars(length(min = 1, max = 500))]
        at: Vec<f64>,
    },
}
