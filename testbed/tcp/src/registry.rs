//! Every choice of a variant. The mechanisms behind one stand in the `mod.rs` of its folder, a line each: its value, its name
//! in files, and what implements it. Choices without mechanisms of their own stand here.
//!
//! To add a mechanism: write its file, add its two lines in the folder's `mod.rs`, a folder of scripts under `tests/`, a row in
//! the docs.

pub use crate::after_spurious::AfterSpurious;
pub use crate::congestion::CongestionControl;
pub use crate::detection::Detection;
pub use crate::era::Era;
pub use crate::minimum::Minimum;
pub use crate::recovery::Recovery;
pub use crate::response::Response;
pub use crate::timer::Estimator;

/// One of the choices that make a variant.
pub trait Choice: Copy + 'static {
    /// Every value, in the order of the registry.
    const ALL: &'static [Self];
    /// The value's name in files.
    fn name(self) -> &'static str;
    /// The value in a form, where it is not called by its name.
    fn label(self) -> Option<&'static str>;
}

/// Hands every choice there is to a macro.
#[macro_export]
macro_rules! choices {
    ($callback:ident!) => {
        $callback! {
            $crate::Era,
            $crate::Recovery,
            $crate::CongestionControl,
            $crate::Detection,
            $crate::FrtoTimeouts,
            $crate::Response,
            $crate::Estimator,
            $crate::Minimum,
            $crate::AfterSpurious,
            $crate::BackOff,
            $crate::SlowStart,
            $crate::AfterIdle,
            $crate::RepeatedTimeout,
            $crate::FastUndo,
            $crate::RateReduction,
            $crate::RoundTrips,
            $crate::Pacing,
            $crate::TimestampEcho,
            $crate::CongestionMarks,
            $crate::BelowRecoveryPoint,
        }
    };
}

