//! What a host is like where nobody says: by the year.
//!
//! An era sets what belongs to the host: sizes, windows, timestamps, delayed acknowledgements, the timer. How a sender finds
//! and repairs losses, how its window grows, and whether it offers SACK is the variant's, whatever the year.

use windlull_units::{Bytes, Span};

use crate::registry::{Estimator, choice};
use crate::variant::{DelayedAck, TimerSettings, Variant};

choice! {
    /// The host on which a variant runs, as far as nothing else is said.
    #[derive(Default)]
    Era {
        /// As the RFCs of then have it: a window of 65,535 octets, two to four segments at first (RFC 5681), a timer of 1 s at
        /// least (RFC 6298), every segment acknowledged.
        Of2003 = "2003" as "2003: by the RFCs of then",
        /// As Linux 6.12 comes: timestamps, window scaling, a receive window that grows to 3 MB, ten segments at first (RFC
        /// 6928), Linux's timer of 200 ms at least and its delayed acknowledgements.
        #[default]
        Of2026 = "2026" as "2026: as Linux",
    }
}

impl Era {
    /// A plain sender and receiver on such a host.
    pub fn host(self) -> Variant {
        let plain = Variant {
            era: self,
            ..Variant::default()
        };
        match self {
            Self::Of2003 => plain,
            Self::Of2026 => Variant {
                // 1448 octets of data beside the timestamps.
                mss: 1460,
                timestamps: true,
                window_scale: true,
                receive_window: Bytes::new(65_535),
                // Linux's `tcp_rmem` lets a buffer grow to 6 MB, half of which is offered (`tcp_adv_win_scale` 1).
                largest_receive_window: Some(Bytes::new(3 << 20)),
                // RFC 6928; `TCP_INIT_CWND`.
                initial_window: Some(10),
                delayed_ack: DelayedAck::Linux,
                timer: TimerSettings {
                    estimator: Estimator::Linux,
                    // `TCP_RTO_MIN`, `TCP_RTO_MAX`, `TCP_TIMEOUT_INIT`.
                    minimum_rto: Span::from_ms(200),
                    maximum_rto: Span::from_secs(120),
                    initial_rto: Span::from_secs(1),
                    granularity: Span::from_ms(1),
                    ..TimerSettings::default()
                },
                ..plain
            },
        }
    }
}
