//! By how much the timer waits longer each time it fires in vain, and until when.

use windlull_units::Span;

use super::Measured;
use crate::registry::BackOff;

/// `tcp_backoff` of 4.3BSD, in tenths.
const BSD43: [u64; 10] = [10, 12, 14, 17, 20, 30, 50, 80, 160, 320];

impl BackOff {
    /// What the factors apply to once it has fired `times` times: the timeout, or for 4.3BSD what RFC 793's `BETA` multiplies.
    pub(crate) fn basis(self, timeout: Option<Span>, measured: Option<Measured>, times: u32) -> Option<Span> {
        match self {
            Self::Bsd43 if times > 0 => measured.map(|measured| measured.srtt),
            _ => timeout,
        }
    }

    /// What a clock of this tick makes of a round trip: 4.3BSD's `t_rtt` begins at one.
    pub(crate) fn counted(self, rtt: Span, tick: Span) -> Span {
        match self {
            Self::Bsd43 => rtt + tick,
            _ => rtt,
        }
    }

    /// Whether an acknowledgement without a measurement ends it.
    pub(crate) const fn ends_unmeasured(self) -> bool {
        matches!(self, Self::Bsd43)
    }

    /// Whether a measurement ends it, of a segment that was acknowledged together with all before `una`; `sent` had been
    /// sent before the timeout.
    pub(crate) const fn ends_measured(self, una: u64, sent: u64) -> bool {
        match self {
            Self::UntilNewData => una > sent,
            Self::UntilMeasured | Self::Bsd43 => true,
        }
    }

    /// The timeout after it has fired `times` times.
    pub(crate) fn applied(self, timeout: Span, times: u32) -> Span {
        match self {
            Self::Bsd43 => {
                let place = usize::try_from(times.saturating_sub(1)).unwrap_or(usize::MAX);
                let tenths = BSD43[place.min(BSD43.len() - 1)];
                Span::from_ns(timeout.as_ns().saturating_mul(tenths) / 10)
            }
            _ => doubled(timeout, times),
        }
    }
}

/// Doubled so many times.
pub(crate) const fn doubled(timeout: Span, times: u32) -> Span {
    // 2^32 times any timeout is beyond every upper bound.
    timeout.saturating_mul(1 << if times < 32 { times } else { 32 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bsd43_begins_with_the_timeout_itself_and_stays_at_its_last_factor() {
        let second = Span::from_secs(1);
        let seconds: Vec<u64> = [0, 1, 2, 5, 6, 10, 11, u32::MAX]
            .map(|times| BackOff::Bsd43.applied(second, times).as_ns() / 100_000_000)
            .to_vec();
        assert_eq!(seconds, [10, 10, 12, 20, 30, 320, 320, 320]);
    }
}
