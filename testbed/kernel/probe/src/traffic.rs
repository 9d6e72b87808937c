//! What is sent when: a pure function of a seed.

use std::ops::RangeInclusive;

use rand::RngExt as _;
use rand_distr::{Distribution as _, Exp1};
use windlull_units::{Seed, Span};

/// Octets of headers: IPv4 and UDP.
pub(crate) const HEADERS: u16 = 28;
/// Headers, and the probe's number.
pub(crate) const SMALLEST: u16 = HEADERS + 4;
/// The first packet leaves so long after the start, when all threads stand.
const LEAD: Span = Span::from_ms(100);

/// A packet to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Probe {
    /// Since the start of the run.
    pub(crate) after: Span,
    /// Of the IPv4 packet.
    pub(crate) size_bytes: u16,
}

/// `packets` packets at exponential gaps, whose mean is each of `mean_gaps_us` for an equal share of them.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a gap is above zero, and seconds at most"
)]
pub(crate) fn plan(seed: Seed, packets: u32, mean_gaps_us: &[f64], sizes: RangeInclusive<u16>) -> Vec<Probe> {
    let (mut gaps, mut lengths) = (seed.stream("probe/gap"), seed.stream("probe/size"));
    let mut after = LEAD;
    (0..packets as usize)
        .map(|number| {
            let mean_us = mean_gaps_us[number * mean_gaps_us.len() / packets as usize];
            let unit: f64 = Exp1.sample(&mut gaps);
            after = after + Span::from_ns((unit * mean_us * 1_000.0).round() as u64);
            Probe {
                after,
                size_bytes: lengths.random_range(sizes.clone()),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traffic_is_a_function_of_its_seed() {
        let plan = |seed| plan(Seed::new(seed), 1_000, &[500.0, 2_000.0], 100..=1500);
        assert_eq!(plan(1), plan(1));
        assert_ne!(plan(1), plan(2));
    }

    #[test]
    fn shares_have_their_mean_gaps_and_sizes_their_bounds() {
        let probes = plan(Seed::new(1), 20_000, &[500.0, 2_000.0], 100..=1500);
        let (half, last) = (probes[9_999].after, probes[19_999].after);
        let mean_ms = |span: Span| span.as_secs_f64() * 1_000.0 / 10_000.0;
        assert!((mean_ms(half.saturating_sub(LEAD)) - 0.5).abs() < 0.02);
        assert!((mean_ms(last.saturating_sub(half)) - 2.0).abs() < 0.08);
        assert_eq!(probes.iter().map(|probe| probe.size_bytes).min(), Some(100));
        assert_eq!(probes.iter().map(|probe| probe.size_bytes).max(), Some(1500));
    }
}
