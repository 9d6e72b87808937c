//! When something happens, as texts: a choice of packets, an instant, a random process.

use windlull_link::model::{Selector, TransportCondition, Trigger};
use windlull_units::{Span, Time, parse_probability, parse_span};

use super::quantity::amount;
use super::{SpanDistribution, TextError, Written};

/// How often a hold or a drop begins: at packets, or in time.
#[derive(Clone, Debug, PartialEq)]
pub enum Occurrence {
    /// `packet with probability 0.02`
    PacketWithProbability(f64),
    /// `exponential(mean 20 s)`: from the end of one to the beginning of the next.
    Renewal(SpanDistribution),
    /// `uniform(20 s, 40 s) between onsets`: from the beginning of one to that of the next.
    Intervals(SpanDistribution),
    /// `uniform(20 s, 40 s) between onsets from 1 s`: the same, and the first one is then.
    IntervalsFrom(SpanDistribution, Span),
}

impl Written for Occurrence {
    const FORMAT: &'static str = "onset";
    const EXAMPLES: &'static [&'static str] = &[
        "packet with probability 0.02",
        "exponential(mean 20 s)",
        "uniform(20 s, 40 s) between onsets",
        "uniform(20 s, 40 s) between onsets from 1 s",
    ];

    fn read(text: &str) -> Result<Self, TextError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            ["packet", "with", "probability", probability @ ..] if !probability.is_empty() => {
                Ok(Self::PacketWithProbability(parse_probability(&probability.join(" "))?))
            }
            ["packet", ..] => Err(TextError::unreadable(text, "a beginning", Self::EXAMPLES)),
            [interval @ .., "between", "onsets", "from", number, unit] => Ok(Self::IntervalsFrom(
                SpanDistribution::read(&interval.join(" "))?,
                parse_span(&format!("{number} {unit}"))?,
            )),
            [interval @ .., "between", "onsets"] => SpanDistribution::read(&interval.join(" ")).map(Self::Intervals),
            _ => SpanDistribution::read(text).map(Self::Renewal),
        }
    }

    fn write(&self) -> String {
        match self {
            Self::PacketWithProbability(probability) => format!("packet with probability {probability}"),
            Self::Renewal(distribution) => distribution.write(),
            Self::Intervals(distribution) => format!("{} between onsets", distribution.write()),
            Self::IntervalsFrom(distribution, first) => {
                format!("{} between onsets from {first}", distribution.write())
            }
        }
    }

    fn amounts(&self) -> Vec<f64> {
        match self {
            Self::PacketWithProbability(_) => Vec::new(),
            Self::Renewal(distribution) | Self::Intervals(distribution) => distribution.amounts(),
            Self::IntervalsFrom(distribution, first) => {
                let mut amounts = distribution.amounts();
                amounts.push(amount(first.as_ns()));
                amounts
            }
        }
    }
}

/// When a script entry begins: at an instant, at packets, or when the transport meets a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begin {
    /// `10 s` after the start of the run.
    Instant(Span),
    /// `data segments 9..15`.
    Packets(Selector),
    /// `on entering recovery`.
    Transport(TransportCondition),
}

impl Begin {
    /// What a text that cannot be read should be.
    const EXPECTED: &'static str = "an instant, a choice of packets, or a condition of the transport";

    /// What is said of a text that counts in round trips.
    const NO_ROUND_TRIPS: &'static str = "possible, as no entry waits for round trips; silence is counted in retransmission \
                                          timeouts";

    /// When an entry of a link's script begins.
    pub(crate) fn of(trigger: &Trigger) -> Self {
        match trigger {
            Trigger::At { at, .. } => Self::Instant(at.since(Time::ZERO)),
            Trigger::Packets { which, .. } => Self::Packets(which.clone()),
            Trigger::Transport { when, .. } => Self::Transport(*when),
        }
    }

    /// It in a sentence.
    pub(crate) fn in_words(&self) -> String {
        match self {
            Self::Instant(_) | Self::Packets(_) | Self::Transport(TransportCondition::Retransmission(_)) => {
                format!("at {}", self.write())
            }
            Self::Transport(_) => self.write(),
        }
    }
}

impl Written for Begin {
    const FORMAT: &'static str = "beginning";
    const EXAMPLES: &'static [&'static str] = &[
        "10 s",
        "packet 12",
        "data segment 9",
        "data segments 9..15",
        "byte 200000",
        "first retransmission of byte 200000",
        "second retransmission of segment 12",
        "after byte 200000",
        "retransmission 3",
        "1.5 RTO after the last transmission",
        "when the window first exceeds 20 segments",
        "on entering recovery",
    ];

    fn read(text: &str) -> Result<Self, TextError> {
        let text = text.trim();
        if let Some(condition) = condition(text)? {
            return Ok(Self::Transport(condition));
        }
        let is_unit = |word: &str, unit| {
            word.trim_start_matches(|c: char| !c.is_alphabetic())
                .eq_ignore_ascii_case(unit)
        };
        if text.split_whitespace().any(|word| is_unit(word, "RTO")) {
            return Err(TextError::unreadable(text, Self::EXPECTED, Self::EXAMPLES));
        }
        if text.split_whitespace().any(|word| is_unit(word, "RTT")) {
            return Err(TextError::unreadable(
                text,
                Self::NO_ROUND_TRIPS,
                &["1.5 RTO after the last transmission"],
            ));
        }
        if text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) {
            return Ok(Self::Instant(parse_span(text)?));
        }
        selector(text)?
            .map(Self::Packets)
            .ok_or_else(|| TextError::unreadable(text, Self::EXPECTED, Self::EXAMPLES))
    }

    fn write(&self) -> String {
        match self {
            Self::Instant(span) => span.to_string(),
            Self::Packets(selector) => write_selector(selector),
            Self::Transport(condition) => condition.to_string(),
        }
    }

    fn amounts(&self) -> Vec<f64> {
        match self {
            Self::Instant(span) => vec![amount(span.as_ns())],
            Self::Packets(_) | Self::Transport(_) => Vec::new(),
        }
    }
}

