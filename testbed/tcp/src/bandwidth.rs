//! Rates that are estimated, and exact factors.

use windlull_units::{BitRate, Span};

/// A rate in bits a second; unlike a [`BitRate`] it may be none, or have no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bandwidth(u64);

impl Bandwidth {
    /// Nothing was measured.
    pub(crate) const NONE: Self = Self(0);
    /// No limit.
    pub(crate) const UNLIMITED: Self = Self(u64::MAX);

    /// So many octets in such a time, rounded down; none if there is no time.
    pub(crate) fn of(octets: u64, time: Span) -> Self {
        let bits = u128::from(octets) * 8_000_000_000;
        Self(narrow(bits.checked_div(u128::from(time.as_ns())).unwrap_or(0)))
    }

    /// Octets that it brings in such a time, rounded down.
    pub(crate) fn octets_in(self, time: Span) -> u64 {
        narrow(u128::from(self.0) * u128::from(time.as_ns()) / 8_000_000_000)
    }

    /// It as a rate to send at, if it is one.
    pub(crate) const fn as_rate(self) -> Option<BitRate> {
        BitRate::from_bps(self.0)
    }
}

/// An exact factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gain {
    numerator: u64,
    denominator: u64,
}

impl Gain {
    pub(crate) const fn percent(percent: u64) -> Self {
        Self {
            numerator: percent,
            denominator: 100,
        }
    }

    /// So many octets times this, rounded down; what has no limit has none then.
    pub(crate) fn octets(self, octets: u64) -> u64 {
        if octets == u64::MAX {
            return octets;
        }
        narrow(u128::from(octets) * u128::from(self.numerator) / u128::from(self.denominator))
    }

    /// A bandwidth times this, rounded down.
    pub(crate) fn bandwidth(self, bandwidth: Bandwidth) -> Bandwidth {
        Bandwidth(self.octets(bandwidth.0))
    }
}

fn narrow(wide: u128) -> u64 {
    u64::try_from(wide).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_and_times_make_rates_and_back() {
        let rate = Bandwidth::of(125_000, Span::from_ms(100));
        assert_eq!(rate.as_rate(), BitRate::from_bps(10_000_000));
        assert_eq!(rate.octets_in(Span::from_ms(40)), 50_000);
        assert_eq!(Bandwidth::of(1, Span::ZERO), Bandwidth::NONE);
        assert_eq!(Bandwidth::NONE.as_rate(), None);
    }

    #[test]
    fn gains_are_exact_and_leave_no_limit_alone() {
        assert_eq!(Gain::percent(277).octets(1_000), 2_770);
        assert_eq!(Gain::percent(35).octets(u64::MAX), u64::MAX);
        assert_eq!(Gain::percent(200).octets(u64::MAX - 1), u64::MAX);
        assert_eq!(Gain::percent(70).bandwidth(Bandwidth::UNLIMITED), Bandwidth::UNLIMITED);
    }
}
