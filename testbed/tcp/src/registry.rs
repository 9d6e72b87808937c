//! Every mechanism a variant can choose, one line each: its value, its name in files, and what implements it.
//!
//! To add a mechanism: write its file, add its line here, a folder of scripts under `tests/`, a row in the docs.

use serde::{Deserialize, Serialize};

use crate::variant::TimerSettings;
use crate::{after_spurious, congestion, detection, minimum, recovery, response, timer};

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
            $crate::Recovery,
            $crate::CongestionControl,
            $crate::Detection,
            $crate::FrtoTimeouts,
            $crate::Response,
            $crate::Estimator,
            $crate::Minimum,
            $crate::AfterSpurious,
            $crate::BackOff,
            $crate::AfterIdle,
            $crate::RepeatedTimeout,
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
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

        impl Choice for $choice {
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

/// Declares a choice together with the mechanisms behind it: an enum of their states, made from the choice by `new`, and
/// a macro that hands a call to whichever it is. The `$` is the macro's own, to be written into that inner macro.
macro_rules! mechanisms {
    ($d:tt $(#[$meta:meta])* $choice:ident as $mechanism:ident ($($setting:ident: $setting_type:ty)?), $dispatch:ident {
        $($(#[$doc:meta])* $value:ident = $name:literal $(as $label:literal)? => $made:ty, $make:expr;)+
    }) => {
        choice! { $(#[$meta])* $choice { $($(#[$doc])* $value = $name $(as $label)?,)+ } }

        #[doc = concat!("The state of the mechanism that a [`", stringify!($choice), "`] names.")]
        #[derive(Clone, Debug)]
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

        macro_rules! $dispatch {
            ($d of:expr, $d mechanism:ident => $d call:expr) => {
                match $d of {
                    $($crate::registry::$mechanism::$value($d mechanism) => $d call,)+
                }
            };
        }
        pub(crate) use $dispatch;
    };
}

mechanisms! {
    $
    /// How lost segments are found and repaired, and how the window moves meanwhile.
    Recovery as RecoveryMechanism(), dispatch_recovery {
        /// Before 1988: no congestion window; the timer sends all that is outstanding again.
        NoSlowStart = "no-slow-start"
            => recovery::no_slow_start::NoSlowStart, recovery::no_slow_start::NoSlowStart;
        /// Fast retransmit, then slow start from the lost segment (jacobson1988, appendix B).
        Tahoe = "tahoe" => recovery::tahoe::Tahoe, recovery::tahoe::Tahoe::new();
        /// RFC 5681: fast recovery, which the first advance ends.
        Reno = "reno" => recovery::reno::Reno, recovery::reno::Reno::new();
        /// RFC 6582 on RFC 5681: one repair a round trip, by partial acknowledgements.
        NewReno = "newreno" => recovery::newreno::NewReno, recovery::newreno::NewReno::new();
        /// RFC 6675: repair by the scoreboard of selective acknowledgements.
        Sack = "sack" => recovery::sack::Sack, recovery::sack::Sack::new();
        /// RFC 6675, but segments reported missing count as outstanding (gurtov2003, III.A).
        RenoSack = "reno-sack" => recovery::reno_sack::RenoSack, recovery::reno_sack::RenoSack::new();
        /// Reno-SACK that sends at least one segment again on a partial acknowledgement (gurtov2003, III.A).
        NewRenoSack = "newreno-sack"
            => recovery::newreno_sack::NewRenoSack, recovery::newreno_sack::NewRenoSack::new();
        /// Forward acknowledgement: what is missing below the highest octet SACKed has left the network (gurtov2003, III.A).
        Fack = "fack" => recovery::fack::Fack, recovery::fack::Fack::new();
        /// By the time since each segment was sent, and a probe for the tail of a flight (RFC 8985).
        RackTlp = "rack-tlp" => recovery::rack_tlp::RackTlp, recovery::rack_tlp::RackTlp::new();
    }
}

mechanisms! {
    $
    /// How the congestion window grows in congestion avoidance, and by how much a loss reduces it.
    CongestionControl as ControlMechanism(), dispatch_control {
        /// One segment a round trip, and half (RFC 5681).
        Reno = "reno" as "Reno, by octets acknowledged" => congestion::reno::Reno, congestion::reno::Reno::new();
        /// A part of a segment for each acknowledgement, and half (RFC 2581).
        RenoByAcks = "reno-by-acks" as "Reno, by acknowledgements" => congestion::reno_by_acks::RenoByAcks, congestion::reno_by_acks::RenoByAcks;
        /// A cubic function of the time since the last loss, and seven tenths (RFC 9438).
        Cubic = "cubic" as "CUBIC" => congestion::cubic::Cubic, congestion::cubic::Cubic::new();
        /// An interval between segments in place of a window: each segment adds a constant to the rate, and a loss halves it
        /// (jacobson1988, footnote 13).
        ByRate = "by-rate" as "An interval, by a constant of the rate" => congestion::by_rate::ByRate,
            congestion::by_rate::ByRate::new(congestion::by_rate::Step::Rate);
        /// The same, but each segment takes a constant from the interval: the policy that the paper warns of.
        ByInterval = "by-interval" as "An interval, by a constant" => congestion::by_rate::ByRate,
            congestion::by_rate::ByRate::new(congestion::by_rate::Step::Interval);
    }
}

mechanisms! {
    $
    /// How a sender finds out that a timeout was spurious.
    Detection as DetectionMechanism(timeouts: FrtoTimeouts), dispatch_detection {
        /// It never asks: every timeout counts as a loss.
        None = "none" => detection::none::NoDetection, detection::none::NoDetection;
        /// Forward RTO-recovery, basic (sarolahti2003, section 3; RFC 5682, section 2).
        Frto = "frto" => detection::frto::Frto, detection::frto::Frto::new(timeouts);
        /// Forward RTO-recovery that gives up unless both new segments can be sent (wen2010, II.E).
        FrtoBoth = "frto-both" => detection::frto::Frto, detection::frto::Frto::with_both(timeouts);
        /// Forward RTO-recovery that sends the last segment again where nothing new can be sent (sarolahti2003, section 6).
        FrtoTail = "frto-tail" => detection::frto::Frto, detection::frto::Frto::with(detection::Substitute::Tail, timeouts);
        /// Forward RTO-recovery that sends an octet beyond the peer's window where that is full (sarolahti2003, section 6).
        FrtoBeyond = "frto-beyond"
            => detection::frto::Frto, detection::frto::Frto::with(detection::Substitute::BeyondWindow, timeouts);
        /// Forward RTO-recovery, and Eifel must find it too (sarolahti2003, section 5.2).
        FrtoEifel = "frto-eifel" => detection::frto_eifel::FrtoEifel, detection::frto_eifel::FrtoEifel::new(timeouts);
        /// Forward RTO-recovery with selective acknowledgements (RFC 5682, section 3).
        FrtoSack = "frto-sack" => detection::frto_sack::FrtoSack, detection::frto_sack::FrtoSack::new();
        /// Eifel: by the echoed timestamp (RFC 3522).
        Eifel = "eifel" => detection::eifel::Eifel, detection::eifel::Eifel::new();
        /// An acknowledgement comes sooner than the shortest round trip (gurtov2003, II.C).
        MinRtt = "min-rtt" => detection::min_rtt::MinRtt, detection::min_rtt::MinRtt::new();
        /// All that was sent again is reported as a duplicate (RFC 3708, section 3).
        Dsack = "dsack" => detection::dsack::Dsack, detection::dsack::Dsack::new();
        /// The retransmission is shorter than the original (wen2010, II.C).
        Stoder = "stoder" => detection::stoder::Stoder, detection::stoder::Stoder::new();
        /// The retransmission goes in two halves (wen2010, III).
        Snr = "snr" => detection::snr::Snr, detection::snr::Snr::new();
        /// The receiver's sum of nonces tells whether the original arrived (wen2010, II.B).
        EcnNonce = "ecn-nonce" => detection::ecn_nonce::EcnNonce, detection::ecn_nonce::EcnNonce::new();
    }
}

mechanisms! {
    $
    /// What a sender does to its congestion state once a timeout proved spurious.
    Response as ResponseMechanism(), dispatch_response {
        /// Nothing; the variant detects nothing either.
        None = "none" => response::none::NoResponse, response::none::NoResponse;
        /// Congestion window and threshold become half of what was outstanding (sarolahti2003, section 3).
        FrtoConservative = "frto-conservative"
            => response::frto_conservative::FrtoConservative, response::frto_conservative::FrtoConservative;
        /// The same, until a report of a duplicate takes it back (sarolahti2003, section 3).
        FrtoDsack = "frto-dsack" => response::frto_dsack::FrtoDsack, response::frto_dsack::FrtoDsack;
        /// Congestion window and threshold are restored in full (gurtov2003, III.B, option 1).
        Eifel1 = "eifel-1" => response::eifel_1::Eifel1, response::eifel_1::Eifel1;
        /// Half the old window, and congestion avoidance (gurtov2003, III.B, option 2).
        Eifel2 = "eifel-2" => response::eifel_2::Eifel2, response::eifel_2::Eifel2;
        /// Half the old window as threshold, and one segment (gurtov2003, III.B, option 3).
        Eifel3 = "eifel-3" => response::eifel_3::Eifel3, response::eifel_3::Eifel3;
        /// The old window, and congestion avoidance (gurtov2003, III.B, option 4).
        Eifel4 = "eifel-4" => response::eifel_4::Eifel4, response::eifel_4::Eifel4;
        /// The old window as threshold, and one segment (gurtov2003, III.B).
        OldThreshold = "old-threshold" => response::old_threshold::OldThreshold, response::old_threshold::OldThreshold;
        /// What is outstanding and what the acknowledgement may release (RFC 4015, section 3.2).
        Rfc4015 = "rfc4015" => response::rfc4015::Rfc4015, response::rfc4015::Rfc4015;
        /// Restored in full, unless the next acknowledgement is a duplicate (wen2010, V.B).
        Wen2010Simple = "wen2010-simple"
            => response::wen2010_simple::Wen2010Simple, response::wen2010_simple::Wen2010Simple;
    }
}

mechanisms! {
    $
    /// How the retransmission timeout is computed from round-trip times.
    Estimator as EstimatorMechanism(settings: &TimerSettings), dispatch_estimator {
        /// A smoothed mean, doubled (RFC 793, with jacobson1988's gains).
        Rfc793 = "rfc793" as "RFC 793" => timer::rfc793::Rfc793, timer::rfc793::Rfc793::new();
        /// Mean and four mean deviations in integer ticks (jacobson1988, appendix A).
        Jacobson88 = "jacobson88" as "Jacobson 1988" => timer::jacobson88::Jacobson88,
            timer::jacobson88::Jacobson88::new(settings.granularity);
        /// The same with two mean deviations (jacobson1988, footnote 21).
        Jacobson88TwoV = "jacobson88-2v" as "Jacobson 1988, twice the variation" => timer::jacobson88_2v::Jacobson88TwoV,
            timer::jacobson88_2v::Jacobson88TwoV::new(settings.granularity);
        /// ns-2's: that of jacobson1988, appendix A, of round trips to the nearest tick, at least one.
        Ns2 = "ns2" as "ns-2" => timer::ns2::Ns2, timer::ns2::Ns2::new(settings.granularity);
        /// Smoothed mean and four mean deviations (RFC 6298).
        Rfc6298 = "rfc6298" as "RFC 6298" => timer::rfc6298::Rfc6298, timer::rfc6298::Rfc6298::new(settings);
        /// The Linux kernel's: the largest deviation of a window, with a floor under the variance term.
        Linux = "linux" as "Linux" => timer::linux::Linux, timer::linux::Linux::new(settings.minimum_rto);
    }
}

mechanisms! {
    $
    /// Which segments' timeouts have the minimum.
    Minimum as MinimumMechanism(), dispatch_minimum {
        /// All (RFC 6298, 2.4).
        Fixed = "fixed" as "All" => minimum::fixed::Fixed, minimum::fixed::Fixed;
        /// Those whose acknowledgement the receiver may delay (psaras2007, section 3).
        Adaptive = "adaptive" as "Those acknowledged late" => minimum::adaptive::Adaptive, minimum::adaptive::Adaptive::new();
    }
}

mechanisms! {
    $
    /// What a spurious timeout changes of the timer.
    AfterSpurious as AfterSpuriousMechanism(), dispatch_after_spurious {
        /// Nothing.
        Standard = "std" as "Nothing changes (std)" => after_spurious::standard::Standard, after_spurious::standard::Standard;
        /// The estimate begins anew with a delayed segment (gurtov2003, III.C, option 1).
        Reseed = "reseed" as "Begins anew (reseed)" => after_spurious::reseed::Reseed, after_spurious::reseed::Reseed;
        /// The back-off stays until a genuine timeout (gurtov2003, III.C, option 2).
        BackOff = "back-off" as "Stays backed off (back-off)" => after_spurious::back_off::BackOff, after_spurious::back_off::BackOff;
        /// The minimum grows by a second until a genuine timeout (gurtov2003, III.C, option 3).
        MinUp = "min++" as "The least grows (min++)" => after_spurious::min_up::MinUp, after_spurious::min_up::MinUp;
        /// The estimate begins anew with new data, at no less than it was (RFC 4015, section 3.2).
        Rfc4015 = "rfc4015" as "As RFC 4015 has it" => after_spurious::rfc4015::Rfc4015, after_spurious::rfc4015::Rfc4015;
    }
}

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
