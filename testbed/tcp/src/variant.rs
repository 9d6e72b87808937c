//! A variant: one combination of the choices that make a TCP.

mod validity;

use serde::{Deserialize, Serialize};
use windlull_units::{Bytes, Span};

use crate::registry::{Detection, Recovery, Response};
use crate::{settings, timer_settings};

pub use validity::VariantError;

/// Declares a type of settings from their rows, behind fields of its own.
macro_rules! declare {
    (
        $(#[$meta:meta])* $type:ident {
            $($(#[$own_doc:meta])* $own:ident: $own_type:ty = $own_default:expr,)*
        }
        { $(
            $(#[$doc:meta])+ $key:ident: $value:ty = $default:expr
                $(, or $words:literal)? $(, from $least:literal)? $(, to $most:literal)?;
                $part:literal, $label:literal;
        )+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case", deny_unknown_fields)]
        pub struct $type {
            $($(#[$own_doc])* pub $own: $own_type,)*
            $($(#[$doc])+ #[doc = concat!("\n\nDefault: `", stringify!($default), "`.")] pub $key: $value,)+
        }

        impl Default for $type {
            fn default() -> Self {
                Self {
                    $($own: $own_default,)*
                    $($key: $default,)+
                }
            }
        }
    };
}

settings! { declare!
    /// Everything that distinguishes one TCP from another. Field names are the keys of variant files.
    ///
    /// The default is a plain RFC 5681 sender and receiver: NewReno with limited transmit, and no option that has to be
    /// asked for.
    Variant {
        /// How lost segments are repaired. Default: `newreno`.
        recovery: Recovery = Recovery::NewReno,
        /// How spurious timeouts are found. Default: `none`.
        detection: Detection = Detection::None,
        /// What follows once one is found. Default: `none`.
        response: Response = Response::None,
    }
}

timer_settings! { declare!
    /// The retransmission timer's choices.
    #[derive(Copy)]
    TimerSettings {}
}

impl Variant {
    /// The largest window that its receiver ever offers.
    pub fn most_window(&self) -> Bytes {
        self.largest_receive_window.unwrap_or(self.receive_window)
    }
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
    /// Segment by segment at first, then every second full-sized one or when a timer ends that follows the gaps between
    /// segments, from 40 to 200 ms: as Linux.
    Linux,
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
        "linux",
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
            Self::Linux => "linux",
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
            "linux" => Some(Self::Linux),
            _ => None,
        }
    }
}
