//! Random spans, drawn with `rand_distr`.

use std::sync::Arc;

use rand::RngExt as _;
use rand_distr::{Distribution as _, Exp1, LogNormal, Pareto, StandardNormal, Weibull};
use windlull_units::{Rng, Span};

use crate::model::Distribution;

/// A distribution ready to be drawn from. Parameters outside their range give a constant, never a panic.
#[derive(Clone, Debug)]
pub(crate) enum Sampler {
    Constant(Span),
    Uniform { min: u64, max: u64 },
    Exponential { mean: f64 },
    Normal { mean: f64, deviation: f64 },
    LogNormal(LogNormal<f64>),
    Pareto(Pareto<f64>),
    Weibull(Weibull<f64>),
    Empirical(Arc<[Span]>),
}

impl Sampler {
    pub(crate) fn new(distribution: &Distribution<Span>) -> Self {
        match distribution {
            Distribution::Constant(span) => Self::Constant(*span),
            Distribution::Uniform { min, max } => Self::Uniform {
                min: min.as_ns(),
                max: max.as_ns().max(min.as_ns()),
            },
            Distribution::Exponential { mean } => Self::Exponential { mean: to_ns(*mean) },
            Distribution::Normal { mean, deviation } => Self::Normal {
                mean: to_ns(*mean),
                deviation: to_ns(*deviation),
            },
            Distribution::LogNormal { mean, deviation } => {
                let variation = to_ns(*deviation) / to_ns(*mean);
                LogNormal::from_mean_cv(to_ns(*mean), variation).map_or(Self::Constant(*mean), Self::LogNormal)
            }
            Distribution::Pareto { min, shape } => {
                Pareto::new(to_ns(*min), *shape).map_or(Self::Constant(*min), Self::Pareto)
            }
            Distribution::Weibull { scale, shape } => {
                Weibull::new(to_ns(*scale), *shape).map_or(Self::Constant(*scale), Self::Weibull)
            }
            Distribution::Empirical(samples) => match samples.first() {
                Some(_) => Self::Empirical(Arc::clone(samples)),
                None => Self::Constant(Span::ZERO),
            },
        }
    }

    /// The next span; constants take nothing off the stream.
    pub(crate) fn draw(&self, rng: &mut Rng) -> Span {
        match self {
            Self::Constant(span) => *span,
            Self::Uniform { min, max } => Span::from_ns(rng.random_range(*min..=*max)),
            Self::Exponential { mean } => {
                let unit: f64 = Exp1.sample(rng);
                from_ns(unit * mean)
            }
            Self::Normal { mean, deviation } => {
                let unit: f64 = StandardNormal.sample(rng);
                from_ns(unit * deviation + mean)
            }
            Self::LogNormal(amounts) => from_ns(amounts.sample(rng)),
            Self::Pareto(amounts) => from_ns(amounts.sample(rng)),
            Self::Weibull(amounts) => from_ns(amounts.sample(rng)),
            // A 64-bit range, so that the draws are the same where `usize` is shorter.
            Self::Empirical(samples) => {
                let index = rng.random_range(0..samples.len() as u64);
                samples[usize::try_from(index).expect("an index below a length")]
            }
        }
    }

