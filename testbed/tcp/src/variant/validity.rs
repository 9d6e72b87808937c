//! Which combinations of choices contradict themselves.

use std::cmp::Ordering;

use thiserror::Error;
use windlull_units::{Bytes, Span, parse_bytes, parse_span};

use super::{DelayedAck, Variant};
use crate::registry::{
    AfterSpurious, BelowRecoveryPoint, CongestionControl, CongestionMarks, Detection, Estimator, Minimum, Pacing,
    Recovery, Response, TimestampEcho,
};
use crate::{settings, timer_settings};

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
        other_value: &'static str,
        why: &'static str,
    },
    /// One bound lies beyond another.
    #[error("`{key} = {value}` is above `{other_key} = {other_value}`")]
    Inverted {
        /// The key whose value ought to be the lower.
        key: &'static str,
        value: Span,
        /// The key whose value ought to be the higher.
        other_key: &'static str,
        other_value: Span,
    },
    /// A value no TCP can work with.
    #[error("`{key}` is out of range; it must be {range}")]
    OutOfRange { key: &'static str, range: &'static str },
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

/// A setting with bounds, which are written as in files.
trait Bounded {
    /// How it compares with a bound.
    fn against(&self, bound: &str) -> Ordering;
}

impl Bounded for u16 {
    fn against(&self, bound: &str) -> Ordering {
        Bytes::new(u64::from(*self)).against(bound)
    }
}

impl Bounded for Bytes {
    fn against(&self, bound: &str) -> Ordering {
        self.cmp(&parse_bytes(bound).expect("a setting's bound is a size"))
    }
}

impl Bounded for Span {
    fn against(&self, bound: &str) -> Ordering {
        self.cmp(&parse_span(bound).expect("a setting's bound is a duration"))
    }
}

impl Bounded for u32 {
    fn against(&self, bound: &str) -> Ordering {
        self.cmp(&bound.parse().expect("a setting's bound is a number"))
    }
}

impl<T: Bounded> Bounded for Option<T> {
    fn against(&self, bound: &str) -> Ordering {
        self.as_ref().map_or(Ordering::Equal, |value| value.against(bound))
    }
}

