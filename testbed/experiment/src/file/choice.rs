//! A mechanism by its name: the registry of the TCP says which there are.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use windlull_tcp::{
    AfterIdle, AfterSpurious, BackOff, BelowRecoveryPoint, CongestionControl, CongestionMarks, Detection, Estimator,
    FrtoTimeouts, Minimum, Recovery, RepeatedTimeout, Response, TimestampEcho,
};

/// One of the choices that make a variant.
pub trait Choice: Copy + 'static {
    /// What it is called in the schema.
    const TITLE: &'static str;
    /// Every value.
    const ALL: &'static [Self];
    /// A value's name in files.
    fn name(self) -> &'static str;
}

macro_rules! choice {
    ($($choice:ty => $title:literal,)+) => {
        $(impl Choice for $choice {
            const TITLE: &'static str = $title;
            const ALL: &'static [Self] = <$choice>::ALL;
            fn name(self) -> &'static str {
                <$choice>::name(self)
            }
        })+
    };
}

choice! {
    Recovery => "recovery",
    CongestionControl => "congestion",
    Detection => "detection",
    FrtoTimeouts => "frto-timeouts",
    Response => "response",
    Estimator => "estimator",
    Minimum => "minimum",
    AfterSpurious => "after-spurious",
    BackOff => "back-off",
    AfterIdle => "after-idle",
    RepeatedTimeout => "repeated-timeout",
    TimestampEcho => "timestamp-echo",
    CongestionMarks => "congestion-marks",
    BelowRecoveryPoint => "below-recovery-point",
}

/// A choice, written as its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named<T>(pub T);

impl<T: Choice> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

impl<'de, T: Choice> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let found = T::ALL.iter().copied().find(|choice| choice.name() == name);
        found
            .map(Self)
            .ok_or_else(|| serde::de::Error::custom(format!("no {} is called {name}", T::TITLE)))
    }
}

impl<T: Choice> JsonSchema for Named<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::TITLE.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<_> = T::ALL.iter().map(|choice| choice.name()).collect();
        json_schema!({ "type": "string", "enum": names })
    }
}
