//! Every setting of a TCP, once: what it says, its key, type, default and range, and how a form shows it.
//!
//! [`Variant`](crate::Variant) and [`TimerSettings`](crate::TimerSettings) are declared from these rows, and so is all
//! that reads, merges, writes, describes or varies settings elsewhere. A row is
//!
//! ```text
//! /// What it does, in a sentence, with its section.
//! key: type = default, or "the default in words", from "least", to "greatest"; "Part of the form", "Label";
//! ```
//!
//! `or` says what holds where the default is no value. The bounds are written as in files; either may be left out.

/// Hands the settings of a [`Variant`](crate::Variant) to a macro, behind what it is to be given besides.
#[macro_export]
macro_rules! settings {
    ($callback:ident! $($given:tt)*) => {
        $callback! { $($given)* {
            /// The host that a variant runs on: what it is where neither the variant nor the experiment says.
            era: $crate::Era = $crate::Era::Of2003; "The host", "Era";
            /// The largest segment to receive, header options included (RFC 6691).
            mss: u16 = 1460, from "64 B", to "65495 B"; "Segments and windows", "Maximum segment size";
            /// Offer timestamps (RFC 7323).
            timestamps: bool = false; "What the ends offer", "Timestamps";
            /// Offer selective acknowledgements (RFC 2018).
            sack: bool = false; "What the ends offer", "SACK";
            /// Report duplicates by selective acknowledgements (RFC 2883).
            dsack: bool = false; "What the ends offer", "D-SACK";
            /// Offer window scaling (RFC 7323, section 2).
            window_scale: bool = false; "What the ends offer", "Window scaling";
            /// Offer explicit congestion notification (RFC 3168).
            ecn: $crate::CongestionMarks = $crate::CongestionMarks::Off; "What the ends offer", "ECN";
            /// Receive buffer, hence the largest window advertised; it grows only where `largest_receive_window` is given beside it.
            receive_window: windlull_units::Bytes = windlull_units::Bytes::new(65_535),
                from "1 B", to "1073725440 B"; "Segments and windows", "Receive window";
            /// What the receive window grows to by itself, with what a round trip brings. Linux offers half of its buffer's largest
            /// size, which is 6 MB (`tcp_rmem`). Without it, and with a receive window that is given, the window does not grow.
            largest_receive_window: Option<windlull_units::Bytes> = None, or "as the receive window, which never grows",
                from "1 B", to "1073725440 B"; "Segments and windows", "Receive window grows to";
            /// Send new data on the first two duplicate acknowledgements (RFC 3042).
            limited_transmit: bool = true; "Losses", "Limited transmit";
            /// Segments that one acknowledgement may release at most (sarolahti2003, section 4.2).
            burst_limit: Option<u32> = None, or "no limit", from "1", to "1000000";
                "Segments and windows", "Burst limit";
            /// Segments in the initial window, whatever their size.
            initial_window: Option<u32> = None, or "two to four, by their size (RFC 5681, section 3.1)",
                from "1", to "1000"; "Segments and windows", "Initial window";
            /// Segments of the slow start threshold at first (RFC 5681, section 3.1), until a loss sets it.
            initial_threshold: Option<u32> = None, or "none, slow start goes on until a loss",
                from "2", to "1000000"; "Segments and windows", "Initial threshold";
            /// How the congestion window grows, and what a loss leaves of it.
            congestion: $crate::CongestionControl = $crate::CongestionControl::Reno;
                "Segments and windows", "Congestion control";
            /// What ends the first slow start before a loss does.
            slow_start: Option<$crate::SlowStart> = None, or "nothing (RFC 5681, section 3.1)";
                "Segments and windows", "Slow start";
            /// What the congestion window becomes after a silence longer than the timeout.
            after_idle: $crate::AfterIdle = $crate::AfterIdle::InitialWindow; "Segments and windows", "After a silence";
            /// What becomes of the slow start threshold when the same segment times out again.
            repeated_timeout: $crate::RepeatedTimeout = $crate::RepeatedTimeout::Hold; "Losses", "Threshold";
            /// Whether a fast retransmit that proves unnecessary leaves the window as it was before.
            undo: $crate::FastUndo = $crate::FastUndo::Never; "Losses", "Undo of fast retransmits";
            /// How fast the window shrinks in the recovery of `rack-tlp`.
            rate_reduction: $crate::RateReduction = $crate::RateReduction::Rfc6937; "Losses", "Rate reduction";
            /// What spreads segments over a round trip where congestion control does not.
            pacing: $crate::Pacing = $crate::Pacing::None; "Segments and windows", "Pacing";
            /// Which timeouts `frto` and `frto-both` examine: not those in the recovery from an earlier one, or all.
            frto_timeouts: $crate::FrtoTimeouts = $crate::FrtoTimeouts::Rfc5682; "Losses", "F-RTO examines";
            /// Whether duplicate acknowledgements below a timeout's recovery point may start a fast retransmit.
            below_recovery_point: $crate::BelowRecoveryPoint = $crate::BelowRecoveryPoint::AfterSpurious;
                "Losses", "Duplicates after a timeout";
            /// When the receiver acknowledges data that arrives in order.
            delayed_ack: $crate::DelayedAck = $crate::DelayedAck::None; "Delayed acknowledgements", "Acknowledgements";
            /// Which segments change the timestamp that the receiver echoes: they differ when an old one arrives again.
            timestamp_echo: $crate::TimestampEcho = $crate::TimestampEcho::Rfc7323;
                "What the ends offer", "Timestamp echoed";
            /// The retransmission timer.
            timer: $crate::TimerSettings = $crate::TimerSettings::default(), or "";
                "Retransmission timer", "Retransmission timer";
        } }
    };
}

