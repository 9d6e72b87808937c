//! The fidelity certificate: how exactly a live run was the run that was asked for, measured by itself.
//!
//! Everything in it is measured; what was not is absent. The tolerances stand here, each with its reason. A certificate
//! beyond one of them is not valid, and says why in words.

use hdrhistogram::Histogram;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlull_plane::model::Stall;
use windlull_plane::netem::QueueCounts;
use windlull_units::PlaneKind;

mod judge;

pub(crate) use judge::Measured;

/// What a valid certificate allows.
pub mod tolerance {
    use windlull_units::Span;

    /// How late half of all packets may be released: what a loaded machine's timers give at worst.
    pub const RELEASE_MEDIAN: Span = Span::from_us(200);
    /// How late 99 of 100 packets may be released. A freeze of the machine moves single packets further and is counted
    /// apart.
    pub const RELEASE_P99: Span = Span::from_us(2_000);
    /// A link whose packets take long forgives as much as this part of the time that a full packet takes.
    pub const PART_OF_PACKET_TIME: f64 = 0.02;
    /// How late any packet may be released because the machine stood still: a tenth of the least retransmission timeout
    /// in use (200 ms, Linux), so that no timer's verdict hangs on it.
    pub const IN_STALL: Span = Span::from_ms(20);
    /// How far 99 of 100 one-way delays may be from the model's by both captures: the release's tolerance, and the way
    /// through the kernels of two hosts.
    pub const WIRE_P99: Span = Span::from_us(3_000);
    /// How late 99 of 100 events of the link may be played.
    pub const SCRIPT_P99: Span = Span::from_us(2_000);
    /// The part of the planned rate by which the achieved one may differ, over a stretch long enough to tell.
    pub const RATE: f64 = 0.002;
    /// How far the machine's two clocks may drift apart during a run: captures are stamped by one of them, the link runs by
    /// the other.
    pub const CLOCK_DRIFT: Span = Span::from_us(100);
    /// Packets in a thousand that need not be found at both ends.
    pub const UNMATCHED_PER_MILLE: u64 = 1;
    /// And so many more: under way when the run was stopped.
    pub const UNMATCHED_AT_THE_END: u64 = 8;
}

/// A distribution in four numbers, microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// Half of all are less.
    pub p50: f64,
    /// 99 of 100 are less.
    pub p99: f64,
    /// The greatest.
    pub max: f64,
    /// How many were measured.
    pub count: u64,
}

impl Spread {
    /// Of errors in nanoseconds.
    pub(crate) fn of(errors_ns: &Histogram<u64>) -> Self {
        Self {
            p50: us(errors_ns.value_at_quantile(0.5)),
            p99: us(errors_ns.value_at_quantile(0.99)),
            max: us(errors_ns.max()),
            count: errors_ns.len(),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "errors are far below 2^53 ns")]
fn us(ns: u64) -> f64 {
    ns as f64 / 1e3
}

/// All but one in a hundred are held against a tolerance, and of few all but two: the part of so many that these are.
#[expect(clippy::cast_precision_loss, reason = "counts of packets")]
pub(crate) fn tail_quantile(count: u64) -> f64 {
    (1.0 - 2.0 / count.max(1) as f64).clamp(0.5, 0.99)
}

/// The rate of one direction over its longest stretch without a gap in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AchievedRate")]
pub struct Rate {
    /// By the capture of the host that received, bits a second.
    pub achieved_bps: f64,
    /// By the model's times of the same packets.
    pub planned_bps: f64,
    /// How long the stretch was, seconds.
    pub over_s: f64,
}

/// The rates of both directions, where a stretch was long enough.
#[serde_with::skip_serializing_none]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AchievedRates")]
pub struct Rates {
    /// Server to client.
    pub down: Option<Rate>,
    /// Client to server.
    pub up: Option<Rate>,
}

/// Moments at which the whole machine stood still, seen by a thread that only looks at the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stalls {
    pub count: u64,
    /// The longest, microseconds.
    pub longest_us: u64,
    /// All together, microseconds.
    pub total_us: u64,
}

impl Stalls {
    pub(crate) fn of(stalls: &[Stall]) -> Self {
        let lasted = || stalls.iter().map(|stall| stall.lasted().as_ns() / 1_000);
        Self {
            count: stalls.len() as u64,
            longest_us: lasted().max().unwrap_or(0),
            total_us: lasted().sum(),
        }
    }
}

/// The kernel's queues of both directions, where the link has them.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KernelQueues {
    /// Server to client.
    pub down: Option<KernelQueue>,
    /// Client to server.
    pub up: Option<KernelQueue>,
}

/// What a queue of the kernel did in a run, by its own count.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KernelQueue {
    /// What `tc` calls it.
    pub discipline: String,
    /// Packets that it dropped.
    pub drops: u64,
    /// Of these, packets for which it had no room; absent where the discipline does not say (`cake`, if it ever had none).
    pub overflows: Option<u64>,
    /// Packets that it marked instead.
    pub marks: u64,
}

impl KernelQueues {
    pub(crate) fn of([down, up]: &[Option<QueueCounts>; 2]) -> Self {
        let queue = |counts: &QueueCounts| KernelQueue {
            discipline: counts.discipline.clone(),
            drops: counts.drops,
            overflows: counts.overflows,
            marks: counts.marks,
        };
        Self {
            down: down.as_ref().map(queue),
            up: up.as_ref().map(queue),
        }
    }
}

/// How exact a live run was.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Certificate {
    /// Whether all of it is within tolerance.
    pub valid: bool,
    /// Why not, a sentence each.
    pub reasons: Vec<String>,
    /// Which plane carried the packets.
    pub plane: PlaneKind,
    /// When packets were released, against the model's time. The netem plane does not tell.
    pub release_error_us: Option<Spread>,
    /// The same of packets that were due while the machine itself stood still.
    pub release_error_in_stalls_us: Option<Spread>,
    /// One-way delays by both captures, against the model's.
    pub wire_error_us: Option<Spread>,
    /// Rates where a stretch was long enough to measure one.
    pub achieved_rate: Rates,
    /// When the link's own events happened, against their time.
    pub script_error_us: Option<Spread>,
    /// What the kernel's disciplines counted of the queues. The model plane has queues of its own.
    pub kernel_queues: Option<KernelQueues>,
    /// The machine's own stalls.
    pub stalls: Stalls,
    /// Packets that a capture missed.
    pub capture_drops: u64,
    /// Packets that the plane missed or could not send.
    pub plane_drops: u64,
    /// Packets that an endpoint of ours had no place for or could not send.
    pub host_drops: u64,
    /// Packets longer than the device's MTU: an offload is on.
    pub super_packets: u64,
    /// Packets with a wrong checksum that the link did not corrupt.
    pub bad_checksums: u64,
    /// Packets of one capture that could be matched with nothing.
    pub unmatched: u64,
    /// Packets that both captures have, or one of them.
    pub packets: u64,
    /// How far the two clocks drifted apart during the run, microseconds.
    pub clock_drift_us: f64,
}
