//! A variant: one combination of the choices that make a TCP, and which combinations contradict themselves.

use thiserror::Error;
use windlull_units::{Bytes, Span};

pub use crate::registry::{Detection, Estimator, Recovery, Response, TimestampEcho};

/// Everything that distinguishes one TCP from another. Field names are the keys of variant files.
///
/// The default is a plain RFC 5681 sender and receiver: NewReno with limited transmit, and no option that has to be
/// asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// How lost segments are repaired. Default: `newreno`.
    pub recovery: Recovery,
    /// How spurious timeouts are found. Default: `none`.
    pub detection: Detection,
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
    /// Receive buffer, hence the largest window ever advertised. Default: 65,535 octets.
    pub receive_window: Bytes,
    /// Send new data on the first two duplicate acknowledgements (RFC 3042). Default: yes.
    pub limited_transmit: bool,
    /// Segments that one acknowledgement may release at most (sarolahti2003, section 4.2). Default: no limit.
    pub burst_limit: Option<u32>,
    /// Segments in the initial window (RFC 5681, section 3.1). Default: 3.
    pub initial_window: u32,
    /// When the receiver acknowledges in-order data. Default: every segment at once.
    pub delayed_ack: DelayedAck,
    /// Which timestamp the receiver echoes after a duplicate. Default: `rfc1323`.
    pub timestamp_echo: TimestampEcho,
}

/// The retransmission timer's choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerSettings {
    /// The estimator. Default: `rfc6298`.
    pub estimator: Estimator,
    /// Lower bound of the timeout (RFC 6298, 2.4). Default: 1 s.
    pub minimum_rto: Span,
    /// Upper bound, back-off included (RFC 6298, 2.5). Default: 60 s.
    pub maximum_rto: Span,
    /// Tick of the clock that measures round trips (RFC 6298's G) and, not under 1 ms, stamps segments. Default: 1 ms.
    pub granularity: Span,
    /// The timeout before any measurement (RFC 6298, 2.1). Default: 1 s.
    pub initial_rto: Span,
}

/// When the receiver acknowledges data that arrives in order; all else is acknowledged at once (RFC 5681, section 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayedAck {
    /// At once.
    None,
    /// With every second full-sized segment, or when the timer ends.
    EverySecond {
        /// The longest an acknowledgement waits; RFC 9293, section 3.8.6.3 wants less than 0.5 s.
        timer: Span,
    },
}

impl DelayedAck {
    /// The names that files use.
    pub const NAMES: &'static [&'static str] = &["none", "every-second"];

    /// The policy's name in variant files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::EverySecond { .. } => "every-second",
        }
    }

    /// The policy of this name, with this timer if it has one.
    pub fn from_name(name: &str, timer: Span) -> Option<Self> {
        match name {
            "none" => Some(Self::None),
            "every-second" => Some(Self::EverySecond { timer }),
            _ => None,
        }
    }
}

impl Default for TimerSettings {
    fn default() -> Self {
        Self {
            estimator: Estimator::Rfc6298,
            minimum_rto: Span::from_secs(1),
            maximum_rto: Span::from_secs(60),
            granularity: Span::from_ms(1),
            initial_rto: Span::from_secs(1),
        }
    }
}

impl Default for Variant {
    fn default() -> Self {
        Self {
            recovery: Recovery::NewReno,
            detection: Detection::None,
            response: Response::None,
            timer: TimerSettings::default(),
            mss: 1460,
            timestamps: false,
            sack: false,
            dsack: false,
            window_scale: false,
            receive_window: Bytes::new(65_535),
            limited_transmit: true,
            burst_limit: None,
            initial_window: 3,
            delayed_ack: DelayedAck::None,
            timestamp_echo: TimestampEcho::Rfc1323,
        }
    }
}

/// Why a combination cannot be a TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum VariantError {
    /// Two keys contradict each other.
    #[error("`{key} = {value}` needs {needs}, but `{other_key} = {other_value}`: {why}")]
    Contradiction {
        /// The key that asks for something.
        key: &'static str,
        /// Its value, as files write it.
        value: &'static str,
        /// What it asks for.
        needs: &'static str,
        /// The key that denies it.
        other_key: &'static str,
        /// That key's value.
        other_value: &'static str,
        /// The reason.
        why: &'static str,
    },
    /// One bound lies beyond another.
    #[error("`{key} = {value}` is above `{other_key} = {other_value}`")]
    Inverted {
        /// The key whose value ought to be the lower.
        key: &'static str,
        /// Its value.
        value: Span,
        /// The key whose value ought to be the higher.
        other_key: &'static str,
        /// Its value.
        other_value: Span,
    },
    /// A value no TCP can work with.
    #[error("`{key}` is out of range; it must be {range}")]
    OutOfRange {
        /// The key.
        key: &'static str,
        /// What is possible.
        range: &'static str,
    },
}

impl VariantError {
    /// The key at fault and, where two are in conflict, the other one.
    pub const fn keys(&self) -> (&'static str, Option<&'static str>) {
        match *self {
            Self::Contradiction { key, other_key, .. } | Self::Inverted { key, other_key, .. } => {
                (key, Some(other_key))
            }
            Self::OutOfRange { key, .. } => (key, None),
        }
    }
}

