//! The lower bound of the retransmission timeout: for which segments it is.

pub(crate) mod adaptive;
pub(crate) mod fixed;

use crate::ranges::Range;
use crate::registry::mechanisms;

mechanisms! {
    $
    /// Which segments' timeouts have the minimum.
    Minimum as MinimumMechanism(), dispatch_minimum {
        /// All (RFC 6298, 2.4).
        Fixed = "fixed" as "All" => fixed::Fixed, fixed::Fixed;
        /// Those whose acknowledgement the receiver may delay (psaras2007, section 3).
        Adaptive = "adaptive" as "Those acknowledged late" => adaptive::Adaptive, adaptive::Adaptive::new();
    }
}

/// Segments with data that left back to back, in octets of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Train {
    /// The first of them.
    pub(crate) first: Range,
    /// The last of them.
    pub(crate) last: Range,
    /// How many they are.
    pub(crate) segments: u64,
}

/// One way to choose the segments that the minimum is for.
pub(crate) trait MinimumRto {
    /// A train left, in fast recovery or not.
    fn on_train(&mut self, train: &Train, recovering: bool);

    /// All before `una` is acknowledged.
    fn on_acknowledged(&mut self, una: u64);

    /// Slow start begins anew, after a timeout.
    fn on_slow_start(&mut self);

    /// Whether the timeout of the segment that `una` lies in has the minimum.
    fn applies(&self, una: u64) -> bool;
}

impl MinimumMechanism {
    pub(crate) fn on_train(&mut self, train: &Train, recovering: bool) {
        dispatch_minimum!(self, mechanism => mechanism.on_train(train, recovering));
    }

    #[inline]
    pub(crate) fn on_acknowledged(&mut self, una: u64) {
        dispatch_minimum!(self, mechanism => mechanism.on_acknowledged(una));
    }

    pub(crate) fn on_slow_start(&mut self) {
        dispatch_minimum!(self, mechanism => mechanism.on_slow_start());
    }

    #[inline]
    pub(crate) fn applies(&self, una: u64) -> bool {
        dispatch_minimum!(self, mechanism => mechanism.applies(una))
    }
}
