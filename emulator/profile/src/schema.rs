//! JSON Schemas of file types, as a person with an editor needs them.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::Value;

/// The JSON Schema (draft 2020-12) of a file type.
///
/// TOML has no null, so nothing is nullable; every table is closed.
pub fn schema_of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12()
        .with_transform(AsToml)
        .into_generator()
        .into_root_schema_for::<T>()
}

/// The same, made once for each type: that takes longer than reading a file by it.
pub(crate) fn kept_schema_of<T: JsonSchema + 'static>() -> Arc<Schema> {
    static KEPT: Mutex<BTreeMap<TypeId, Arc<Schema>>> = Mutex::new(BTreeMap::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let schema = kept
        .entry(TypeId::of::<T>())
        .or_insert_with(|| Arc::new(schema_of::<T>()));
    Arc::clone(schema)
}

/// Takes away what TOML does not have.
#[derive(Clone, Debug)]
struct AsToml;

impl Transform for AsToml {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(object) = schema.as_object_mut() else { return };
        object.remove("default");
        if let Some(Value::Array(types)) = object.get_mut("type") {
            types.retain(|name| name != "null");
            if let [only] = types.as_slice() {
                let only = only.clone();
                object.insert("type".to_owned(), only);
            }
        }
        if let Some(Value::Array(branches)) = object.get_mut("anyOf") {
            branches.retain(|branch| !is_null(branch));
            if let [Value::Object(only)] = branches.as_mut_slice() {
                let only = std::mem::take(only);
                object.remove("anyOf");
                for (key, value) in only {
                    // The key's own description is nearer than its type's.
                    object.entry(key).or_insert(value);
                }
            }
        }
        if !object.contains_key("properties") {
            return;
        }
        match object.get_mut("oneOf") {
            None => {
                object.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            // Keys of its own and keys of one alternative: only both together are all the keys there are.
            Some(branches) => {
                for branch in branches
                    .as_array_mut()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_object_mut)
                {
                    branch.remove("additionalProperties");
                }
                object.insert("unevaluatedProperties".to_owned(), Value::Bool(false));
            }
        }
    }
}

/// Whether a schema is that of null, and of nothing else.
fn is_null(schema: &Value) -> bool {
    schema.as_object().is_some_and(|schema| schema.len() == 1)
        && schema.get("type").and_then(Value::as_str) == Some("null")
}
