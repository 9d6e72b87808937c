//! Quantities as people write them: a number, a space, a unit.

use std::fmt;

use crate::{BitRate, Bytes, Span};

/// Why a text is not a quantity; the message says what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseQuantityError {
    /// A bare number.
    MissingUnit {
        text: String,
        /// What would be right.
        example: &'static str,
    },
    /// A unit this quantity does not have.
    UnknownUnit {
        /// The unit that was written.
        unit: String,
        /// Which quantity was expected.
        quantity: &'static str,
        /// The units it has.
        known: &'static str,
    },
    /// Not a number at all, or a negative one.
    NotANumber {
        text: String,
        /// Which quantity was expected.
        quantity: &'static str,
        /// What would be right.
        example: &'static str,
    },
    /// A number outside what the quantity can be.
    OutOfRange {
        text: String,
        /// Which quantity was expected.
        quantity: &'static str,
        /// What it can be.
        range: &'static str,
    },
}

impl fmt::Display for ParseQuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingUnit { text, example } => write!(f, "`{text}` has no unit; write it as in `{example}`"),
            Self::UnknownUnit { unit, quantity, known } => {
                write!(f, "`{unit}` is not a unit of {quantity}; use one of {known}")
            }
            Self::NotANumber {
                text,
                quantity,
                example,
            } => write!(f, "`{text}` is not a {quantity}; write it as in `{example}`"),
            Self::OutOfRange { text, quantity, range } => {
                write!(f, "`{text}` is out of range for a {quantity}: {range}")
            }
        }
    }
}

impl std::error::Error for ParseQuantityError {}

struct Quantity {
    name: &'static str,
    example: &'static str,
    known: &'static str,
    range: &'static str,
    units: &'static [(&'static str, f64)],
    max: f64,
}

const SPAN: Quantity = Quantity {
    name: "duration",
    example: "200 ms",
    known: "ns, us, ms, s, min, h",
    range: "from 0 ns to 100 h",
    units: &[
        ("ns", 1.0),
        ("us", 1e3),
        ("µs", 1e3),
        ("ms", 1e6),
        ("s", 1e9),
        ("min", 60e9),
        ("h", 3600e9),
    ],
    max: 100.0 * 3600e9,
};

const RATE: Quantity = Quantity {
    name: "rate",
    example: "28.8 kbit/s",
    known: "bit/s, kbit/s, Mbit/s, Gbit/s",
    range: "from 1 bit/s to 1000 Gbit/s",
    units: &[("bit/s", 1.0), ("kbit/s", 1e3), ("Mbit/s", 1e6), ("Gbit/s", 1e9)],
    max: 1e12,
};

const SIZE: Quantity = Quantity {
    name: "size",
    example: "1776 B",
    known: "B, kB, MB, GB, KiB, MiB, GiB",
    range: "from 0 B to 1000 GB",
    units: &[
        ("B", 1.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
    ],
    max: 1e12,
};

/// A duration such as `3.5 s`, to the nearest nanosecond.
///
/// # Errors
/// If the text has no unit, a foreign one, or a value below zero or above 100 hours.
pub fn parse_span(text: &str) -> Result<Span, ParseQuantityError> {
    parse(text, &SPAN).map(Span::from_ns)
}

/// A rate such as `28.8 kbit/s`, to the nearest bit per second.
///
/// # Errors
/// If the text has no unit, a foreign one, or a value below 1 bit/s or above 1000 Gbit/s.
pub fn parse_bit_rate(text: &str) -> Result<BitRate, ParseQuantityError> {
    let bps = parse(text, &RATE)?;
    BitRate::from_bps(bps).ok_or_else(|| ParseQuantityError::OutOfRange {
        text: text.to_owned(),
        quantity: RATE.name,
        range: RATE.range,
    })
}

/// A size such as `1776 B`.
///
/// # Errors
/// If the text has no unit, a foreign one, or a value below zero or above 1000 GB.
pub fn parse_bytes(text: &str) -> Result<Bytes, ParseQuantityError> {
    parse(text, &SIZE).map(Bytes::new)
}

/// A probability such as `0.02` or `2 %`.
///
/// # Errors
/// If the text is no number or lies outside 0 to 1.
pub fn parse_probability(text: &str) -> Result<f64, ParseQuantityError> {
    let trimmed = text.trim();
    let (number, scale) = match trimmed.strip_suffix('%') {
        Some(percent) => (percent.trim_end(), 0.01),
        None => (trimmed, 1.0),
    };
    let value: f64 = number.parse().map_err(|_| ParseQuantityError::NotANumber {
        text: text.to_owned(),
        quantity: "probability",
        example: "0.02` or `2 %",
    })?;
    let value = value * scale;
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(ParseQuantityError::OutOfRange {
            text: text.to_owned(),
            quantity: "probability",
            range: "from 0 to 1, or 0 % to 100 %",
        })
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked against `max` just before"
)]
fn parse(text: &str, quantity: &Quantity) -> Result<u64, ParseQuantityError> {
    let trimmed = text.trim();
    let split = trimmed
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | '_')))
        .unwrap_or(trimmed.len());
    let (number, unit) = (trimmed[..split].replace('_', ""), trimmed[split..].trim());
    let value: f64 = number.parse().map_err(|_| ParseQuantityError::NotANumber {
        text: text.to_owned(),
        quantity: quantity.name,
        example: quantity.example,
    })?;
    if unit.is_empty() {
        return Err(ParseQuantityError::MissingUnit {
            text: text.to_owned(),
            example: quantity.example,
        });
    }
    let scale = quantity
        .units
        .iter()
        .find_map(|(name, scale)| (*name == unit).then_some(*scale))
        .ok_or_else(|| ParseQuantityError::UnknownUnit {
            unit: unit.to_owned(),
            quantity: quantity.name,
            known: quantity.known,
        })?;
    let scaled = (value * scale).round();
    if (0.0..=quantity.max).contains(&scaled) && !value.is_sign_negative() {
        Ok(scaled as u64)
    } else {
        Err(ParseQuantityError::OutOfRange {
            text: text.to_owned(),
            quantity: quantity.name,
            range: quantity.range,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_read_as_written() {
        assert_eq!(parse_span("3.5 s"), Ok(Span::from_ms(3500)));
        assert_eq!(parse_span("200ms"), Ok(Span::from_ms(200)));
        assert_eq!(parse_bytes("1776 B"), Ok(Bytes::new(1776)));
        assert_eq!(parse_bit_rate("28.8 kbit/s").map(BitRate::as_bps), Ok(28_800));
        assert!((parse_probability("2 %").expect("a probability") - 0.02).abs() < 1e-12);
    }

    #[test]
    fn wrong_quantities_say_what_is_right() {
        assert!(matches!(parse_span("200"), Err(ParseQuantityError::MissingUnit { .. })));
        assert!(matches!(
            parse_span("200 kbit/s"),
            Err(ParseQuantityError::UnknownUnit { .. })
        ));
        assert!(matches!(parse_span("-1 s"), Err(ParseQuantityError::OutOfRange { .. })));
        assert!(matches!(parse_span("soon"), Err(ParseQuantityError::NotANumber { .. })));
        assert!(matches!(
            parse_bit_rate("0 bit/s"),
            Err(ParseQuantityError::OutOfRange { .. })
        ));
        assert!(matches!(
            parse_probability("1.5"),
            Err(ParseQuantityError::OutOfRange { .. })
        ));
    }
}
