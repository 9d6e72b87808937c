//! Delays as netem takes them: a constant, a uniform spread, or a table of any distribution.
//!
//! netem's delay of a packet is `centre + deviation * t / 8192`, with `t` drawn alike from a table of 16-bit numbers.
//! Centre and deviation are ours to choose, so a table reaches from the smallest to the largest delay it shall hold,
//! in 65,536 steps. Its numbers are quantiles of equal probability; what lies beyond the last one does not occur.

use std::fmt::Write as _;

use windlull_link::model::Distribution;
use windlull_units::{Direction, Span};

use super::refusal::Reason;

/// netem's jitter is a signed 32-bit number of nanoseconds, and a table reaches four of it either way.
const LARGEST_JITTER_NS: u64 = i32::MAX as u64;
/// Numbers in a table without and with rare delays. The kernel takes 16,384, but `tc`'s message has room for 32,768 octets.
const ENTRIES: usize = 4_096;
const ENTRIES_OF_A_MIXTURE: usize = 16_000;
/// Nanoseconds in a microsecond.
const US: f64 = 1_000.0;
/// netem's unit of a table's numbers.
const SCALE: f64 = 8_192.0;

/// How long the packets of a direction travel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Delay {
    Constant(Span),
    /// Alike within `half` of `centre`: what netem draws without a table.
    Uniform {
        centre: Span,
        half: Span,
    },
    Tabled(Table),
}

/// To the nearest microsecond: `tc` takes no less.
pub(crate) const fn whole_us(span: Span) -> u64 {
    span.as_ns().saturating_add(500) / 1_000
}

/// A delay distribution in netem's form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What `tc` is to call it.
    pub name: String,
    /// netem's delay, in whole microseconds.
    pub centre: Span,
    /// netem's jitter, in whole microseconds.
    pub deviation: Span,
    /// The numbers, in increasing order.
    pub numbers: Vec<i16>,
}

impl Delay {
    /// About the longest of them.
    pub(crate) const fn longest(&self) -> Span {
        match self {
            Self::Constant(delay) => *delay,
            Self::Uniform { centre, half } => centre.saturating_add(*half),
            Self::Tabled(table) => table.centre.saturating_add(table.deviation.saturating_mul(4)),
        }
    }

    /// Whether packets differ in it.
    pub(crate) const fn is_random(&self) -> bool {
        !matches!(self, Self::Constant(_))
    }

    pub(crate) const fn table(&self) -> Option<&Table> {
        match self {
            Self::Tabled(table) => Some(table),
            Self::Constant(_) | Self::Uniform { .. } => None,
        }
    }

    /// The delays of `distribution`; each packet comes later by a draw of `late` with its probability.
    pub(crate) fn new(
        direction: Direction,
        distribution: &Distribution<Span>,
        late: Option<(f64, &Distribution<Span>)>,
    ) -> Result<Self, Reason> {
        match (distribution, late) {
            (Distribution::Constant(delay), None) => Ok(Self::Constant(*delay)),
            (Distribution::Uniform { min, max }, None) if max.saturating_sub(*min) < Span::from_us(2) => {
                Ok(Self::Constant(*min))
            }
            (Distribution::Uniform { min, max }, None)
                if max.saturating_sub(*min).div(2).as_ns() <= LARGEST_JITTER_NS =>
            {
                let half = max.saturating_sub(*min).div(2);
                Ok(Self::Uniform {
                    centre: *min + half,
                    half,
                })
            }
            (_, None) => {
                let distribution = in_order(distribution);
                tabulate(direction, |share| quantile(&distribution, share), ENTRIES)
            }
            (_, Some((probability, by))) => {
                let (usual, by) = (quantile(distribution, 0.5), in_order(by));
                let delays = |share: f64| match (share - (1.0 - probability)) / probability {
                    late if late > 0.0 => usual + quantile(&by, late),
                    _ => usual,
                };
                tabulate(direction, delays, ENTRIES_OF_A_MIXTURE)
            }
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "delays are far below 2^53 ns, and a table's numbers are bounded by the choice of the deviation"
)]
fn tabulate(direction: Direction, delay_ns: impl Fn(f64) -> f64, entries: usize) -> Result<Delay, Reason> {
    let delays: Vec<f64> = (0..entries)
        .map(|entry| delay_ns((entry as f64 + 0.5) / entries as f64).max(0.0))
        .collect();
    let (least, most) = (delays[0], delays[entries - 1]);
    if most - least < 1.0 {
        return Ok(Delay::Constant(Span::from_ns(least as u64)));
    }
    let centre = ((least + most) / 2.0 / US).round() * US;
    // Half a microsecond more, for what the centre was rounded by.
    let deviation = (((most - least + US) / 2.0 / (32_767.0 / SCALE)) / US).ceil() * US;
    if deviation > LARGEST_JITTER_NS as f64 {
        return Err(Reason::WideDelay(
            Span::from_secs(((most - least) / 1e9).round() as u64),
        ));
    }
    let number = |delay: &f64| ((delay - centre) / deviation * SCALE).round() as i16;
    Ok(Delay::Tabled(Table {
        name: format!("windlull-{}", direction.name()),
        centre: Span::from_ns(centre as u64),
        deviation: Span::from_ns(deviation as u64),
        numbers: delays.iter().map(number).collect(),
    }))
}

impl Table {
    /// The text of its `.dist` file.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in self.numbers.chunks(16) {
            let numbers: Vec<String> = line.iter().map(ToString::to_string).collect();
            let _ = writeln!(text, "{}", numbers.join(" "));
        }
        text
    }
}