/// Declares one of the choices of a variant: a plain enum with the names that files use and, `as`, the labels of forms.
macro_rules! choice {
    ($(#[$meta:meta])* $choice:ident {
        $($(#[$doc:meta])* $value:ident = $name:literal $(as $label:literal)?,)+
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $choice {
            $($(#[$doc])* #[serde(rename = $name)] $value,)+
        }

        impl $choice {
            /// Every value, in the order of the registry.
            pub const ALL: &'static [Self] = &[$(Self::$value),+];

            /// The value's name in variant files.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }

            /// The value of this name, if there is one.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.name() == name)
            }
        }

        impl $crate::registry::Choice for $choice {
            const ALL: &'static [Self] = Self::ALL;

            fn name(self) -> &'static str {
                self.name()
            }

            fn label(self) -> Option<&'static str> {
                match self {
                    $($(Self::$value => Some($label),)?)+
                    #[allow(unreachable_patterns, reason = "where every value has a label")]
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $choice {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

/// Declares a choice together with the mechanisms behind it: an enum of their states, made from the choice by `new`, which hands
/// every call of their trait to whichever it is.
macro_rules! mechanisms {
    ($(#[$meta:meta])* $choice:ident as $mechanism:ident: $trait:ident ($($setting:ident: $setting_type:ty)?) {
        $($(#[$doc:meta])* $value:ident = $name:literal $(as $label:literal)? => $made:ty, $make:expr;)+
    }) => {
        $crate::registry::choice! { $(#[$meta])* $choice { $($(#[$doc])* $value = $name $(as $label)?,)+ } }

        #[doc = concat!("The state of the mechanism that a [`", stringify!($choice), "`] names.")]
        #[derive(Clone, Debug, ambassador::Delegate)]
        #[delegate($trait)]
        #[allow(clippy::large_enum_variant, reason = "a sender has one of each, and asks it at every segment")]
        pub(crate) enum $mechanism {
            $($value($made),)+
        }

        impl $mechanism {
            pub(crate) const fn new(choice: $choice $(, $setting: $setting_type)?) -> Self {
                match choice {
                    $($choice::$value => Self::$value($make),)+
                }
            }

            #[allow(dead_code, reason = "not every choice is asked for its name")]
            pub(crate) const fn choice(&self) -> $choice {
                match self {
                    $(Self::$value(_) => $choice::$value,)+
                }
            }
        }
    };
}
pub(crate) use {choice, mechanisms};

choice! {
    /// Whether duplicate acknowledgements below a timeout's recovery point may start a fast retransmit (gurtov2003, III.A,
    /// figure 3).
    BelowRecoveryPoint {
        /// Never: what was outstanding at the timeout must be acknowledged first (figure 3a).
        Blocked = "blocked" as "Never, below its recovery point",
        /// Only once the timeout proved spurious (figure 3b; sarolahti2003, section 3, step 3a).
        AfterSpurious = "after-spurious" as "After a spurious timeout",
        /// Always: there is no recovery point, as before RFC 2582.
        Allowed = "allowed" as "Always",
    }
}

choice! {
    /// What ends the first slow start before a loss does.
    #[derive(Default)]
    SlowStart {
        /// Round trips that grow longer, HyStart++; an acknowledgement of several segments grows the window by all of them (RFC
        /// 9406).
        #[default]
        HyStartPlusPlus = "hystart++" as "HyStart++",
        /// A train of acknowledgements as long as half a round trip, or round trips that are longer than the shortest: HyStart,
        /// as Linux's CUBIC has it. Window as with HyStart++ (Ha and Rhee 2011).
        HyStart = "hystart" as "HyStart",
        /// The same, in every slow start that follows a timeout as well, where all that is acknowledged grows the window (Linux,
        /// `tcp_slow_start`, `cubictcp_state`).
        Linux = "linux" as "HyStart, after timeouts as well",
    }
}

choice! {
    /// What the congestion window becomes when nothing was sent for longer than the timeout.
    AfterIdle {
        /// The initial window, if it is larger (RFC 5681, section 4.1).
        InitialWindow = "initial-window" as "The initial window",
        /// One segment (jacobson1988, appendix C).
        OneSegment = "one-segment" as "One segment",
        /// What it was.
        Keep = "keep" as "As it was",
    }
}

choice! {
    /// What becomes of the slow start threshold when the same segment times out again.
    RepeatedTimeout {
        /// It stays (RFC 5681, section 3.1).
        Hold = "hold" as "Held",
        /// Half the window, which is one segment by then: two segments, as 4.3BSD and ns-2 do (jacobson1988, section 3).
        Halve = "halve" as "Halved again",
    }
}

choice! {
    /// Whether a recovery that a fast retransmit began is undone once its retransmissions prove unnecessary.
    FastUndo {
        /// Never: the window stays reduced.
        Never = "never" as "Never",
        /// Once duplicates are reported of all that was sent again, also after the recovery; or once an acknowledgement echoes a
        /// segment older than the first retransmission (Linux, `tcp_may_undo`).
        Linux = "linux" as "As Linux: by reports of duplicates, or timestamps",
    }
}

choice! {
    /// How much an acknowledgement releases in a recovery by `rack-tlp`: proportional rate reduction.
    RateReduction {
        /// With what is outstanding below the threshold, a segment more than was delivered, on any acknowledgement (RFC 6937, slow
        /// start reduction bound).
        Rfc6937 = "rfc6937" as "RFC 6937",
        /// A segment more only if the acknowledgement advances and no further loss was found; in proportion to the window of
        /// before; reports of duplicates count as delivered; a timeout in the recovery leaves the threshold (Linux,
        /// `tcp_cwnd_reduction`, `tcp_enter_loss`).
        Linux = "linux" as "Linux’s",
    }
}

choice! {
    /// Which segments give round trips, and what starts the retransmission timer anew.
    RoundTrips {
        /// Those acknowledged cumulatively; the timer starts anew when data is acknowledged (RFC 6298).
        Acknowledged = "acknowledged" as "Segments acknowledged",
        /// Also those selectively acknowledged that were sent once; the timer starts anew also if that one was sent after the
        /// first segment outstanding, and when that is sent again (Linux, `tcp_ack_update_rtt`, `tcp_clean_rtx_queue`,
        /// `tcp_xmit_retransmit_queue`). With `rack-tlp`.
        Linux = "linux" as "Those selectively acknowledged, too",
    }
}

choice! {
    /// What spreads segments over a round trip where congestion control does not.
    Pacing {
        /// Nothing: they leave as soon as the windows have room.
        None = "none" as "None",
        /// A rate: twice what the window makes a round trip in slow start, and 1.2 times that afterwards, in quanta of a
        /// millisecond or two segments, from the eleventh segment on (Linux, `tcp_update_pacing_rate`).
        Linux = "linux" as "Linux’s",
    }
}

choice! {
    /// Which timeouts the basic F-RTO examines: `frto` and `frto-both`.
    FrtoTimeouts {
        /// Not those in the recovery from an earlier timeout, unless the segment that it sent again times out again (RFC 5682,
        /// section 2.1, step 1): acknowledgements of other retransmissions would look like those of originals.
        Rfc5682 = "rfc5682" as "Only those of the same segment",
        /// All (sarolahti2003, section 3).
        All = "all" as "All",
    }
}

choice! {
    /// How the retransmission timer waits longer each time it fires in vain, and until when.
    BackOff {
        /// Twice as long each time, until a round trip is measured, on a segment sent again as well if it has a timestamp
        /// (RFC 6298, 5.5 and section 5).
        UntilMeasured = "until-measured" as "Until a measurement",
        /// Twice as long each time, until something first sent after the timeout is acknowledged (RFC 2988, section 5); after
        /// four timeouts in a row the next measurement counts as the first (RFC 6298, end of section 5). Both as ns-2.
        Ns2 = "ns2" as "As ns-2: until new data is acknowledged",
        /// 4.3BSD's of 1986: the smoothed round trip without RFC 793's factor, by factors that hardly grow at first, until
        /// anything new is acknowledged; its clock counts the tick in which a measurement begins.
        Bsd43 = "bsd43" as "As 4.3BSD of 1986",
    }
}

choice! {
    /// Whether congestion is told by marks: offered on SYN, and used if both ends do.
    CongestionMarks {
        /// No: a queue can only drop.
        Off = "off" as "Not offered",
        /// New data is ECN-capable, marks are echoed and answered (RFC 3168).
        On = "on" as "Offered",
        /// The same, and the receiver reports the sum of the nonces (RFC 3540): one in an original, zero in a retransmission.
        Nonce = "nonce" as "Offered, with the nonce (RFC 3540)",
        /// Accurate ECN is asked for (RFC 9768): the receiver counts marks in three bits; with a peer that lacks it, as RFC 3168.
        Accurate = "accurate" as "Offered, with counted marks (RFC 9768)",
    }
}

choice! {
    /// Which segments change the timestamp that a receiver echoes. They differ where an old segment arrives again (sarolahti2003,
    /// footnotes 3 and 4).
    TimestampEcho {
        /// Those that begin at or below the last acknowledgement sent (RFC 7323, section 4.3, step 2): also a retransmission of
        /// what had been acknowledged.
        Rfc7323 = "rfc7323" as "As RFC 7323 has it",
        /// Those that span the last acknowledgement sent (RFC 1323, section 3.4, step 2): no old segment.
        Rfc1323 = "rfc1323" as "As RFC 1323 has it",
        /// Those that span it, and all old ones: also one that repeats what waits for a delayed acknowledgement.
        UpdateOnDuplicate = "update-on-duplicate" as "The old segment’s",
    }
}
