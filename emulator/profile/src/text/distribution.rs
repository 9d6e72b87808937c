//! Distributions of durations as texts: `exponential(mean 3.5 s)`.

use windlull_link::model::Distribution;
use windlull_units::{Span, parse_span};

use super::quantity::amount;
use super::{TextError, Written};
use crate::problem::nearest;

/// A distribution as written; only the samples of an `empirical(file.csv)` are still to be read.
#[derive(Clone, Debug, PartialEq)]
pub enum SpanDistribution {
    Known(Distribution<Span>),
    /// Samples in a file.
    Samples(Samples),
}

/// The file that has the samples of an empirical distribution: one duration a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Samples {
    /// Relative to the file that names it.
    pub file: String,
}

const KNOWN: &[&str] = &[
    "uniform",
    "exponential",
    "normal",
    "lognormal",
    "pareto",
    "weibull",
    "empirical",
];
const KNOWN_TEXT: &str = "uniform, exponential, normal, lognormal, pareto, weibull, empirical, or a plain duration";

impl Written for SpanDistribution {
    const FORMAT: &'static str = "distribution";
    const EXAMPLES: &'static [&'static str] = &[
        "200 ms",
        "uniform(0.1 s, 20 s)",
        "exponential(mean 3.5 s)",
        "normal(mean 200 ms, deviation 20 ms)",
        "lognormal(mean 200 ms, deviation 20 ms)",
        "pareto(min 100 ms, shape 1.5)",
        "weibull(scale 1 s, shape 0.8)",
        "empirical(delays.csv)",
    ];

    fn read(text: &str) -> Result<Self, TextError> {
        let text = text.trim();
        let Some((name, rest)) = text.split_once('(') else {
            return match KNOWN.contains(&text) {
                true => Err(parameters_of(text, "")),
                false => Ok(Self::Known(Distribution::Constant(parse_span(text)?))),
            };
        };
        let name = name.trim();
        let Some(inside) = rest.strip_suffix(')') else {
            return Err(TextError::unreadable(
                text,
                "a distribution",
                &["exponential(mean 3.5 s)"],
            ));
        };
        let inside = inside.trim();
        let parts: Vec<&str> = inside.split(',').map(str::trim).collect();
        let wrong = || parameters_of(name, inside);
        match (name, parts.as_slice()) {
            ("uniform", [min, max]) => {
                let (min, max) = (parse_span(min)?, parse_span(max)?);
                in_order("uniform", min, max)?;
                Ok(Self::Known(Distribution::Uniform { min, max }))
            }
            ("exponential", [mean]) => {
                let mean = positive("mean", named("mean", mean).ok_or_else(wrong)?)?;
                Ok(Self::Known(Distribution::Exponential { mean }))
            }
            ("normal", [mean, deviation]) => {
                let (mean, deviation) = mean_and_deviation(mean, deviation).ok_or_else(wrong)??;
                Ok(Self::Known(Distribution::Normal { mean, deviation }))
            }
            ("lognormal", [mean, deviation]) => {
                let (mean, deviation) = mean_and_deviation(mean, deviation).ok_or_else(wrong)??;
                positive("mean", &mean.to_string())?;
                Ok(Self::Known(Distribution::LogNormal { mean, deviation }))
            }
            ("pareto", [min, shape_text]) => {
                let min = positive("min", named("min", min).ok_or_else(wrong)?)?;
                let shape = shape(named("shape", shape_text).ok_or_else(wrong)?)?;
                Ok(Self::Known(Distribution::Pareto { min, shape }))
            }
            ("weibull", [scale, shape_text]) => {
                let scale = positive("scale", named("scale", scale).ok_or_else(wrong)?)?;
                let shape = shape(named("shape", shape_text).ok_or_else(wrong)?)?;
                Ok(Self::Known(Distribution::Weibull { scale, shape }))
            }
            ("empirical", [file]) if file.ends_with(".csv") => Ok(Self::Samples(Samples {
                file: (*file).to_owned(),
            })),
            ("empirical", samples) if !inside.is_empty() => {
                let samples: Result<Vec<_>, _> = samples.iter().map(|sample| parse_span(sample)).collect();
                Ok(Self::Known(Distribution::Empirical(samples?.into())))
            }
            (name, _) if KNOWN.contains(&name) => Err(wrong()),
            (name, _) => Err(TextError::UnknownDistribution {
                name: name.to_owned(),
                suggestion: nearest(name, KNOWN.iter().copied()),
                known: KNOWN_TEXT,
            }),
        }
    }

    fn write(&self) -> String {
        match self {
            Self::Samples(samples) => format!("empirical({})", samples.file),
            Self::Known(distribution) => write(distribution),
        }
    }

    fn amounts(&self) -> Vec<f64> {
        let spans: Vec<Span> = match self {
            Self::Samples(_) => Vec::new(),
            Self::Known(distribution) => match distribution {
                Distribution::Constant(span) => vec![*span],
                Distribution::Uniform { min, max } => vec![*min, *max],
                Distribution::Exponential { mean } => vec![*mean],
                Distribution::Normal { mean, deviation } | Distribution::LogNormal { mean, deviation } => {
                    vec![*mean, *deviation]
                }
                Distribution::Pareto { min, .. } => vec![*min],
                Distribution::Weibull { scale, .. } => vec![*scale],
                Distribution::Empirical(samples) => samples.to_vec(),
            },
        };
        spans.into_iter().map(|span| amount(span.as_ns())).collect()
    }
}