/// Largest window that a shift of 14 can express (RFC 7323, section 2.3).
const LARGEST_WINDOW: u64 = 65_535 << 14;
/// RFC 879's smallest datagram, 68 octets, leaves 28; below 64 a segment with all options would carry nothing.
const SMALLEST_MSS: u16 = 64;

impl Variant {
    /// Checks that the choices go together.
    ///
    /// # Errors
    /// The first contradiction or impossible value, naming its keys.
    pub fn validate(&self) -> Result<(), VariantError> {
        self.check_options()?;
        self.check_detection()?;
        self.check_ranges()
    }

    fn check_options(&self) -> Result<(), VariantError> {
        let needs_sack = |key, value, why| {
            Err(VariantError::Contradiction {
                key,
                value,
                needs: "selective acknowledgements",
                other_key: "sack",
                other_value: "false",
                why,
            })
        };
        if matches!(self.recovery, Recovery::Sack | Recovery::RenoSack) && !self.sack {
            return needs_sack("recovery", self.recovery.name(), "RFC 6675 repairs by SACK blocks");
        }
        if self.dsack && !self.sack {
            return needs_sack("dsack", "true", "RFC 2883 reports duplicates in SACK blocks");
        }
        if self.detection == Detection::FrtoSack && !self.sack {
            return needs_sack("detection", "frto-sack", "RFC 5682 section 3 reads SACK blocks");
        }
        if self.timestamp_echo != TimestampEcho::Rfc1323 && !self.timestamps {
            return Err(VariantError::Contradiction {
                key: "timestamp_echo",
                value: self.timestamp_echo.name(),
                needs: "timestamps",
                other_key: "timestamps",
                other_value: "false",
                why: "there is no timestamp to echo",
            });
        }
        if self.receive_window.get() > u64::from(u16::MAX) && !self.window_scale {
            return Err(VariantError::Contradiction {
                key: "receive_window",
                value: "above 65535 B",
                needs: "window scaling",
                other_key: "window_scale",
                other_value: "false",
                why: "the window field has 16 bits",
            });
        }
        Ok(())
    }

    fn check_detection(&self) -> Result<(), VariantError> {
        if self.detection == Detection::Eifel && !self.timestamps {
            return Err(VariantError::Contradiction {
                key: "detection",
                value: "eifel",
                needs: "timestamps",
                other_key: "timestamps",
                other_value: "false",
                why: "RFC 3522 compares echoed timestamps",
            });
        }
        if self.detection == Detection::None && self.response != Response::None {
            return Err(VariantError::Contradiction {
                key: "response",
                value: self.response.name(),
                needs: "a detection",
                other_key: "detection",
                other_value: "none",
                why: "nothing would ever trigger the response",
            });
        }
        if self.detection != Detection::None && self.response == Response::None {
            return Err(VariantError::Contradiction {
                key: "detection",
                value: self.detection.name(),
                needs: "a response",
                other_key: "response",
                other_value: "none",
                why: "a spurious timeout found must be answered",
            });
        }
        Ok(())
    }

    fn check_ranges(&self) -> Result<(), VariantError> {
        let range = |holds: bool, key, range| {
            if holds {
                Ok(())
            } else {
                Err(VariantError::OutOfRange { key, range })
            }
        };
        let timer = &self.timer;
        for (key, value) in [
            ("timer.minimum_rto", timer.minimum_rto),
            ("timer.initial_rto", timer.initial_rto),
        ] {
            if value > timer.maximum_rto {
                return Err(VariantError::Inverted {
                    key,
                    value,
                    other_key: "timer.maximum_rto",
                    other_value: timer.maximum_rto,
                });
            }
        }
        range(self.mss >= SMALLEST_MSS, "mss", "at least 64 octets")?;
        range(
            (1..=LARGEST_WINDOW).contains(&self.receive_window.get()),
            "receive_window",
            "from 1 B to 1073725440 B",
        )?;
        range(
            (1..=1000).contains(&self.initial_window),
            "initial_window",
            "from 1 to 1000 segments",
        )?;
        range(self.burst_limit != Some(0), "burst_limit", "at least 1 segment")?;
        range(
            (Span::from_ns(1)..=Span::from_secs(1)).contains(&timer.granularity),
            "timer.granularity",
            "from 1 ns to 1 s",
        )?;
        range(!timer.initial_rto.is_zero(), "timer.initial_rto", "above zero")?;
        range(
            timer.maximum_rto <= Span::from_secs(3600),
            "timer.maximum_rto",
            "at most 3600 s",
        )?;
        match self.delayed_ack {
            DelayedAck::EverySecond { timer } => range(
                (Span::from_ns(1)..=Span::from_ms(500)).contains(&timer),
                "delayed_ack.timer",
                "above zero and at most 500 ms (RFC 9293, section 3.8.6.3)",
            ),
            DelayedAck::None => Ok(()),
        }
    }
}
