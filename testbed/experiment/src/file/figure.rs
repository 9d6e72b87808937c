//! The figure that an experiment repeats.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlull_profile::text::{Probability, Text};
use windlull_units::{BitRate, Span};

/// What a reproduction of the source draws.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FigureFile {
    /// The time-sequence diagram of each variant's first run.
    TimeSequence,
    /// Every segment of every flow of each variant's first run, by the time it was sent: a dot each, all flows in one
    /// plot. Of 2 to 16 flows.
    Conversations,
    /// A box for each variant on each link: a metric over the repetitions.
    BoxPlot {
        /// The metric.
        metric: String,
        /// The fraction of runs beyond either whisker. Default: 0, whiskers reach the least and the greatest.
        whiskers: Option<Text<Probability>>,
        /// What the boxes show, where the source calls the metric otherwise.
        title: Option<String>,
    },
    /// The retransmission timer over time in each variant's first run: the timeout in force and as it is estimated, the
    /// smoothed round-trip time and its variation.
    Timer,
    /// The round-trip time of each packet in each variant's first run, by the packet's number, and the timeout that was
    /// in force when it was sent.
    RoundTrips,
    /// What all flows sent, and what was delivered, in equal intervals of each variant's first run.
    Bandwidth {
        /// The length of an interval: whole seconds.
        #[schemars(extend("atLeast" = "1 s", "atMost" = "1 h"))]
        bin: Text<Span>,
        /// The bandwidth that is 1 on the axis. Default: none, the axis is in kB/s.
        relative_to: Option<Text<BitRate>>,
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