const ORDINALS: [&str; 10] = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
];

fn selector(text: &str) -> Result<Option<Selector>, TextError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    Ok(match words.as_slice() {
        ["packet", n] => n.parse().ok().map(Selector::Packet).map(from_one).transpose()?,
        ["byte", n] => n.parse().ok().map(Selector::Byte),
        ["data", "segment", n] => n
            .parse()
            .ok()
            .map(|n| from_one(Selector::DataSegments { first: n, last: n }))
            .transpose()?,
        ["data", "segments", range] => segments(range).map(from_one).transpose()?,
        [ordinal, "retransmission", "of", what @ ("byte" | "segment"), n] => {
            let nth = ORDINALS
                .iter()
                .position(|name| name == ordinal)
                .and_then(|i| u32::try_from(i + 1).ok());
            match (nth, n.parse().ok(), *what) {
                (Some(nth), Some(byte), "byte") => Some(Selector::RetransmissionOfByte { byte, nth }),
                (Some(nth), Some(segment), _) => Some(from_one(Selector::RetransmissionOfSegment { segment, nth })?),
                _ => None,
            }
        }
        _ => None,
    })
}

fn segments(range: &str) -> Option<Selector> {
    let (first, last) = range.split_once("..")?;
    Some(Selector::DataSegments {
        first: first.parse().ok()?,
        last: last.parse().ok()?,
    })
}

/// A condition of the transport; `None` if the text says nothing of the kind.
fn condition(text: &str) -> Result<Option<TransportCondition>, TextError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let condition = match words.as_slice() {
        ["after", "byte", n] => n.parse().ok().map(TransportCondition::AfterByte),
        ["retransmission", n] => match n.parse::<u64>().ok() {
            Some(0) => {
                return Err(TextError::range(
                    "retransmission",
                    "0",
                    "at least 1; the first one is 1",
                ));
            }
            nth => nth.map(TransportCondition::Retransmission),
        },
        [factor, "RTO", "after", "the", "last", "transmission"] => {
            let rto_thousandths = thousandths(factor).ok_or_else(|| {
                TextError::range("RTO", factor, "a number from 0.001 to 1000 with at most three decimals")
            })?;
            Some(TransportCondition::AfterLastTransmission { rto_thousandths })
        }
        ["when", "the", "window", "first", "exceeds", n, "segment" | "segments"] => match n.parse::<u32>().ok() {
            Some(0) => return Err(TextError::range("window", "0 segments", "at least 1 segment")),
            segments => segments.map(|segments| TransportCondition::WindowExceeds { segments }),
        },
        ["on", "entering", "recovery"] => Some(TransportCondition::Recovery),
        _ => None,
    };
    Ok(condition)
}

/// Thousandths of one, written as a decimal number above zero.
fn thousandths(text: &str) -> Option<u32> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|octet| octet.is_ascii_digit());
    if !are_digits(whole) || !are_digits(decimals) || decimals.len() > 3 {
        return None;
    }
    let below_one: u32 = format!("{decimals:0<3}").parse().ok()?;
    let thousandths = whole.parse::<u32>().ok()?.checked_mul(1000)?.checked_add(below_one)?;
    (1..=1_000_000).contains(&thousandths).then_some(thousandths)
}

/// Packets and segments are counted from 1.
fn from_one(selector: Selector) -> Result<Selector, TextError> {
    let (what, first) = match selector {
        Selector::DataSegments { first, last } if first > last => {
            return Err(TextError::Inverted {
                name: "data segments",
                low: first.to_string(),
                high: last.to_string(),
            });
        }
        Selector::DataSegments { first, .. } => ("data segment", first),
        Selector::RetransmissionOfSegment { segment, .. } => ("segment", segment),
        Selector::Packet(n) => ("packet", n),
        Selector::Byte(_) | Selector::RetransmissionOfByte { .. } => return Ok(selector),
    };
    if first == 0 {
        return Err(TextError::range(what, "0", "at least 1; the first one is 1"));
    }
    Ok(selector)
}

pub(crate) fn write_selector(selector: &Selector) -> String {
    let ordinal = |nth: u32| {
        let index = usize::try_from(nth).unwrap_or(usize::MAX).wrapping_sub(1);
        ORDINALS.get(index).copied().unwrap_or("later")
    };
    match selector {
        Selector::DataSegments { first, last } if first == last => format!("data segment {first}"),
        Selector::DataSegments { first, last } => format!("data segments {first}..{last}"),
        Selector::Packet(n) => format!("packet {n}"),
        Selector::Byte(byte) => format!("byte {byte}"),
        Selector::RetransmissionOfByte { byte, nth } => {
            format!("{} retransmission of byte {byte}", ordinal(*nth))
        }
        Selector::RetransmissionOfSegment { segment, nth } => {
            format!("{} retransmission of segment {segment}", ordinal(*nth))
        }
    }
}
