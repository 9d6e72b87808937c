//! Integer nanoseconds since the start of a run; no floating point in protocol state.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

#[cfg(feature = "schema")]
use schemars::JsonSchema;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// An instant: nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(transparent))]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(inline))]
pub struct Time(u64);

/// A length of time in nanoseconds; never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(transparent))]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(inline))]
pub struct Span(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// Later than every instant a run can reach.
    pub const NEVER: Self = Self(u64::MAX);

    /// The instant `ns` nanoseconds after the start of the run.
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns)
    }

    /// Nanoseconds since the start of the run.
    pub const fn as_ns(self) -> u64 {
        self.0
    }

    /// Seconds since the start of the run, for reports alone.
    pub fn as_secs_f64(self) -> f64 {
        Span(self.0).as_secs_f64()
    }

    /// The span from `earlier` to this instant; zero if `earlier` is later.
    pub const fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// The earlier of this instant and the other one, if there is another.
    #[inline]
    pub fn or_earlier(self, other: Option<Self>) -> Self {
        self.min(other.unwrap_or(Self::NEVER))
    }

    /// This instant, or `None` for never.
    #[inline]
    pub fn unless_never(self) -> Option<Self> {
        (self < Self::NEVER).then_some(self)
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// Longer than any run.
    pub const MAX: Self = Self(u64::MAX);

    /// So many nanoseconds.
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns)
    }

    /// So many microseconds.
    pub const fn from_us(us: u64) -> Self {
        Self(us * 1_000)
    }

    /// So many milliseconds.
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms * 1_000_000)
    }

    /// So many seconds.
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs * 1_000_000_000)
    }

    /// The span nearest to `secs` seconds; negative and NaN become zero, what does not fit becomes `MAX`.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` saturates as documented"
    )]
    pub fn from_secs_f64(secs: f64) -> Self {
        Self((secs * 1e9).round() as u64)
    }

    /// Its nanoseconds.
    pub const fn as_ns(self) -> u64 {
        self.0
    }

    /// Seconds, for reports and distributions alone.
    #[expect(clippy::cast_precision_loss, reason = "reports show far fewer digits")]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The sum, or `MAX`.
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The difference, or zero.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// `self` times `factor`, or `MAX`.
    pub const fn saturating_mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }

    /// `self` divided by `divisor`, rounded down. Panics on zero.
    pub const fn div(self, divisor: u64) -> Self {
        Self(self.0 / divisor)
    }

    /// A mean of round trips that follows `sample`; of the first it is the sample (RFC 6298, section 2: alpha is 1/8).
    #[must_use]
    pub fn smoothed(mean: Option<Self>, sample: Self) -> Self {
        mean.map_or(sample, |mean| mean.saturating_mul(7).saturating_add(sample).div(8))
    }

    /// Whether this is no time at all.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl Add<Span> for Time {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Sub<Time> for Time {
    type Output = Span;
    /// Time never goes back: the caller knows that `earlier` is not later.
    fn sub(self, earlier: Time) -> Span {
        debug_assert!(self >= earlier, "time went back: {self:?} < {earlier:?}");
        self.since(earlier)
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.saturating_add(other)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Span(self.0).fmt(f)
    }
}

impl fmt::Display for Span {
    /// The largest unit in which the value is exact, as in the files: `3.5 s`, `200 ms`, `82 us`, `7 ns`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_in(f, self.0, ["ns", "us", "ms", "s"])
    }
}

