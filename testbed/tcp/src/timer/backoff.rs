//! By how much the timer waits longer each time it fires in vain, and until when.

use windlull_units::Span;

use crate::registry::BackOff;

/// `tcp_backoff` of 4.3BSD, in tenths.
const BSD43: [u64; 10] = [10, 12, 14, 17, 20, 30, 50, 80, 160, 320];

/// `rtt_backoff` of ns-2: beyond so many timeouts in a row what was measured before them is not believed any more.
const NS2_BELIEVES: u32 = 3;

impl BackOff {
    /// Whether the factors apply to what RFC 793's `BETA` multiplies, and not to the timeout, once it has fired `times` times:
    /// 4.3BSD's do.
    pub(crate) const fn multiplies_the_mean(self, times: u32) -> bool {
        matches!(self, Self::Bsd43) && times > 0
    }

    /// What a clock of this tick makes of a round trip: 4.3BSD's `t_rtt` begins at one.
    pub(crate) fn counted(self, rtt: Span, tick: Span) -> Span {
        match self {
            Self::Bsd43 => rtt + tick,
            _ => rtt,
        }
    }

    /// By which rule the basis is reckoned, if not by the estimator's, for people.
    pub(crate) fn rule(self, times: u32) -> Option<&'static str> {
        self.multiplies_the_mean(times)
            .then_some("4.3BSD, a factor of the mean")
    }

    /// Whether the next measurement counts as the first one, after it has fired `times` times. RFC 6298 leaves it to the
    /// sender (end of section 5).
    pub(crate) const fn forgets(self, times: u32) -> bool {
        matches!(self, Self::Ns2) && times > NS2_BELIEVES
    }

    /// Whether an acknowledgement without a measurement ends it.
    pub(crate) const fn ends_unmeasured(self) -> bool {
        matches!(self, Self::Bsd43)
    }

    /// Whether a measurement ends it, of a segment that was acknowledged together with all before `una`; `sent` had been
    /// sent before the timeout.
    pub(crate) const fn ends_measured(self, una: u64, sent: u64) -> bool {
        match self {
            Self::Ns2 => una > sent,
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
        let tenths = |times| BackOff::Bsd43.applied(second, times).as_ns() / 100_000_000;
        let all: Vec<u64> = (0..=11).chain([u32::MAX]).map(tenths).collect();
        assert_eq!(all, [10, 10, 12, 14, 17, 20, 30, 50, 80, 160, 320, 320, 320]);
    }
}
