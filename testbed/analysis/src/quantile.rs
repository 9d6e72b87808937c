//! Quantiles.

use windlull_units::Span;

/// The quantile `q`, from 0 to 1, of sorted spans, in seconds: linear between the two nearest in order, of which that at
/// `q` (n - 1) would be it. `None` of nothing.
pub(crate) fn quantile(sorted: &[Span], q: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    #[expect(clippy::cast_precision_loss, reason = "nobody has so many that it matters")]
    let position = q * last as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is the place of one of them"
    )]
    let below = position as usize;
    let of = |place: usize| sorted[place.min(last)].as_secs_f64();
    Some(of(below) + position.fract() * (of(below + 1) - of(below)))
}

/// The middle one of sorted spans, or the mean of the middle two, in seconds.
pub(crate) fn median(sorted: &[Span]) -> Option<f64> {
    let upper = sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some((lower.as_secs_f64() + upper.as_secs_f64()) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_the_nearest_two() {
        let spans = [100, 200, 300, 400, 800].map(Span::from_ms);
        for (q, ms) in [(0.0, 100.0), (0.5, 300.0), (0.75, 400.0), (0.95, 720.0), (1.0, 800.0)] {
            let found = quantile(&spans, q).expect("there are some");
            assert!((1_000.0 * found - ms).abs() < 1e-9, "{q}: {found}");
        }
        assert_eq!(quantile(&spans[..1], 0.95), Some(0.1));
        assert_eq!(quantile(&[], 0.95), None);
    }
}
