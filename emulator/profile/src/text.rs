//! Values that files write as text: a quantity with its unit, a distribution, a choice of packets.

mod distribution;
mod error;
mod packets;
mod quantity;
mod written;

use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use windlull_link::model::{InOrder, Persistence, QueueLimit, QueueSize, Start};
use windlull_units::{BitRate, Bytes, Seed, Span};

pub(crate) use distribution::write as write_distribution;
pub use distribution::{Samples, SpanDistribution};
pub use error::TextError;
pub use packets::{Begin, Occurrence};
pub use quantity::{Probability, Rate};
pub use written::Written;

/// A [`Written`] value in a file type: a text in TOML and in the schema, the value itself in Rust.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Text<T>(pub T);

impl<T: Written> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.write())
    }
}

impl<'de, T: Written> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor(PhantomData))
    }
}

struct TextVisitor<T>(PhantomData<T>);

impl<T: Written> Visitor<'_> for TextVisitor<T> {
    type Value = Text<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a {}", T::FORMAT)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        T::read(text).map(Text).map_err(E::custom)
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Self::Value, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Self::Value, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Self::Value, E> {
        self.visit_str(&number.to_string())
    }
}

impl<T: Written> JsonSchema for Text<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::FORMAT.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        if T::BARE_NUMBER {
            json_schema!({ "type": ["string", "number"], "format": T::FORMAT, "examples": T::EXAMPLES })
        } else {
            json_schema!({ "type": "string", "format": T::FORMAT, "examples": T::EXAMPLES })
        }
    }
}

type Amounts = fn(&str) -> Result<Vec<f64>, TextError>;

fn amounts<T: Written>(text: &str) -> Result<Vec<f64>, TextError> {
    T::read(text).map(|value| value.amounts())
}

macro_rules! formats {
    ($($type:ty),+) => { &[$((<$type as Written>::FORMAT, amounts::<$type>)),+] };
}

/// Every way of writing, by the name that schemas use: how a generic check of a file reads its texts.
const FORMATS: &[(&str, Amounts)] = formats![
    Span,
    Bytes,
    Rate,
    BitRate,
    Probability,
    QueueLimit,
    QueueSize,
    Persistence,
    InOrder,
    Start,
    Seed,
    SpanDistribution,
    Occurrence,
    Begin
];

/// Reads a text of the named format; `None` for a format that is not ours.
pub(crate) fn read_amounts(format: &str, text: &str) -> Option<Result<Vec<f64>, TextError>> {
    FORMATS
        .iter()
        .find(|(name, _)| *name == format)
        .map(|(_, read)| read(text))
}