/// Checks the bounds of all rows; `$prefix` stands before their keys.
macro_rules! check_bounds {
    ($settings:expr, $prefix:literal, { $(
        $(#[$doc:meta])+ $key:ident: $value:ty = $default:expr
            $(, or $words:literal)? $(, from $least:literal)? $(, to $most:literal)?;
            $part:literal, $label:literal;
    )+ }) => {
        $(
            $(if $settings.$key.against($least) == Ordering::Less {
                let (key, range) = (concat!($prefix, stringify!($key)), concat!("at least ", $least));
                return Err(VariantError::OutOfRange { key, range });
            })?
            $(if $settings.$key.against($most) == Ordering::Greater {
                let (key, range) = (concat!($prefix, stringify!($key)), concat!("at most ", $most));
                return Err(VariantError::OutOfRange { key, range });
            })?
        )+
    };
}

impl Variant {
    /// Checks that the choices go together.
    ///
    /// # Errors
    /// The first contradiction or impossible value, naming its keys.
    pub fn validate(&self) -> Result<(), VariantError> {
        self.check_options()?;
        self.check_recovery()?;
        self.check_congestion()?;
        self.check_detection()?;
        self.check_timer()?;
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
        let by_blocks = match self.recovery {
            Recovery::Sack | Recovery::RenoSack | Recovery::NewRenoSack => Some("RFC 6675 repairs by SACK blocks"),
            Recovery::Fack => Some("forward acknowledgement is what SACK blocks say"),
            Recovery::RackTlp => Some("RFC 8985 section 5.1 asks what was delivered out of order"),
            Recovery::NoSlowStart | Recovery::Tahoe | Recovery::Reno | Recovery::NewReno => None,
        };
        if let Some(why) = by_blocks.filter(|_| !self.sack) {
            return needs_sack("recovery", self.recovery.name(), why);
        }
        if self.dsack && !self.sack {
            return needs_sack("dsack", "true", "RFC 2883 reports duplicates in SACK blocks");
        }
        if matches!(self.detection, Detection::FrtoSack | Detection::FrtoOrEifel) && !self.sack {
            return needs_sack(
                "detection",
                self.detection.name(),
                "RFC 5682 section 3 reads SACK blocks",
            );
        }
        if self.timestamp_echo == TimestampEcho::UpdateOnDuplicate && !self.timestamps {
            return Err(VariantError::Contradiction {
                key: "timestamp_echo",
                value: self.timestamp_echo.name(),
                needs: "timestamps",
                other_key: "timestamps",
                other_value: "false",
                why: "there is no timestamp to echo",
            });
        }
        let (key, most) = match self.largest_receive_window {
            Some(largest) if largest < self.receive_window => {
                return Err(VariantError::OutOfRange {
                    key: "largest_receive_window",
                    range: "at least `receive_window`",
                });
            }
            Some(largest) => ("largest_receive_window", largest),
            None => ("receive_window", self.receive_window),
        };
        if most.get() > u64::from(u16::MAX) && !self.window_scale {
            return Err(VariantError::Contradiction {
                key,
                value: "above 65535 B",
                needs: "window scaling",
                other_key: "window_scale",
                other_value: "false",
                why: "the window field has 16 bits",
            });
        }
        Ok(())
    }

    /// What a sender that counts no duplicates, or has no congestion window, cannot do.
    fn check_recovery(&self) -> Result<(), VariantError> {
        if self.recovery == Recovery::RackTlp && self.below_recovery_point == BelowRecoveryPoint::Allowed {
            return Err(VariantError::Contradiction {
                key: "recovery",
                value: "rack-tlp",
                needs: "a recovery point",
                other_key: "below_recovery_point",
                other_value: "allowed",
                why: "after a timeout its repair goes on by time, and duplicates start nothing",
            });
        }
        if self.recovery != Recovery::NoSlowStart {
            return Ok(());
        }
        let contradiction = |other_key, other_value, needs, why| {
            Err(VariantError::Contradiction {
                key: "recovery",
                value: "no-slow-start",
                needs,
                other_key,
                other_value,
                why,
            })
        };
        if self.detection != Detection::None {
            let why = "without a congestion window there is nothing to undo";
            return contradiction("detection", self.detection.name(), "no detection", why);
        }
        if self.congestion != CongestionControl::Reno {
            let why = "without a congestion window there is nothing to control";
            return contradiction("congestion", self.congestion.name(), "no other congestion control", why);
        }
        if self.ecn != CongestionMarks::Off {
            let why = "a mark asks for a smaller congestion window, and it has none";
            return contradiction("ecn", self.ecn.name(), "no congestion marks", why);
        }
        if self.pacing != Pacing::None {
            let why = "the rate follows from the congestion window, and it has none";
            return contradiction("pacing", self.pacing.name(), "no pacing", why);
        }
        if self.burst_limit.is_some() {
            let why = "bursts are limited by the congestion window, and it has none";
            return contradiction("burst_limit", "a number", "no burst limit", why);
        }
        Ok(())
    }

    /// What a congestion control leaves no room for that spreads segments by itself, or sets the window by a model.
    fn check_congestion(&self) -> Result<(), VariantError> {
        let spreads = matches!(
            self.congestion,
            CongestionControl::Bbr
                | CongestionControl::ByRate
                | CongestionControl::ByInterval
                | CongestionControl::Prague
        );
        if spreads && self.pacing != Pacing::None {
            return Err(VariantError::Contradiction {
                key: "pacing",
                value: self.pacing.name(),
                needs: "congestion control by a window",
                other_key: "congestion",
                other_value: self.congestion.name(),
                why: "it spreads segments by itself",
            });
        }
        if self.congestion == CongestionControl::Prague && self.ecn != CongestionMarks::Accurate {
            return Err(VariantError::Contradiction {
                key: "congestion",
                value: self.congestion.name(),
                needs: "`accurate`",
                other_key: "ecn",
                other_value: self.ecn.name(),
                why: "it reduces the window by the count of marks (RFC 9331, section 4.2)",
            });
        }
        let counts_marks = self.congestion == CongestionControl::Dctcp;
        if counts_marks && !matches!(self.ecn, CongestionMarks::On | CongestionMarks::Accurate) {
            return Err(VariantError::Contradiction {
                key: "congestion",
                value: self.congestion.name(),
                needs: "congestion marks",
                other_key: "ecn",
                other_value: self.ecn.name(),
                why: "it reduces the window by how many there are (RFC 8257)",
            });
        }
        if self.congestion != CongestionControl::Bbr {
            return Ok(());
        }
        let needs = |needs, other_key, other_value, why| {
            Err(VariantError::Contradiction {
                key: "congestion",
                value: CongestionControl::Bbr.name(),
                needs,
                other_key,
                other_value,
                why,
            })
        };
        if self.recovery != Recovery::RackTlp {
            let why = "its model counts each segment that is lost, as soon as it is";
            return needs("`rack-tlp`", "recovery", self.recovery.name(), why);
        }
        if !matches!(self.response, Response::None | Response::Eifel1) {
            let why = "it takes its model back as a whole (draft-ietf-ccwg-bbr, section 5.5.11)";
            return needs("a response that restores", "response", self.response.name(), why);
        }
        if self.ecn != CongestionMarks::Off {
            let why = "the draft leaves the answer to marks open (draft-ietf-ccwg-bbr, section 3.7)";
            return needs("no congestion marks", "ecn", self.ecn.name(), why);
        }
        let why = "its model alone sets the window";
        if let Some(slow_start) = self.slow_start {
            return needs("no other end of slow start", "slow_start", slow_start.name(), why);
        }
        if self.initial_threshold.is_some() {
            return needs("no threshold", "initial_threshold", "a number", why);
        }
        if self.burst_limit.is_some() {
            return needs("no burst limit", "burst_limit", "a number", why);
        }
        Ok(())
    }

    fn check_detection(&self) -> Result<(), VariantError> {
        if matches!(self.detection, Detection::Eifel | Detection::FrtoEifel) && !self.timestamps {
            return Err(VariantError::Contradiction {
                key: "detection",
                value: self.detection.name(),
                needs: "timestamps",
                other_key: "timestamps",
                other_value: "false",
                why: "RFC 3522 compares echoed timestamps",
            });
        }
        if self.detection == Detection::Dsack && !self.dsack {
            return Err(VariantError::Contradiction {
                key: "detection",
                value: "dsack",
                needs: "reports of duplicates",
                other_key: "dsack",
                other_value: "false",
                why: "RFC 3708 counts what the receiver reports as received twice",
            });
        }
        if self.response == Response::FrtoDsack && !self.dsack {
            return Err(VariantError::Contradiction {
                key: "response",
                value: "frto-dsack",
                needs: "reports of duplicates",
                other_key: "dsack",
                other_value: "false",
                why: "only a report that the retransmission arrived twice takes the smaller window back",
            });
        }
        if self.detection == Detection::EcnNonce && self.ecn != CongestionMarks::Nonce {
            return Err(VariantError::Contradiction {
                key: "detection",
                value: "ecn-nonce",
                needs: "nonces",
                other_key: "ecn",
                other_value: self.ecn.name(),
                why: "it tells originals from retransmissions by the sum of their nonces",
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

    fn check_timer(&self) -> Result<(), VariantError> {
        let timer = &self.timer;
        let contradiction = |key, value, needs, other_key, other_value, why| {
            Err(VariantError::Contradiction {
                key,
                value,
                needs,
                other_key,
                other_value,
                why,
            })
        };
        if timer.minimum == Minimum::Adaptive && timer.estimator == Estimator::Linux {
            let why = "its minimum is part of the variance term, which is every segment's";
            let (key, needs) = ("timer.minimum", "another estimator");
            return contradiction(key, "adaptive", needs, "timer.estimator", "linux", why);
        }
        let after = timer.after_spurious;
        let key = "timer.after_spurious";
        if after != AfterSpurious::Standard && self.detection == Detection::None {
            let why = "no timeout would ever prove spurious";
            return contradiction(key, after.name(), "a detection", "detection", "none", why);
        }
        if after == AfterSpurious::Reseed && !self.timestamps {
            let why = "only timestamps measure segments that were sent again (gurtov2003, III.C)";
            return contradiction(key, "reseed", "timestamps", "timestamps", "false", why);
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
        settings!(check_bounds! self, "",);
        timer_settings!(check_bounds! timer, "timer.",);
        let too_long = "above zero and at most 500 ms (RFC 9293, section 3.8.6.3)";
        match self.delayed_ack {
            DelayedAck::EverySecondWithin { earliest, latest } => {
                range(earliest < latest, "delayed_ack.earliest", "below `delayed_ack.latest`")?;
                range(latest <= Span::from_ms(500), "delayed_ack.latest", too_long)
            }
            DelayedAck::EverySecond { timer }
            | DelayedAck::EverySecondSegment { timer }
            | DelayedAck::WindowPart { timer } => range(
                (Span::from_ns(1)..=Span::from_ms(500)).contains(&timer),
                "delayed_ack.timer",
                too_long,
            ),
            DelayedAck::AtTicks { clock } => range(
                (Span::from_ns(1)..=Span::from_ms(500)).contains(&clock),
                "delayed_ack.clock",
                too_long,
            ),
            DelayedAck::None | DelayedAck::Linux => Ok(()),
        }
    }
}
