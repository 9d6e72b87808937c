//! When a receiver acknowledges what arrives in order, as files say it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlull_profile::text::Text;
use windlull_units::Span;

/// When the receiver acknowledges data that arrives in order; all else is acknowledged at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum DelayedAckFile {
    /// At once.
    #[schemars(title = "At once")]
    None,
    /// Once what waits is worth two full-sized segments, or when the timer ends (RFC 5681, section 4.2).
    #[schemars(title = "Every second full-sized segment")]
    EverySecond {
        /// The longest an acknowledgement waits.
        #[schemars(extend("atLeast" = "1 ns", "atMost" = "500 ms"))]
        timer: Text<Span>,
    },
    /// With every second segment whatever its size, or when the timer ends: ns-2 counts packets.
    #[schemars(title = "Every second segment of any size")]
    EverySecondSegment {
        /// The longest an acknowledgement waits.
        #[schemars(extend("atLeast" = "1 ns", "atMost" = "500 ms"))]
        timer: Text<Span>,
    },
    /// With every second segment whatever its size, or at the first tick of a clock between these two delays (Solaris
    /// in psaras2007, table 1: 50 to 100 ms).
    #[schemars(title = "Every second segment of any size, or a clock's tick")]
    EverySecondWithin {
        /// The shortest an acknowledgement waits.
        #[schemars(extend("atMost" = "500 ms", "examples" = ["50 ms"]))]
        earliest: Text<Span>,
        /// The longest an acknowledgement waits; the clock ticks at intervals of the difference.
        #[schemars(extend("atLeast" = "1 ns", "atMost" = "500 ms", "examples" = ["100 ms"]))]
        latest: Text<Span>,
    },
    /// Once 35 % of the window wait, or when the timer ends (4.3BSD in jacobson1988, figure 9: 200 ms).
    #[schemars(title = "Once 35 % of the window wait")]
    WindowPart {
        /// The longest an acknowledgement waits.
        #[schemars(extend("atLeast" = "1 ns", "atMost" = "500 ms"))]
        timer: Text<Span>,
    },
    /// At the next tick of the receiver's clock, however much waits (the client's clock granularity in psaras2007,
    /// section 2).
    #[schemars(title = "At ticks of the receiver's clock")]
    AtTicks {
        /// How long a tick is.
        #[schemars(extend("atLeast" = "1 ns", "atMost" = "500 ms", "examples" = ["10 ms"]))]
        clock: Text<Span>,
    },
    /// Segment by segment at first, then every second full-sized one, or when a timer ends that follows the gaps
    /// between segments, from 40 to 200 ms: as Linux.
    #[schemars(title = "As Linux: every segment at first, every second one later")]
    Linux,
}
