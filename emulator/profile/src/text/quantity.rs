//! Single quantities as texts.

use windlull_link::model::{InOrder, Persistence, QueueLimit, QueueSize, Start};
use windlull_units::{BitRate, Bytes, Seed, Span, parse_bit_rate, parse_bytes, parse_probability, parse_span};

use super::{TextError, Written};

#[expect(clippy::cast_precision_loss, reason = "bounds are round numbers far below 2^53")]
pub(super) fn amount(n: u64) -> f64 {
    n as f64
}

impl Written for Span {
    const FORMAT: &'static str = "duration";
    const EXAMPLES: &'static [&'static str] = &["200 ms"];

    fn read(text: &str) -> Result<Self, TextError> {
        Ok(parse_span(text)?)
    }

    fn write(&self) -> String {
        self.to_string()
    }

    fn amounts(&self) -> Vec<f64> {
        vec![amount(self.as_ns())]
    }
}

impl Written for Bytes {
    const FORMAT: &'static str = "size";
    const EXAMPLES: &'static [&'static str] = &["1776 B"];

    fn read(text: &str) -> Result<Self, TextError> {
        Ok(parse_bytes(text)?)
    }

    fn write(&self) -> String {
        self.to_string()
    }

    fn amounts(&self) -> Vec<f64> {
        vec![amount(self.get())]
    }
}

impl Written for BitRate {
    const FORMAT: &'static str = "bit-rate";
    const EXAMPLES: &'static [&'static str] = &["28.8 kbit/s"];

    fn read(text: &str) -> Result<Self, TextError> {
        Ok(parse_bit_rate(text)?)
    }

    fn write(&self) -> String {
        self.to_string()
    }

    fn amounts(&self) -> Vec<f64> {
        vec![amount(self.as_bps())]
    }
}

/// A rate or none: `28.8 kbit/s` or `unlimited`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// Infinitely fast.
    Unlimited,
    /// So fast.
    Constant(BitRate),
}

impl Written for Rate {
    const FORMAT: &'static str = "rate";
    const EXAMPLES: &'static [&'static str] = &["28.8 kbit/s", "unlimited"];

    fn read(text: &str) -> Result<Self, TextError> {
        match text.trim() {
            "unlimited" => Ok(Self::Unlimited),
            rate => Ok(Self::Constant(parse_bit_rate(rate)?)),
        }
    }

    fn write(&self) -> String {
        match self {
            Self::Unlimited => "unlimited".to_owned(),
            Self::Constant(rate) => rate.to_string(),
        }
    }

    fn amounts(&self) -> Vec<f64> {
        match self {
            Self::Unlimited => Vec::new(),
            Self::Constant(rate) => rate.amounts(),
        }
    }
}

/// A probability: `0.02`, `"2 %"`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probability(pub f64);

impl Written for Probability {
    const FORMAT: &'static str = "probability";
    const EXAMPLES: &'static [&'static str] = &["2 %", "0.02"];
    const BARE_NUMBER: bool = true;

    fn read(text: &str) -> Result<Self, TextError> {
        Ok(Self(parse_probability(text)?))
    }

    fn write(&self) -> String {
        self.0.to_string()
    }

    fn amounts(&self) -> Vec<f64> {
        vec![self.0]
    }
}

/// A seed: a whole number, or the text of one, as that of a number that is above the highest whole number of TOML must be.
impl Written for Seed {
    const FORMAT: &'static str = "seed";
    const EXAMPLES: &'static [&'static str] = &["2003", "18446744073709551615"];
    const BARE_NUMBER: bool = true;

    fn read(text: &str) -> Result<Self, TextError> {
        let digits = !text.is_empty() && text.bytes().all(|octet| octet.is_ascii_digit());
        let value = digits.then(|| text.parse().ok()).flatten();
        value
            .map(Self::new)
            .ok_or_else(|| TextError::range("the seed", text, "a whole number from 0 to 18446744073709551615"))
    }

    fn write(&self) -> String {
        self.get().to_string()
    }
}

/// Splits `7 packets` into its number and its word.
pub(super) fn counted(text: &str) -> Option<(u64, &str)> {
    let (number, word) = text.trim().split_once(char::is_whitespace)?;
    Some((number.parse().ok()?, word.trim()))
}

impl Written for QueueLimit {
    const FORMAT: &'static str = "queue-limit";
    const EXAMPLES: &'static [&'static str] = &["7 packets", "64 kB", "unlimited"];

    fn read(text: &str) -> Result<Self, TextError> {
        let text = text.trim();
        if text == "unlimited" {
            return Ok(Self::Unlimited);
        }
        match queue_size(text, "the queue's limit")? {
            Some(QueueSize::Packets(packets)) => Ok(Self::Packets(packets)),
            Some(QueueSize::Bytes(bytes)) => Ok(Self::Bytes(bytes)),
            None => Err(TextError::unreadable(text, "a queue's limit", Self::EXAMPLES)),
        }
    }

    fn write(&self) -> String {
        match *self {
            Self::Unlimited => "unlimited".to_owned(),
            Self::Packets(packets) => QueueSize::Packets(packets).write(),
            Self::Bytes(bytes) => QueueSize::Bytes(bytes).write(),
        }
    }
}