/// Samples sorted, so that they are their own quantiles.
fn in_order(distribution: &Distribution<Span>) -> Distribution<Span> {
    match distribution {
        Distribution::Empirical(samples) => {
            let mut samples = samples.to_vec();
            samples.sort_unstable();
            Distribution::Empirical(samples.into())
        }
        other => other.clone(),
    }
}

/// The delay, ns, below which this share of draws lies; samples are in order.
#[expect(clippy::cast_precision_loss, reason = "delays are far below 2^53 ns")]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an index between zero and a length"
)]
pub(crate) fn quantile(distribution: &Distribution<Span>, share: f64) -> f64 {
    let ns = |span: &Span| span.as_ns() as f64;
    match distribution {
        Distribution::Constant(span) => ns(span),
        Distribution::Uniform { min, max } => ns(min) + share * (ns(max) - ns(min)).max(0.0),
        Distribution::Exponential { mean } => -ns(mean) * (-share).ln_1p(),
        Distribution::Normal { mean, deviation } => ns(mean) + ns(deviation) * normal_quantile(share),
        Distribution::LogNormal { mean, deviation } => {
            let variance = (ns(deviation) / ns(mean)).powi(2).ln_1p();
            ns(mean) * (variance.sqrt() * normal_quantile(share) - variance / 2.0).exp()
        }
        Distribution::Pareto { min, shape } => ns(min) * (1.0 - share).powf(-1.0 / shape),
        Distribution::Weibull { scale, shape } => ns(scale) * (-(-share).ln_1p()).powf(1.0 / shape),
        Distribution::Empirical(samples) => {
            let index = (share * samples.len() as f64) as usize;
            samples.get(index).map_or(0.0, ns)
        }
    }
}

/// The standard normal distribution's quantile, to a relative error of 1.2e-9: P. J. Acklam, An algorithm for computing
/// the inverse normal cumulative distribution function, 2003.
fn normal_quantile(share: f64) -> f64 {
    const CENTRE_OVER: [f64; 6] = [
        -39.696_830_286_653_76,
        220.946_098_424_520_5,
        -275.928_510_446_968_7,
        138.357_751_867_269,
        -30.664_798_066_147_16,
        2.506_628_277_459_239,
    ];
    const CENTRE_UNDER: [f64; 6] = [
        -54.476_098_798_224_06,
        161.585_836_858_040_9,
        -155.698_979_859_886_6,
        66.801_311_887_719_72,
        -13.280_681_552_885_72,
        1.0,
    ];
    const TAIL_OVER: [f64; 6] = [
        -0.007_784_894_002_430_293,
        -0.322_396_458_041_136_5,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const TAIL_UNDER: [f64; 5] = [
        0.007_784_695_709_041_462,
        0.322_467_129_070_039_8,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
        1.0,
    ];
    const TAIL: f64 = 0.024_25;
    let polynomial = |coefficients: &[f64], x: f64| coefficients.iter().fold(0.0, |sum, c| sum * x + c);
    let tail = |share: f64| {
        let x = (-2.0 * share.ln()).sqrt();
        polynomial(&TAIL_OVER, x) / polynomial(&TAIL_UNDER, x)
    };
    if share < TAIL {
        tail(share)
    } else if share > 1.0 - TAIL {
        -tail(1.0 - share)
    } else {
        let x = share - 0.5;
        x * polynomial(&CENTRE_OVER, x * x) / polynomial(&CENTRE_UNDER, x * x)
    }
}
