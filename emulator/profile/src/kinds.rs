//! What files say of impairments, both ways, and how it is told to people: all of it from the rows of the link.

use std::fmt;
use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlull_link::model::{Distribution, ImpairmentKind, Onset};
use windlull_units::{BitRate, Bytes, Span, parse_probability, parse_span};

use crate::convert::Converter;
use crate::text::{Occurrence, Probability, SpanDistribution, Text, write_distribution};

/// A value of an impairment, by its type.
pub trait Amount: Sized {
    /// As files write it.
    type File;
    /// As people are told.
    type Said: fmt::Display;

    /// From what a file says at `key`; `None` if it makes no sense.
    fn read(file: Self::File, key: &str, converter: &mut Converter<'_>) -> Option<Self>;

    /// What a file says of it.
    fn written(&self) -> Self::File;

    /// What people are told of it.
    fn said(&self) -> Self::Said;

    /// What holds if a file says nothing.
    fn default_of(_text: &'static str) -> Self {
        unreachable!("no value of this type has a default")
    }

    /// Whether the clock decides it, and no packet.
    fn is_by_the_clock(&self) -> bool {
        false
    }
}

impl Amount for f64 {
    type File = Text<Probability>;
    type Said = Percentage;

    fn read(file: Self::File, _: &str, _: &mut Converter<'_>) -> Option<Self> {
        Some(file.0.0)
    }

    fn written(&self) -> Self::File {
        Text(Probability(*self))
    }

    fn said(&self) -> Percentage {
        Percentage(*self)
    }

    fn default_of(text: &'static str) -> Self {
        parse_probability(text).expect("a default of a probability is one")
    }
}

/// A probability in words; `{:#}` is the number.
#[derive(Clone, Copy, Debug)]
pub struct Percentage(f64);

impl fmt::Display for Percentage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{} %", (self.0 * 1e6).round() / 1e4)
        }
    }
}

impl Amount for NonZeroU32 {
    type File = Self;
    type Said = Self;

    fn read(file: Self, _: &str, _: &mut Converter<'_>) -> Option<Self> {
        Some(file)
    }

    fn written(&self) -> Self {
        *self
    }

    fn said(&self) -> Self {
        *self
    }

    fn default_of(text: &'static str) -> Self {
        text.parse().expect("a default of a count is one")
    }
}

/// A quantity that files and people are told alike.
macro_rules! quantities {
    ($($type:ty),+) => { $(
        impl Amount for $type {
            type File = Text<Self>;
            type Said = Self;

            fn read(file: Self::File, _: &str, _: &mut Converter<'_>) -> Option<Self> {
                Some(file.0)
            }

            fn written(&self) -> Self::File {
                Text(*self)
            }

            fn said(&self) -> Self {
                *self
            }
        }
    )+ };
}
quantities!(BitRate, Bytes);

impl Amount for Distribution<Span> {
    type File = Text<SpanDistribution>;
    type Said = String;

    fn read(file: Self::File, key: &str, converter: &mut Converter<'_>) -> Option<Self> {
        converter.distribution(key, file)
    }

    fn written(&self) -> Self::File {
        Text(SpanDistribution::Known(self.clone()))
    }

    fn said(&self) -> String {
        write_distribution(self)
    }

    fn default_of(text: &'static str) -> Self {
        Self::Constant(parse_span(text).expect("a default of a distribution is a duration"))
    }
}

impl Amount for Onset {
    type File = Text<Occurrence>;
    type Said = String;

    fn read(file: Self::File, key: &str, converter: &mut Converter<'_>) -> Option<Self> {
        converter.onset(key, file.0)
    }

    fn written(&self) -> Self::File {
        Text(match self {
            Self::PacketWithProbability(probability) => Occurrence::PacketWithProbability(*probability),
            Self::Renewal(distribution) => Occurrence::Renewal(distribution.written().0),
            Self::Intervals(distribution) => Occurrence::Intervals(distribution.written().0),
            Self::IntervalsFrom(distribution, first) => Occurrence::IntervalsFrom(distribution.written().0, *first),
        })
    }

