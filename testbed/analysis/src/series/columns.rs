//! The diagram's file, `series.json`: columns of integers, delta-coded.
//!
//! Each column holds its first value, then differences. Times are nanoseconds since the run's start, positions are
//! octets of the stream from 0. What is missing is -1 before delta-coding. Numbers of causes, verdicts and the like
//! are places in the lists of `names`.

use schemars::JsonSchema;
use serde::Serialize;
use windlull_capture::Provenance;
use windlull_units::{Host, Seed};

use super::column::{Column, Table};
use super::data::Data;
use super::lanes::{Marks, QueueLengths, Spells};

/// Which run it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SeriesRun {
    pub experiment: String,
    pub variant: String,
    /// The link profile's name.
    pub link: String,
    /// Which repetition, from 1.
    pub repetition: u32,
    /// The run's own seed.
    pub seed: Seed,
}

impl From<&Provenance> for SeriesRun {
    fn from(provenance: &Provenance) -> Self {
        Self {
            experiment: provenance.experiment.clone(),
            variant: provenance.variant.clone(),
            link: provenance.link.clone(),
            repetition: provenance.repetition,
            seed: provenance.seed,
        }
    }
}

/// The diagram's file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Series {
    pub(crate) version: u32,
    /// Absent where the capture is of unknown origin.
    pub(crate) run: Option<SeriesRun>,
    pub(crate) data_sender: Host,
    pub(crate) duration_ns: u64,
    pub(crate) names: Names,
    pub(crate) data: Data,
    pub(crate) acks: Acks,
    pub(crate) sacks: Sacks,
    pub(crate) rtt: RoundTripColumns,
    pub(crate) timeouts: Timeouts,
    pub(crate) fast_retransmits: FastRetransmits,
    pub(crate) detector: Detector,
    pub(crate) responses: Responses,
    pub(crate) state: State,
    /// Of a sender that does not tell there are none.
    #[serde(skip_serializing_if = "Limits::is_empty")]
    #[schemars(default)]
    pub(crate) limits: Limits,
    pub(crate) link: Link,
}

/// What the numbers stand for.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "SeriesNames")]
pub(crate) struct Names {
    pub(crate) cause: Vec<&'static str>,
    pub(crate) verdict: Vec<&'static str>,
    pub(crate) drop: Vec<&'static str>,
    pub(crate) phase: Vec<&'static str>,
    pub(crate) rule: Vec<String>,
    pub(crate) answer: Vec<&'static str>,
    pub(crate) impairment: Vec<String>,
    pub(crate) reason: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub(crate) limit: Vec<&'static str>,
}

/// Acknowledgements as they arrive at the data sender.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "SeriesAcks")]
pub(crate) struct Acks {
    pub(crate) t: Column,
    pub(crate) ack: Column,
    /// The end of the window: acknowledgement and advertised window.
    pub(crate) edge: Column,
    pub(crate) dup: Column,
}

/// Their SACK blocks.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "SeriesSacks")]
pub(crate) struct Sacks {
    pub(crate) t: Column,
    pub(crate) left: Column,
    pub(crate) right: Column,
    pub(crate) dsack: Column,
}

/// Round trips, by the arrival of the acknowledgement that ended them.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "SeriesRoundTrips")]
pub(crate) struct RoundTripColumns {
    pub(crate) t: Column,
    pub(crate) rtt: Column,
}

/// Timeouts. Verdicts: 0 spurious, 1 genuine, 2 unknown.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "SeriesTimeouts")]
pub(crate) struct Timeouts {
    pub(crate) t: Column,
    pub(crate) ordinal: Column,
    pub(crate) una: Column,
    pub(crate) rto: Column,
    pub(crate) backoff: Column,
    /// Into `names.rule`.
    pub(crate) rule: Column,
    pub(crate) verdict: Column,
    pub(crate) reason: Column,
    pub(crate) answer: Column,
    pub(crate) answered: Column,
}

/// Fast retransmits.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "SeriesFastRetransmits")]
pub(crate) struct FastRetransmits {
    pub(crate) t: Column,
    pub(crate) una: Column,
    pub(crate) verdict: Column,
}

