//! A variant: one combination of the choices that make a TCP.

mod validity;

use serde::{Deserialize, Serialize};
use windlull_units::{Bytes, Span};

pub use crate::registry::{
    AfterIdle, AfterSpurious, BackOff, BelowRecoveryPoint, CongestionControl, CongestionMarks, Detection, Estimator,
    FrtoTimeouts, Minimum, Recovery, RepeatedTimeout, Response, TimestampEcho,
};
pub use validity::VariantError;

/// Everything that distinguishes one TCP from another. Field names are the keys of variant files.
///
/// The default is a plain RFC 5681 sender and receiver: NewReno with limited transmit, and no option that has to be
/// asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Variant {
    /// How lost segments are repaired. Default: `newreno`.
    pub recovery: Recovery,
    /// How the congestion window grows, and what a loss leaves of it. Default: `reno`.
    pub congestion: CongestionControl,
    /// How spurious timeouts are found. Default: `none`.
    pub detection: Detection,
    /// Which timeouts F-RTO examines. Default: `rfc5682`.
    pub frto_timeouts: FrtoTimeouts,
    /// What follows once one is found. Default: `none`.
    pub response: Response,
    /// The retransmission timer.
    pub timer: TimerSettings,
    /// Largest segment to receive, offered on SYN, header options included (RFC 6691). Default: 1460 octets.
    pub mss: u16,
    /// Offer timestamps (RFC 7323). Default: no.
    pub timestamps: bool,
    /// Offer selective acknowledgements (RFC 2018). Default: no.
    pub sack: bool,
    /// Report duplicates by selective acknowledgements (RFC 2883). Default: no.
    pub dsack: bool,
    /// Offer window scaling (RFC 7323, section 2). Default: no.
    pub window_scale: bool,
    /// Offer explicit congestion notification (RFC 3168). Default: `off`.
    pub ecn: CongestionMarks,
    /// Receive buffer, hence the largest window ever advertised. Default: 65,535 octets.
    pub receive_window: Bytes,
    /// Send new data on the first two duplicate acknowledgements (RFC 3042). Default: yes.
    pub limited_transmit: bool,
    /// Segments that one acknowledgement may release at most (sarolahti2003, section 4.2). Default: no limit.
    pub burst_limit: Option<u32>,
    /// Segments in the initial window, whatever their size. Default: two to four, by their size (RFC 5681, section 3.1).
    pub initial_window: Option<u32>,
    /// What the congestion window becomes after a silence. Default: `initial-window`.
    pub after_idle: AfterIdle,
    /// What becomes of the slow start threshold when the same segment times out again. Default: `hold`.
    pub repeated_timeout: RepeatedTimeout,
    /// Whether duplicate acknowledgements below a timeout's recovery point may start a fast retransmit. Default:
    /// `after-spurious`.
    pub below_recovery_point: BelowRecoveryPoint,
    /// When the receiver acknowledges in-order data. Default: every segment at once.
    pub delayed_ack: DelayedAck,
    /// Which segments change the timestamp that the receiver echoes. Default: `rfc7323`.
    pub timestamp_echo: TimestampEcho,
}

/// The retransmission timer's choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TimerSettings {
    /// The estimator. Default: `rfc6298`.
    pub estimator: Estimator,
    /// Lower bound of the timeout (RFC 6298, 2.4); with `linux`, of its variance term. Default: 1 s.
    pub minimum_rto: Span,
    /// Which segments the lower bound is for. Default: `fixed`.
    pub minimum: Minimum,
    /// Upper bound, back-off included (RFC 6298, 2.5). Default: 60 s.
    pub maximum_rto: Span,
    /// Tick of the clock that measures round trips (RFC 6298's G) and, not under 1 ms, stamps segments. Default: 1 ms.
    pub granularity: Span,
    /// The timeout before any measurement (RFC 6298, 2.1). Default: 1 s.
    pub initial_rto: Span,
    /// How it waits longer each time it fires in vain, and until when. Default: `until-measured`.
    pub back_off: BackOff,
    /// What a spurious timeout changes of the timer. Default: `std`.
    pub after_spurious: AfterSpurious,
}