    fn said(&self) -> String {
        match self {
            Self::PacketWithProbability(probability) => {
                format!("from a packet on with probability {}", probability.said())
            }
            Self::Renewal(interval) => format!("every {}", interval.said()),
            Self::Intervals(interval) => format!("every {} from onset to onset", interval.said()),
            Self::IntervalsFrom(interval, first) => {
                format!("every {} from onset to onset, first at {first}", interval.said())
            }
        }
    }

    fn is_by_the_clock(&self) -> bool {
        !matches!(self, Self::PacketWithProbability(_))
    }
}

/// The type of a value in files: it may be left out if it has a default.
macro_rules! in_file {
    ([] $type:ty) => { <$type as Amount>::File };
    ([$default:literal] $type:ty) => { Option<<$type as Amount>::File> };
}

/// From what a file says to a value.
macro_rules! read {
    ([] $type:ty, $file:expr, $key:expr, $converter:expr) => {
        <$type as Amount>::read($file, $key, $converter)
    };
    ([$default:literal] $type:ty, $file:expr, $key:expr, $converter:expr) => {
        match $file {
            Some(file) => <$type as Amount>::read(file, $key, $converter),
            None => Some(<$type as Amount>::default_of($default)),
        }
    };
}

/// From a value to what a file says.
macro_rules! written {
    ([] $value:expr) => {
        $value.written()
    };
    ([$default:literal] $value:expr) => {
        Some($value.written())
    };
}

macro_rules! declare {
    ({ $(
        $(#[$doc:meta])+ $kind:ident = $name:literal $(titled $title:literal)?, $sharing:ident, $words:literal
        $(, refused by netem: $why:literal)? {
            $($(#[$value_doc:meta])+ $value:ident: $type:ty $(= $default:literal)? $(, to $most:literal)?;)+
        }
    )+ }) => {
        /// What an impairment does.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind")]
        pub enum KindFile {
            $(
                $(#[$doc])+
                $(#[doc = concat!("Refused by the netem plane: ", $why, ".")])?
                $(#[schemars(title = $title)])?
                #[serde(rename = $name)]
                $kind {
                    $(
                        $(#[$value_doc])+
                        $(#[doc = concat!("Default: ", $default, ".")] #[serde(skip_serializing_if = "Option::is_none")])?
                        $(#[schemars(extend("atMost" = $most))])?
                        $value: in_file!([$($default)?] $type),
                    )+
                },
            )+
        }

        impl KindFile {
            /// Whether both directions may have it together.
            pub(crate) fn may_be_shared(&self) -> bool {
                let sharing = match self {
                    $(Self::$kind { .. } => stringify!($sharing),)+
                };
                sharing == "shared"
            }

            /// What these values mean together; a problem for each that makes no sense.
            pub(crate) fn model(self, converter: &mut Converter<'_>, key: &str) -> Option<ImpairmentKind> {
                match self {
                    $(Self::$kind { $($value),+ } => {
                        $(let $value = read!(
                            [$($default)?] $type, $value, &format!("{key}.{}", stringify!($value)), converter
                        );)+
                        Some(ImpairmentKind::$kind { $($value: $value?),+ })
                    })+
                }
            }

            /// The file that makes this model.
            pub(crate) fn of(model: &ImpairmentKind) -> Self {
                match model {
                    $(ImpairmentKind::$kind { $($value),+ } => Self::$kind {
                        $($value: written!([$($default)?] $value),)+
                    },)+
                }
            }
        }

        /// Every kind, as files have it.
        pub(crate) const NAMES: &[&str] = &[$($name),+];

        /// The kind of an impairment that acts by packets, as files have it; `None` if it goes by the clock alone.
        pub(crate) fn on_packets(model: &ImpairmentKind) -> Option<&'static str> {
            match model {
                $(ImpairmentKind::$kind { $($value),+ } => {
                    let is_by_the_clock = [$($value.is_by_the_clock()),+].contains(&true);
                    (!is_by_the_clock).then_some($name)
                })+
            }
        }

        /// What it does, in words.
        pub(crate) fn words(model: &ImpairmentKind) -> String {
            match model {
                $(ImpairmentKind::$kind { $($value),+ } => {
                    $(let $value = $value.said();)+
                    format!($words)
                })+
            }
        }
    };
}
windlull_link::impairments!(declare!);