    /// The value, if it is always the same.
    pub(crate) const fn constant(&self) -> Option<Span> {
        match self {
            Self::Constant(span) => Some(*span),
            _ => None,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a draw needs no more than 53 bits")]
const fn to_ns(span: Span) -> f64 {
    span.as_ns() as f64
}

/// Draws below zero count as zero.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and maps NaN to zero"
)]
fn from_ns(ns: f64) -> Span {
    Span::from_ns(ns.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use windlull_units::Seed;

    const MEAN: Span = Span::from_ms(100);
    const DEVIATION: Span = Span::from_ms(30);

    fn draws(distribution: &Distribution<Span>) -> Vec<f64> {
        let sampler = Sampler::new(distribution);
        let mut rng = Seed::new(7).stream("test");
        (0..50_000).map(|_| sampler.draw(&mut rng).as_secs_f64()).collect()
    }

    #[expect(clippy::cast_precision_loss, reason = "a small count")]
    fn mean_and_deviation(draws: &[f64]) -> (f64, f64) {
        let count = draws.len() as f64;
        let mean = draws.iter().sum::<f64>() / count;
        let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / count;
        (mean, variance.sqrt())
    }

    fn check(distribution: &Distribution<Span>, mean: f64, deviation: f64) {
        let (found_mean, found_deviation) = mean_and_deviation(&draws(distribution));
        assert!(
            (found_mean / mean - 1.0).abs() < 0.02,
            "{distribution:?}: mean {found_mean}, not {mean}"
        );
        assert!(
            (found_deviation - deviation).abs() < 0.03 * deviation + 1e-12,
            "{distribution:?}: deviation {found_deviation}, not {deviation}"
        );
    }

    #[test]
    fn each_distribution_has_its_mean_and_deviation() {
        check(&Distribution::Constant(MEAN), 0.1, 0.0);
        let (min, max) = (Span::from_ms(50), Span::from_ms(150));
        check(&Distribution::Uniform { min, max }, 0.1, 0.1 / 12.0_f64.sqrt());
        check(&Distribution::Exponential { mean: MEAN }, 0.1, 0.1);
        check(
            &Distribution::Normal {
                mean: MEAN,
                deviation: DEVIATION,
            },
            0.1,
            0.03,
        );
        check(
            &Distribution::LogNormal {
                mean: MEAN,
                deviation: DEVIATION,
            },
            0.1,
            0.03,
        );
        // Pareto: mean a m / (a - 1), variance m^2 a / ((a - 1)^2 (a - 2)).
        let (mean, deviation) = (0.1 * 8.0 / 7.0, 0.1 / 7.0 * (8.0_f64 / 6.0).sqrt());
        check(&Distribution::Pareto { min: MEAN, shape: 8.0 }, mean, deviation);
        // Weibull of shape 1 is exponential.
        check(
            &Distribution::Weibull {
                scale: MEAN,
                shape: 1.0,
            },
            0.1,
            0.1,
        );
        let samples = [50, 150].map(Span::from_ms).into();
        check(&Distribution::Empirical(samples), 0.1, 0.05);
    }

    /// A library that draws otherwise would change every published result.
    #[test]
    fn draws_of_a_seed_are_what_they_always_were() {
        let (mean, deviation, min, scale) = (MEAN, DEVIATION, MEAN, MEAN);
        let max = Span::from_ms(150);
        let kinds = [
            Distribution::Uniform { min, max },
            Distribution::Exponential { mean },
            Distribution::Normal { mean, deviation },
            Distribution::LogNormal { mean, deviation },
            Distribution::Pareto { min, shape: 2.5 },
            Distribution::Weibull { scale, shape: 1.5 },
            Distribution::Empirical([1, 2, 3, 4, 5].map(Span::from_ns).into()),
        ];
        let drawn = kinds.map(|kind| {
            let (sampler, mut rng) = (Sampler::new(&kind), Seed::new(1).stream("test"));
            std::array::from_fn(|_| sampler.draw(&mut rng).as_ns())
        });
        let expected: [[u64; 3]; 7] = [
            [145_915_536, 136_616_619, 100_312_939],
            [45_583_846, 56_109_118, 1_134_202],
            [118_507_418, 113_411_119, 52_283_517],
            [114_799_006, 109_214_493, 60_048_889],
            [103_467_544, 113_270_471, 761_033_794],
            [19_365_376, 45_954_146, 295_270_771],
            [5, 4, 1],
        ];
        assert_eq!(drawn, expected);
    }

    #[test]
    fn draws_below_zero_count_as_zero() {
        let wide = Distribution::Normal {
            mean: Span::from_ms(1),
            deviation: MEAN,
        };
        let draws = draws(&wide);
        let zeros = draws.iter().filter(|&&draw| draw <= 0.0).count();
        assert!((20_000..30_000).contains(&zeros), "{zeros} of 50000");
    }

    #[test]
    fn absurd_parameters_do_not_panic() {
        for shape in [0.0, -1.0, f64::NAN] {
            draws(&Distribution::Pareto { min: MEAN, shape });
            draws(&Distribution::Weibull { scale: MEAN, shape });
        }
        draws(&Distribution::Uniform {
            min: MEAN,
            max: Span::ZERO,
        });
        draws(&Distribution::LogNormal {
            mean: Span::ZERO,
            deviation: DEVIATION,
        });
        draws(&Distribution::Exponential { mean: Span::ZERO });
        draws(&Distribution::Empirical(Arc::new([])));
        draws(&Distribution::Exponential { mean: Span::MAX });
    }

    #[test]
    fn uniform_reaches_both_ends_and_no_further() {
        let sampler = Sampler::new(&Distribution::Uniform {
            min: Span::from_ns(3),
            max: Span::from_ns(5),
        });
        let mut rng = Seed::new(7).stream("test");
        let mut seen: Vec<u64> = (0..200).map(|_| sampler.draw(&mut rng).as_ns()).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, [3, 4, 5]);
    }
}