/// Steps of the detector.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "SeriesDetector")]
pub(crate) struct Detector {
    pub(crate) t: Column,
    pub(crate) ordinal: Column,
    pub(crate) rule: Column,
    pub(crate) answer: Column,
}

/// Responses to spurious timeouts.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "SeriesResponses")]
pub(crate) struct Responses {
    pub(crate) t: Column,
    pub(crate) ordinal: Column,
    pub(crate) cwnd_before: Column,
    pub(crate) cwnd_after: Column,
    pub(crate) name: Vec<String>,
}

/// The sender's variables.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "SeriesState")]
pub(crate) struct State {
    pub(crate) t: Column,
    pub(crate) cwnd: Column,
    pub(crate) ssthresh: Column,
    pub(crate) flight: Column,
    pub(crate) srtt: Column,
    pub(crate) rttvar: Column,
    pub(crate) rto: Column,
    /// Before bounds and back-off.
    pub(crate) estimated_rto: Column,
    pub(crate) phase: Column,
}

/// What holds the sender from sending more, from each instant on.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "SeriesLimits")]
pub(crate) struct Limits {
    pub(crate) t: Column,
    /// Into `names.limit`.
    pub(crate) by: Column,
}

/// The link's lane. Directions: 0 down, 1 up.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "SeriesLink")]
pub(crate) struct Link {
    pub(crate) holds: Spells,
    pub(crate) outages: Spells,
    pub(crate) bad: Spells,
    pub(crate) drops: Drops,
    pub(crate) marks: Marks,
    pub(crate) queue: Queues,
    pub(crate) rates: Rates,
    pub(crate) delays: Delays,
}

/// Dropped packets.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "SeriesDrops")]
pub(crate) struct Drops {
    pub(crate) t: Column,
    pub(crate) direction: Column,
    pub(crate) by: Column,
    pub(crate) id: Column,
}

/// Lengths of the queues.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "SeriesQueues")]
pub(crate) struct Queues {
    pub(crate) down: QueueLengths,
    pub(crate) up: QueueLengths,
}

/// The rates from each instant on; -1: no opportunities.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "SeriesRates")]
pub(crate) struct Rates {
    pub(crate) t: Column,
    pub(crate) direction: Column,
    pub(crate) bps: Column,
}

/// The propagation delays from each instant on and before it, where the script changes them; -1: each packet draws its own.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "SeriesDelays")]
pub(crate) struct Delays {
    pub(crate) t: Column,
    pub(crate) direction: Column,
    pub(crate) delay: Column,
    pub(crate) delay_before: Column,
}

impl Limits {
    pub(super) fn is_empty(&self) -> bool {
        self.t.spilled() + self.t.tail.len() == 0
    }

    /// Only the last of an instant holds for any time.
    pub(super) fn push(&mut self, t: i64, by: i64) {
        if self.t.tail.last() == Some(&t) {
            self.t.tail.pop();
            self.by.tail.pop();
        }
        if self.by.tail.last() != Some(&by) {
            self.t.push(t);
            self.by.push(by);
        }
    }
}

/// Says which columns a table has.
macro_rules! table {
    ($name:ident, $count:literal, $first:ident $(, $column:ident)*) => {
        impl Table<$count> for $name {
            fn rows_in_memory(&self) -> usize {
                self.$first.tail.len()
            }

            fn columns(&mut self) -> [&mut Column; $count] {
                [&mut self.$first $(, &mut self.$column)*]
            }
        }
    };
}

table!(Acks, 4, t, ack, edge, dup);
table!(Sacks, 4, t, left, right, dsack);
table!(RoundTripColumns, 2, t, rtt);
table!(Detector, 4, t, ordinal, rule, answer);
table!(
    State,
    9,
    t,
    cwnd,
    ssthresh,
    flight,
    srtt,
    rttvar,
    rto,
    estimated_rto,
    phase
);
table!(Limits, 2, t, by);
table!(Drops, 4, t, direction, by, id);
table!(Rates, 3, t, direction, bps);
table!(Delays, 4, t, direction, delay, delay_before);
