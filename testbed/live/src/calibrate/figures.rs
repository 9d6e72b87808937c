//! What a testbed on this machine was found to do.

use std::io;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use windlull_netns::LabError;
use windlull_plane::model::PlaneError;
use windlull_units::Span;

use crate::{Spread, Stalls, tolerance};

/// What was measured. Everything is of packets on the machine's own kernel, in real time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Calibration {
    /// Whether the plane spent the last stretch before a deadline looking at the clock.
    pub precise: bool,
    /// How late 10,000 packets a second leave and arrive.
    pub delays: Delays,
    /// How late the link's own events happen, microseconds.
    pub script_error_us: Spread,
    /// Rates, planned and achieved.
    pub rates: Vec<RateCheck>,
    /// Random loss, planned and met.
    pub loss: Loss,
    /// Up to here a certificate holds at every rate that was tried, from the slowest on; `None` if not even there.
    pub highest_rate_bps: Option<u64>,
    /// What a TCP connection of the kernels gets through a link without limits, bits a second.
    pub throughput_bps: f64,
    /// The part of its time that the plane was in the system calls that send, meanwhile.
    pub throughput_sending: f64,
    /// The same throughput where the router's kernel forwards instead of the plane: what the hosts alone could do.
    pub forwarding_throughput_bps: f64,
}

/// How late packets leave the link and reach the far host, microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DelayCheck")]
pub struct Delays {
    /// Actual less planned time of release, outside of stalls.
    pub release: Spread,
    /// The same of what a stall of the machine delayed.
    pub release_in_stalls: Spread,
    /// The stamp of the far host's kernel less the planned time.
    pub wire: Spread,
    /// The machine's stalls meanwhile.
    pub stalls: Stalls,
    /// Packets that the plane lost of itself.
    pub plane_drops: u64,
}

/// A rate as it was planned and as it came.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RateCheck {
    pub planned_bps: u64,
    /// By the stamps of the far host's kernel.
    pub achieved_bps: f64,
    /// Achieved by planned, less one.
    pub error: f64,
    /// Over how long, seconds.
    pub over_s: f64,
    /// How late packets left, microseconds.
    pub release: Spread,
    /// Packets that the plane lost of itself.
    pub plane_drops: u64,
    /// Whether a certificate with these figures would be valid.
    pub valid: bool,
}

/// Random loss as it was planned and as it came.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LossCheck")]
pub struct Loss {
    pub probability: f64,
    /// Packets that met the link.
    pub packets: u64,
    /// Packets that it lost.
    pub lost: u64,
    /// Packets that neither the link lost nor the far host got: its kernel had no room for them, or the plane is wrong.
    pub unaccounted: u64,
    /// Between these the probability is with 99 % confidence.
    pub interval: [f64; 2],
}

/// Why a testbed could not be measured.
#[derive(Debug, Error)]
pub enum CalibrateError {
    /// The namespaces could not be made.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// The plane could not be started, or failed.
    #[error("the link: {0}")]
    Plane(#[from] PlaneError),
    /// A socket would not.
    #[error("a host: {0}")]
    Host(#[from] io::Error),
    /// No packet came through.
    #[error("nothing arrived at the far host")]
    NothingArrived,
}

impl RateCheck {
    /// Says whether a certificate with these figures would be valid.
    #[must_use]
    pub(super) fn judged(mut self, packet_time: Span) -> Self {
        let us = |span: Span| span.as_secs_f64() * 1e6;
        let per_packet = us(packet_time) * tolerance::PART_OF_PACKET_TIME;
        self.valid = self.error.abs() <= tolerance::RATE
            && self.release.p50 <= us(tolerance::RELEASE_MEDIAN).max(per_packet)
            && self.release.p99 <= us(tolerance::RELEASE_P99).max(per_packet)
            && self.plane_drops == 0;
        self
    }
}

impl Loss {
    /// Whether the link's probability is where the count says it is.
    pub fn is_plausible(&self) -> bool {
        let [low, high] = self.interval;
        low <= self.probability && self.probability <= high
    }

    /// The Wilson score interval (Wilson, JASA 1927), which is right for few losses too.
    #[expect(clippy::cast_precision_loss, reason = "counts of packets are far below 2^52")]
    pub(super) fn of(probability: f64, packets: u64, lost: u64, arrived: u64) -> Self {
        /// The normal distribution's two-sided 99 %.
        const Z: f64 = 2.575_829;
        let (n, share) = (packets as f64, lost as f64 / packets.max(1) as f64);
        let middle = (share + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
        let half = Z / (1.0 + Z * Z / n) * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        Self {
            probability,
            packets,
            lost,
            unaccounted: packets.saturating_sub(lost + arrived),
            interval: [middle - half, middle + half],
        }
    }
}