/// When the receiver acknowledges data that arrives in order; all else is acknowledged at once (RFC 5681, section 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum DelayedAck {
    /// At once.
    None,
    /// Once what waits is worth two full-sized segments, or when the timer ends.
    EverySecond {
        /// The longest an acknowledgement waits; RFC 9293, section 3.8.6.3 wants less than 0.5 s.
        timer: Span,
    },
    /// With every second segment whatever its size, or when the timer ends: ns-2 counts packets.
    EverySecondSegment {
        /// The longest an acknowledgement waits.
        timer: Span,
    },
    /// With every second segment whatever its size, or at the first tick of a clock between these two delays, as Solaris does
    /// in psaras2007, table 1.
    EverySecondWithin {
        /// The shortest an acknowledgement waits.
        earliest: Span,
        /// The longest; the clock ticks at intervals of the difference.
        latest: Span,
    },
    /// Once 35 % of the window wait, or when the timer ends, as 4.3BSD did (jacobson1988, figure 9).
    WindowPart {
        /// The longest an acknowledgement waits.
        timer: Span,
    },
    /// At the next tick of the receiver's clock, however much waits (psaras2007, section 2: the client's clock granularity).
    AtTicks {
        /// How long a tick is.
        clock: Span,
    },
}

impl DelayedAck {
    /// The names that files use.
    pub const NAMES: &'static [&'static str] = &[
        "none",
        "every-second",
        "every-second-segment",
        "every-second-within",
        "window-part",
        "at-ticks",
    ];

    /// The policy's name in variant files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::EverySecond { .. } => "every-second",
            Self::EverySecondSegment { .. } => "every-second-segment",
            Self::EverySecondWithin { .. } => "every-second-within",
            Self::WindowPart { .. } => "window-part",
            Self::AtTicks { .. } => "at-ticks",
        }
    }

    /// The policy of this name, with this timer if it has one; the clock of one that ticks does so at half of it.
    pub fn from_name(name: &str, timer: Span) -> Option<Self> {
        match name {
            "none" => Some(Self::None),
            "every-second" => Some(Self::EverySecond { timer }),
            "every-second-segment" => Some(Self::EverySecondSegment { timer }),
            "every-second-within" => Some(Self::EverySecondWithin {
                earliest: timer.div(2),
                latest: timer,
            }),
            "window-part" => Some(Self::WindowPart { timer }),
            "at-ticks" => Some(Self::AtTicks { clock: timer }),
            _ => None,
        }
    }
}

impl Default for TimerSettings {
    fn default() -> Self {
        Self {
            estimator: Estimator::Rfc6298,
            minimum_rto: Span::from_secs(1),
            minimum: Minimum::Fixed,
            maximum_rto: Span::from_secs(60),
            granularity: Span::from_ms(1),
            initial_rto: Span::from_secs(1),
            back_off: BackOff::UntilMeasured,
            after_spurious: AfterSpurious::Standard,
        }
    }
}

impl Default for Variant {
    fn default() -> Self {
        Self {
            recovery: Recovery::NewReno,
            congestion: CongestionControl::Reno,
            detection: Detection::None,
            frto_timeouts: FrtoTimeouts::Rfc5682,
            response: Response::None,
            timer: TimerSettings::default(),
            mss: 1460,
            timestamps: false,
            sack: false,
            dsack: false,
            window_scale: false,
            ecn: CongestionMarks::Off,
            receive_window: Bytes::new(65_535),
            limited_transmit: true,
            burst_limit: None,
            initial_window: None,
            after_idle: AfterIdle::InitialWindow,
            repeated_timeout: RepeatedTimeout::Hold,
            below_recovery_point: BelowRecoveryPoint::AfterSpurious,
            delayed_ack: DelayedAck::None,
            timestamp_echo: TimestampEcho::Rfc7323,
        }
    }
}
