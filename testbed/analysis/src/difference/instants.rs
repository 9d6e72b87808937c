//! Instants of two runs.

use windlull_units::{Span, Time};

/// Whether two instants are at most so far apart.
pub(super) fn are_close(a: Time, b: Time, tolerance: Span) -> bool {
    a.since(b).max(b.since(a)) <= tolerance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tolerance_itself_is_close_and_a_nanosecond_more_is_not() {
        let [early, late] = [5, 8].map(Time::from_ns);
        for (tolerance, close) in [(3, true), (2, false)] {
            assert_eq!(are_close(early, late, Span::from_ns(tolerance)), close);
            assert_eq!(are_close(late, early, Span::from_ns(tolerance)), close);
        }
        assert!(are_close(early, early, Span::ZERO));
    }
}
