//! A mechanism by its name: the registry of the TCP says which there are.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use windlull_tcp::Choice;

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
            .ok_or_else(|| serde::de::Error::custom(format!("nothing is called {name}")))
    }
}

impl<T: Choice> JsonSchema for Named<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        std::any::type_name::<T>().into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<_> = T::ALL.iter().map(|choice| choice.name()).collect();
        let mut schema = json_schema!({ "type": "string", "enum": names });
        let labels = T::ALL.iter().map(|choice| Some((choice.name(), choice.label()?)));
        if let Some(labels) = labels.collect::<Option<BTreeMap<_, _>>>() {
            schema.insert("x-labels".to_owned(), serde_json::json!(labels));
        }
        schema
    }
}
