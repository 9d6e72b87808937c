//! The variant file, and the settings that an experiment may lay over it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlull_profile::text::Text;
use windlull_tcp::{
    AfterIdle, AfterSpurious, BackOff, BelowRecoveryPoint, CongestionControl, CongestionMarks, Detection, Estimator,
    FrtoTimeouts, Minimum, Recovery, RepeatedTimeout, Response, TimestampEcho,
};
use windlull_units::{Bytes, Span};

use super::{LinuxFile, Named, StackName};

/// A TCP to test, ours or the kernel's: `profiles/variants/NAME.toml`. Both ends of a connection use it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Windlull variant")]
pub struct VariantFile {
    /// What the variant is, in a line.
    #[schemars(length(min = 1))]
    pub title: String,
    /// More about it, for a reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where it is defined: papers with their section, RFCs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The variant this one builds on: a name, or the path of a file. Keys given here replace those of that variant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extends: Option<String>,
    /// Whose TCP it is. Default: `windlull`, or what it extends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<StackName>,
    /// Settings of the kernel's TCP, with `stack = "linux"` and in place of all keys below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linux: Option<LinuxFile>,
    /// How lost segments are repaired. Default: `newreno`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<Named<Recovery>>,
    /// How spurious timeouts are found. Default: `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detection: Option<Named<Detection>>,
    /// What follows once a timeout proved spurious. Default: `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<Named<Response>>,
    /// Everything that is not one of the three choices above.
    #[serde(flatten)]
    pub settings: SettingsFile,
}

/// Settings of a TCP that are independent of its recovery: in a variant file, or under `[tcp]` in an experiment, where
/// they are laid over every variant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SettingsFile {
    /// The largest segment to receive, header options included (RFC 6691). Default: 1460 B.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("atLeast" = "64 B", "atMost" = "65495 B"))]
    pub mss: Option<Text<Bytes>>,
    /// Offer timestamps (RFC 7323). Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamps: Option<bool>,
    /// Offer selective acknowledgements (RFC 2018). Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sack: Option<bool>,
    /// Report duplicates by selective acknowledgements (RFC 2883). Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dsack: Option<bool>,
    /// Offer window scaling (RFC 7323, section 2). Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_scale: Option<bool>,
    /// Offer explicit congestion notification (RFC 3168). Default: `off`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn: Option<Named<CongestionMarks>>,
    /// Receive buffer, hence the largest window ever advertised. Default: 65535 B.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("atLeast" = "1 B", "atMost" = "1073725440 B"))]
    pub receive_window: Option<Text<Bytes>>,
    /// Send new data on the first two duplicate acknowledgements (RFC 3042). Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_transmit: Option<bool>,
    /// Segments that one acknowledgement may release at most (sarolahti2003, section 4.2). Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub burst_limit: Option<u32>,
    /// Segments in the initial window, whatever their size. Default: two to four, by their size (RFC 5681, section 3.1).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub initial_window: Option<u32>,
    /// How the congestion window grows, and what a loss leaves of it. Default: `reno`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub congestion: Option<Named<CongestionControl>>,
    /// What the congestion window becomes after a silence longer than the timeout. Default: `initial-window`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_idle: Option<Named<AfterIdle>>,
    /// What becomes of the slow start threshold when the same segment times out again. Default: `hold`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated_timeout: Option<Named<RepeatedTimeout>>,
    /// Which timeouts `frto` and `frto-both` examine: not those in the recovery from an earlier one, or all. Default: `rfc5682`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frto_timeouts: Option<Named<FrtoTimeouts>>,
    /// Whether duplicate acknowledgements below a timeout's recovery point may start a fast retransmit. Default:
    /// `after-spurious`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below_recovery_point: Option<Named<BelowRecoveryPoint>>,
    /// When the receiver acknowledges data that arrives in order. Default: `{ kind = "none" }`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delayed_ack: Option<DelayedAckFile>,
    /// Which segments change the timestamp that the receiver echoes: they differ when an old one arrives again. Default: `rfc7323`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp_echo: Option<Named<TimestampEcho>>,
    /// The retransmission timer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timer: Option<TimerFile>,
}

/// When the receiver acknowledges data that arrives in order; all else is acknowledged at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum DelayedAckFile {
    /// At once.
    None,
    /// Once what waits is worth two full-sized segments, or when the timer ends (RFC 5681, section 4.2).
    EverySecond {
        /// The longest an acknowledgement waits.
        #[schemars(extend("atLeast" = "1 ns", "atMost" = "500 ms"))]
        timer: Text<Span>,
    },
    /// With every second segment whatever its size, or when the timer ends: ns-2 counts packets.
    EverySecondSegment {
        /// The longest an acknowledgement waits.
        #[schemars(extend("atLeast" = "1 ns", "atMost" = "500 ms"))]
        timer: Text<Span>,
    },
    /// With every second segment whatever its size, or at the first tick of a clock between these two delays (Solaris in psaras2007,
    /// table 1: 50 to 100 ms).
    EverySecondWithin {
        /// The shortest an acknowledgement waits.
        #[schemars(extend("atMost" = "500 ms"))]
        earliest: Text<Span>,
        /// The longest an acknowledgement waits; the clock ticks at intervals of the difference.
        #[schemars(extend("atLeast" = "1 ns", "atMost" = "500 ms"))]
        latest: Text<Span>,
    },
    /// Once 35 % of the window wait, or when the timer ends (4.3BSD in jacobson1988, figure 9: 200 ms).
    WindowPart {
        /// The longest an acknowledgement waits.
        #[schemars(extend("atLeast" = "1 ns", "atMost" = "500 ms"))]
        timer: Text<Span>,
    },
    /// At the next tick of the receiver's clock, however much waits (the client's clock granularity in psaras2007, section 2).
    AtTicks {
        /// How long a tick is.
        #[schemars(extend("atLeast" = "1 ns", "atMost" = "500 ms"))]
        clock: Text<Span>,
    },
}

/// The retransmission timer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimerFile {
    /// How the timeout is computed from round-trip times. Default: `rfc6298`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimator: Option<Named<Estimator>>,
    /// Lower bound of the timeout (RFC 6298, 2.4); with `estimator = "linux"`, of its variance term. Default: 1 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("atMost" = "1 h"))]
    pub minimum_rto: Option<Text<Span>>,
    /// Which segments the lower bound is for: all, or those whose acknowledgement may be delayed. Default: `fixed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<Named<Minimum>>,
    /// Upper bound of the timeout, back-off included (RFC 6298, 2.5). Default: 60 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("atMost" = "1 h"))]
    pub maximum_rto: Option<Text<Span>>,
    /// Tick of the clock that measures round trips (RFC 6298's G). Default: 1 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("atLeast" = "1 ns", "atMost" = "1 s"))]
    pub granularity: Option<Text<Span>>,
    /// The timeout before any measurement (RFC 6298, 2.1). Default: 1 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("atLeast" = "1 ms", "atMost" = "1 h"))]
    pub initial_rto: Option<Text<Span>>,
    /// How the timeout grows each time it passes in vain, and until when. Default: `until-measured`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub back_off: Option<Named<BackOff>>,
    /// What a spurious timeout changes of the timer (gurtov2003, section III.C). Default: `std`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_spurious: Option<Named<AfterSpurious>>,
}