/// Writes an amount exactly, in the largest of these units that it reaches: each is a thousand of the one before.
pub(crate) fn write_in(f: &mut fmt::Formatter<'_>, amount: u64, units: [&str; 4]) -> fmt::Result {
    let thousands = (amount.max(1).ilog10() / 3).min(3);
    let (scale, digits) = (1000_u64.pow(thousands), 3 * thousands as usize);
    let unit = units[thousands as usize];
    match (amount / scale, amount % scale) {
        (whole, 0) => write!(f, "{whole} {unit}"),
        (whole, rest) => write!(f, "{whole}.{} {unit}", format!("{rest:0digits$}").trim_end_matches('0')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_and_spans_add_up() {
        let mut time = Time::ZERO + Span::from_ms(200);
        time += Span::from_us(5);
        assert_eq!(time, Time::from_ns(200_005_000));
        assert_eq!(time - Time::from_ns(5_000), Span::from_ms(200));
        assert_eq!(Span::from_secs(1) + Span::from_ns(1), Span::from_ns(1_000_000_001));
        assert_eq!(Span::from_ms(7).saturating_sub(Span::from_ms(9)), Span::ZERO);
        assert_eq!(Span::from_secs(7).div(2), Span::from_ms(3_500));
    }

    #[test]
    fn an_earlier_instant_is_no_span_away() {
        let (earlier, later) = (Time::from_ns(3), Time::from_ns(10));
        assert_eq!(later.since(earlier), Span::from_ns(7));
        assert_eq!(earlier.since(later), Span::ZERO);
        assert_eq!(later.since(later), Span::ZERO);
    }

    #[test]
    fn sums_end_at_never_and_do_not_wrap() {
        assert_eq!(Time::NEVER + Span::from_ns(1), Time::NEVER);
        assert_eq!(Time::from_ns(1) + Span::MAX, Time::NEVER);
        assert_eq!(Span::MAX + Span::MAX, Span::MAX);
        assert_eq!(Span::from_secs(1).saturating_mul(u64::MAX), Span::MAX);
        assert!(Time::from_ns(u64::MAX - 1) < Time::NEVER);
    }

    #[test]
    fn seconds_round_to_the_nearest_nanosecond() {
        assert_eq!(Span::from_secs_f64(3.5), Span::from_ms(3_500));
        assert_eq!(Span::from_secs_f64(1.4e-9), Span::from_ns(1));
        assert_eq!(Span::from_secs_f64(1.5e-9), Span::from_ns(2));
        assert_eq!(Span::from_secs_f64(-1.0), Span::ZERO);
        assert_eq!(Span::from_secs_f64(f64::NAN), Span::ZERO);
        assert_eq!(Span::from_secs_f64(f64::INFINITY), Span::MAX);
        assert!((Time::from_ns(76_230_000_000).as_secs_f64() - 76.23).abs() < 1e-12);
    }

    #[test]
    fn spans_are_written_in_the_largest_unit_that_reads_back() {
        let written = [
            (0, "0 ns"),
            (7, "7 ns"),
            (999, "999 ns"),
            (82_000, "82 us"),
            (82_200, "82.2 us"),
            (200_000_000, "200 ms"),
            (3_500_000_000, "3.5 s"),
            (1_000_000_001, "1.000000001 s"),
            (3_600_000_000_000, "3600 s"),
        ];
        for (ns, text) in written {
            assert_eq!(Span::from_ns(ns).to_string(), text);
            assert_eq!(crate::parse_span(text), Ok(Span::from_ns(ns)));
        }
    }

    #[test]
    fn the_earliest_of_instants_that_may_be_missing() {
        let at = Time::from_ns(5);
        assert_eq!(Time::NEVER.or_earlier(None).unless_never(), None);
        assert_eq!(Time::NEVER.or_earlier(Some(at)).unless_never(), Some(at));
        assert_eq!(at.or_earlier(Some(Time::from_ns(4))), Time::from_ns(4));
        assert_eq!(at.or_earlier(Some(Time::from_ns(6))), at);
        assert_eq!(at.or_earlier(None), at);
    }

    #[test]
    fn instants_sort_by_time() {
        let mut instants = [Time::NEVER, Time::from_ns(2), Time::ZERO];
        instants.sort_unstable();
        assert_eq!(instants, [Time::ZERO, Time::from_ns(2), Time::NEVER]);
    }
}