/// As [`SpanDistribution::read`] reads it.
pub(crate) fn write(distribution: &Distribution<Span>) -> String {
    match distribution {
        Distribution::Constant(span) => span.to_string(),
        Distribution::Uniform { min, max } => format!("uniform({min}, {max})"),
        Distribution::Exponential { mean } => format!("exponential(mean {mean})"),
        Distribution::Normal { mean, deviation } => format!("normal(mean {mean}, deviation {deviation})"),
        Distribution::LogNormal { mean, deviation } => format!("lognormal(mean {mean}, deviation {deviation})"),
        Distribution::Pareto { min, shape } => format!("pareto(min {min}, shape {shape})"),
        Distribution::Weibull { scale, shape } => format!("weibull(scale {scale}, shape {shape})"),
        Distribution::Empirical(samples) => {
            let samples: Vec<_> = samples.iter().map(Span::to_string).collect();
            format!("empirical({})", samples.join(", "))
        }
    }
}

/// The value of `key value`, if the text begins with that key.
fn named<'a>(key: &str, text: &'a str) -> Option<&'a str> {
    let value = text.strip_prefix(key)?;
    value.starts_with(char::is_whitespace).then(|| value.trim())
}

fn mean_and_deviation(mean: &str, deviation: &str) -> Option<Result<(Span, Span), TextError>> {
    let (mean, deviation) = (named("mean", mean)?, named("deviation", deviation)?);
    Some((|| Ok((parse_span(mean)?, parse_span(deviation)?)))())
}

fn positive(what: &'static str, text: &str) -> Result<Span, TextError> {
    let span = parse_span(text)?;
    if span.is_zero() {
        return Err(TextError::range(what, text, "above zero"));
    }
    Ok(span)
}

fn shape(text: &str) -> Result<f64, TextError> {
    match text.parse::<f64>() {
        Ok(shape) if (0.01..=1000.0).contains(&shape) => Ok(shape),
        _ => Err(TextError::range("shape", text, "a number from 0.01 to 1000")),
    }
}

fn in_order(name: &'static str, low: Span, high: Span) -> Result<(), TextError> {
    if low > high {
        return Err(TextError::Inverted {
            name,
            low: low.to_string(),
            high: high.to_string(),
        });
    }
    Ok(())
}

fn parameters_of(name: &str, found: &str) -> TextError {
    let (name, expected, example) = match name {
        "uniform" => (
            "uniform",
            "the smallest and the largest duration",
            "uniform(0.1 s, 20 s)",
        ),
        "exponential" => ("exponential", "its mean", "exponential(mean 3.5 s)"),
        "normal" => (
            "normal",
            "its mean and deviation",
            "normal(mean 200 ms, deviation 20 ms)",
        ),
        "lognormal" => (
            "lognormal",
            "its mean and deviation",
            "lognormal(mean 200 ms, deviation 20 ms)",
        ),
        "pareto" => ("pareto", "its min and shape", "pareto(min 100 ms, shape 1.5)"),
        "weibull" => ("weibull", "its scale and shape", "weibull(scale 1 s, shape 0.8)"),
        _ => ("empirical", "a CSV file or durations", "empirical(delays.csv)"),
    };
    TextError::Parameters {
        name,
        expected,
        found: found.to_owned(),
        example,
    }
}
