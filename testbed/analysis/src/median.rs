//! The median.

use windlull_units::Span;

/// The middle one of sorted spans, or the mean of the middle two, in seconds.
pub(crate) fn median(sorted: &[Span]) -> Option<f64> {
    let upper = sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some((lower.as_secs_f64() + upper.as_secs_f64()) / 2.0)
}