impl Written for QueueSize {
    const FORMAT: &'static str = "queue-size";
    const EXAMPLES: &'static [&'static str] = &["5 packets", "6 kB"];

    fn read(text: &str) -> Result<Self, TextError> {
        let text = text.trim();
        queue_size(text, "the size of a queue")?
            .ok_or_else(|| TextError::unreadable(text, "the size of a queue", Self::EXAMPLES))
    }

    fn write(&self) -> String {
        match self {
            Self::Packets(1) => "1 packet".to_owned(),
            Self::Packets(packets) => format!("{packets} packets"),
            Self::Bytes(bytes) => bytes.to_string(),
        }
    }
}

/// A number of packets or octets; `None` if the text is neither.
fn queue_size(text: &str, what: &'static str) -> Result<Option<QueueSize>, TextError> {
    let out_of_range = |range| TextError::range(what, text, range);
    match counted(text) {
        Some((packets, "packet" | "packets")) => match u32::try_from(packets) {
            Ok(packets) if (1..=10_000_000).contains(&packets) => Ok(Some(QueueSize::Packets(packets))),
            _ => Err(out_of_range("from 1 to 10000000 packets")),
        },
        _ => match parse_bytes(text) {
            Ok(Bytes::ZERO) => Err(out_of_range("above 0 B")),
            bytes => Ok(bytes.ok().map(QueueSize::Bytes)),
        },
    }
}

impl Written for InOrder {
    const FORMAT: &'static str = "in-order";
    const EXAMPLES: &'static [&'static str] = &["always", "never", "35 ms"];

    fn read(text: &str) -> Result<Self, TextError> {
        match text.trim() {
            "always" => Ok(Self::Always),
            "never" => Ok(Self::Never),
            text => parse_span(text)
                .map(Self::For)
                .map_err(|_| TextError::unreadable(text, "how long packets wait for order", Self::EXAMPLES)),
        }
    }

    fn write(&self) -> String {
        match self {
            Self::Always => "always".to_owned(),
            Self::Never => "never".to_owned(),
            Self::For(span) => span.to_string(),
        }
    }

    fn amounts(&self) -> Vec<f64> {
        match self {
            Self::Always | Self::Never => Vec::new(),
            Self::For(span) => vec![amount(span.as_ns())],
        }
    }
}

impl Written for Start {
    const FORMAT: &'static str = "start";
    const EXAMPLES: &'static [&'static str] = &["beginning", "random", "12.5 s"];

    fn read(text: &str) -> Result<Self, TextError> {
        match text.trim() {
            "beginning" => Ok(Self::Beginning),
            "random" => Ok(Self::Random),
            text => parse_span(text)
                .map(Self::At)
                .map_err(|_| TextError::unreadable(text, "where what repeats begins", Self::EXAMPLES)),
        }
    }

    fn write(&self) -> String {
        match self {
            Self::Beginning => "beginning".to_owned(),
            Self::Random => "random".to_owned(),
            Self::At(span) => span.to_string(),
        }
    }

    fn amounts(&self) -> Vec<f64> {
        match self {
            Self::Beginning | Self::Random => Vec::new(),
            Self::At(span) => vec![amount(span.as_ns())],
        }
    }
}

impl Written for Persistence {
    const FORMAT: &'static str = "persistence";
    const EXAMPLES: &'static [&'static str] = &["none", "unlimited", "3 retries", "5 s"];

    fn read(text: &str) -> Result<Self, TextError> {
        let text = text.trim();
        match (text, counted(text)) {
            ("none", _) => Ok(Self::None),
            ("unlimited", _) => Ok(Self::Unlimited),
            (_, Some((retries, "retry" | "retries"))) => match u32::try_from(retries) {
                Ok(retries) if (1..=1_000_000).contains(&retries) => Ok(Self::Retries(retries)),
                _ => Err(TextError::range(
                    "the number of retries",
                    &retries.to_string(),
                    "from 1 to 1000000; `none` is no retry at all",
                )),
            },
            _ => parse_span(text)
                .map(Self::For)
                .map_err(|_| TextError::unreadable(text, "a persistence", Self::EXAMPLES)),
        }
    }

    fn write(&self) -> String {
        match self {
            Self::None => "none".to_owned(),
            Self::Unlimited => "unlimited".to_owned(),
            Self::Retries(1) => "1 retry".to_owned(),
            Self::Retries(retries) => format!("{retries} retries"),
            Self::For(span) => span.to_string(),
        }
    }
}
