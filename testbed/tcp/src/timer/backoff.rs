//! By how much the timer waits longer each time it fires in vain.

use windlull_units::Span;

/// The factors of a sender's retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backoff {
    /// Twice as long each time (jacobson1988, section 2; RFC 6298, 5.5).
    Doubling,
    /// 4.3BSD's before 1988, which hardly grow at first: the exponential back-off is one of the algorithms that jacobson1988
    /// gave it.
    Bsd43,
}

/// `tcp_backoff` of 4.3BSD, in tenths.
const BSD43: [u64; 10] = [10, 12, 14, 17, 20, 30, 50, 80, 160, 320];

impl Backoff {
    /// The timeout after it has fired `times` times.
    pub(crate) fn applied(self, timeout: Span, times: u32) -> Span {
        match self {
            Self::Doubling => doubled(timeout, times),
            Self::Bsd43 => {
                let place = usize::try_from(times.saturating_sub(1)).unwrap_or(usize::MAX);
                let tenths = BSD43[place.min(BSD43.len() - 1)];
                Span::from_ns(timeout.as_ns().saturating_mul(tenths) / 10)
            }
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
            .map(|times| Backoff::Bsd43.applied(second, times).as_ns() / 100_000_000)
            .to_vec();
        assert_eq!(seconds, [10, 10, 12, 20, 30, 320, 320, 320]);
    }
}