/// The same of [`TimerSettings`](crate::TimerSettings), the settings under `timer`.
#[macro_export]
macro_rules! timer_settings {
    ($callback:ident! $($given:tt)*) => {
        $callback! { $($given)* {
            /// How the timeout is computed from round-trip times.
            estimator: $crate::Estimator = $crate::Estimator::Rfc6298; "Retransmission timer", "Estimator";
            /// Lower bound of the timeout (RFC 6298, 2.4); with `estimator = "linux"`, of its variance term.
            minimum_rto: windlull_units::Span = windlull_units::Span::from_secs(1),
                to "1 h"; "Retransmission timer", "Least timeout";
            /// Which segments the lower bound applies to: all, or those whose acknowledgement may be delayed.
            minimum: $crate::Minimum = $crate::Minimum::Fixed; "Retransmission timer", "The least is for";
            /// Upper bound of the timeout, back-off included (RFC 6298, 2.5).
            maximum_rto: windlull_units::Span = windlull_units::Span::from_secs(60),
                to "1 h"; "Retransmission timer", "Greatest timeout";
            /// Tick of the clock that measures round trips (RFC 6298's G).
            granularity: windlull_units::Span = windlull_units::Span::from_ms(1),
                from "1 ns", to "1 s"; "Retransmission timer", "Clock tick";
            /// The timeout before any measurement (RFC 6298, 2.1).
            initial_rto: windlull_units::Span = windlull_units::Span::from_secs(1),
                from "1 ms", to "1 h"; "Retransmission timer", "First timeout";
            /// Which segments give round trips, and what starts the timer anew.
            round_trips: $crate::RoundTrips = $crate::RoundTrips::Acknowledged;
                "Retransmission timer", "Round trips of";
            /// How the timeout grows each time it expires without progress, and until when.
            back_off: $crate::BackOff = $crate::BackOff::UntilMeasured; "Retransmission timer", "Back-off";
            /// What a spurious timeout changes in the timer (gurtov2003, section III.C).
            after_spurious: $crate::AfterSpurious = $crate::AfterSpurious::Standard;
                "Retransmission timer", "After a spurious timeout";
        } }
    };
}
